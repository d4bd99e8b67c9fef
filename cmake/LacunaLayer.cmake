# lacuna_layer(NAME [BELOW LAYER] [LINK TARGET...])
#
# The sources of NAME/ as one target. What it sees is NAME/ and, through BELOW, the layers under it, and nothing
# else: a forbidden include fails to compile.
#   lacuna_NAME_headers  include path and libraries, for whoever compiles against the layer
#   lacuna_NAME          the same and the object files, for whoever links a program
# Object files, not archives: stages and sources register themselves from static objects that nothing else names,
# and a linker drops those from an archive.
function(lacuna_layer name)
  cmake_parse_arguments(layer "" "BELOW" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_main\\.cpp$")  # programs: see LacunaPrograms.cmake
  list(FILTER sources EXCLUDE REGEX "/cuda/")        # see LacunaCuda.cmake

  set(include_dir ${CMAKE_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${include_dir})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${include_dir}/${name} SYMBOLIC)

  add_library(lacuna_${name}_headers INTERFACE)
  target_include_directories(lacuna_${name}_headers INTERFACE ${include_dir})
  target_link_libraries(lacuna_${name}_headers INTERFACE ${layer_LINK})

  add_library(lacuna_${name}_objects OBJECT ${sources})
  target_link_libraries(lacuna_${name}_objects PRIVATE lacuna_flags lacuna_${name}_headers)

  add_library(lacuna_${name} INTERFACE)
  target_sources(lacuna_${name} INTERFACE $<TARGET_OBJECTS:lacuna_${name}_objects>)
  target_link_libraries(lacuna_${name} INTERFACE lacuna_${name}_headers)

  if(layer_BELOW)
    target_link_libraries(lacuna_${name}_headers INTERFACE lacuna_${layer_BELOW}_headers)
    target_link_libraries(lacuna_${name} INTERFACE lacuna_${layer_BELOW})
  endif()
endfunction()
