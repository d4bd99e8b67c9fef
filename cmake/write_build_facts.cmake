set(revision "unknown")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE head RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(revision ${head})
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain OUTPUT_VARIABLE dirty ERROR_QUIET)
    if(dirty)
      string(APPEND revision "-dirty")
    endif()
  endif()
endif()
string(STRIP "${FLAGS}" FLAGS)
set(text "#pragma once
#define LACUNA_VERSION \"${VERSION}\"
#define LACUNA_GIT_REVISION \"${revision}\"
#define LACUNA_COMPILER \"${COMPILER}\"
#define LACUNA_FLAGS \"${FLAGS}\"
#define LACUNA_SIMD \"${SIMD}\"
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
