# Compiler flags of our own code: C++20, warnings as errors, floating point that means what it says.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(LACUNA_SANITIZE "" CACHE STRING "Sanitizers of every target: address,undefined or thread")

# The compensated sums need a hardware fma to be fast. x86-64-v3 has it; elsewhere the build works, slower.
include(CheckCXXSourceRuns)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(CMAKE_REQUIRED_FLAGS "-march=x86-64-v3")
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }"
    LACUNA_HAS_X86_64_V3)
  unset(CMAKE_REQUIRED_FLAGS)
endif()
if(LACUNA_HAS_X86_64_V3)
  set(lacuna_default_arch "x86-64-v3")
else()
  set(lacuna_default_arch "")
endif()
set(LACUNA_ARCH "${lacuna_default_arch}" CACHE STRING "Value of -march=; empty for the compiler's default")

add_library(lacuna_flags INTERFACE)
target_compile_options(lacuna_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wold-style-cast -Wcast-align -Wnull-dereference>
  # no contraction: an fma appears only where it is written, so that the error analysis covers what is computed
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(LACUNA_ARCH)
  target_compile_options(lacuna_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${LACUNA_ARCH}>)
endif()
if(LACUNA_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${LACUNA_SANITIZE}> $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${LACUNA_SANITIZE})
  # gcc 12 reports false null dereferences and uninitialised values under its own sanitizers
  target_compile_options(lacuna_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-null-dereference -Wno-maybe-uninitialized>)
endif()

find_program(LACUNA_CCACHE ccache)
if(LACUNA_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LACUNA_CCACHE})
endif()
