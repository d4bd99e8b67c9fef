# Writes experiments/build_facts.hpp before every build: the revision (with "-dirty" where files differ or are new), flags.
# Without git or outside a checkout the revision is "unknown". The file changes only when a fact does.
set(build_facts_dir ${CMAKE_BINARY_DIR}/generated)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
add_custom_target(lacuna_build_facts
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${build_facts_dir}/experiments/build_facts.hpp
          -DVERSION=${PROJECT_VERSION} "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          "-DFLAGS=${CMAKE_CXX_FLAGS_${build_type}} -march=${LACUNA_ARCH} -ffp-contract=off ${LACUNA_SANITIZE}"
          "-DSIMD=${LACUNA_ARCH}" -P ${CMAKE_SOURCE_DIR}/cmake/write_build_facts.cmake
  BYPRODUCTS ${build_facts_dir}/experiments/build_facts.hpp
  COMMENT "" VERBATIM)
add_dependencies(lacuna_experiments_objects lacuna_build_facts)
target_include_directories(lacuna_experiments_objects PRIVATE ${build_facts_dir})
