# The CUDA twins in kernels/cuda, as one more set of objects of the kernels layer. Without them the build is complete
# and kernels/no_cuda.cpp answers in their place.
set(LACUNA_CUDA AUTO CACHE STRING
  "CUDA backend: AUTO (when nvcc works and no sanitizer is on), ON (an error when nvcc does not work), OFF")
set_property(CACHE LACUNA_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT LACUNA_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "LACUNA_CUDA is \"${LACUNA_CUDA}\"; it must be AUTO, ON or OFF")
endif()

set(lacuna_cuda_oldest 11.8)  # the first that knows compute capability 9.0

# Sets `why_not` to the reason why CUDA cannot be compiled here, or to nothing.
macro(lacuna_check_cuda why_not)
  include(CheckLanguage)
  check_language(CUDA)
  set(${why_not} "")
  if(NOT CMAKE_CUDA_COMPILER)
    set(${why_not} "no working CUDA compiler was found")
  else()
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE lacuna_nvcc_says ERROR_QUIET)
    if(NOT lacuna_nvcc_says MATCHES "release ([0-9]+\\.[0-9]+)")
      set(${why_not} "${CMAKE_CUDA_COMPILER} is not nvcc")
    elseif(CMAKE_MATCH_1 VERSION_LESS lacuna_cuda_oldest)
      set(${why_not} "${CMAKE_CUDA_COMPILER} is of CUDA ${CMAKE_MATCH_1}, older than ${lacuna_cuda_oldest}")
    endif()
  endif()
endmacro()

set(LACUNA_HAS_CUDA OFF)
if(LACUNA_CUDA STREQUAL "ON" OR (LACUNA_CUDA STREQUAL "AUTO" AND NOT LACUNA_SANITIZE))
  lacuna_check_cuda(lacuna_why_no_cuda)
  if(NOT lacuna_why_no_cuda)
    set(LACUNA_HAS_CUDA ON)
  elseif(LACUNA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "LACUNA_CUDA is ON, but ${lacuna_why_no_cuda}. Install the CUDA Toolkit and put nvcc on PATH "
      "(or set CMAKE_CUDA_COMPILER), or configure with -DLACUNA_CUDA=OFF.")
  endif()
endif()

if(LACUNA_HAS_CUDA)
  # Ampere, Hopper, and PTX that the driver compiles for whatever comes later.
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;90-virtual" CACHE STRING "CUDA architectures of kernels/cuda")
  if(LACUNA_CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${LACUNA_CCACHE})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)

  file(GLOB lacuna_cuda_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/cuda/*.cu)
  add_library(lacuna_kernels_cuda OBJECT ${lacuna_cuda_sources})
  set_target_properties(lacuna_kernels_cuda PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON)
  target_link_libraries(lacuna_kernels_cuda PRIVATE lacuna_kernels_headers CUDA::cudart_static)
  # No contraction on the device either. Warnings are no errors here: the toolkit's own headers and the code that nvcc
  # hands to the host compiler raise different ones in every release.
  target_compile_options(lacuna_kernels_cuda PRIVATE --fmad=false -Xcompiler=-Wall,-Wextra,-ffp-contract=off)

  target_compile_definitions(lacuna_kernels_objects PRIVATE LACUNA_HAS_CUDA)  # leaves no_cuda.cpp empty
  target_sources(lacuna_kernels INTERFACE $<TARGET_OBJECTS:lacuna_kernels_cuda>)
  target_link_libraries(lacuna_kernels INTERFACE CUDA::cudart_static)
endif()
message(STATUS "CUDA backend: ${LACUNA_HAS_CUDA}")
