#include "experiments/harness/main_guard.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <iostream>
#include <new>

#include "core/base/error.hpp"
#include "experiments/harness/interrupt.hpp"

namespace lacuna {

int guarded_main(const std::function<int()>& work) {
  watch_for_interrupts();
  signal(SIGXFSZ, SIG_IGN);  // a write over the file-size limit fails with EFBIG instead of killing the process
  signal(SIGPIPE, SIG_IGN);
  try {
    const int code = work();
    std::cout.flush();
    if (!std::cout) {
      fmt::print(stderr, "error: cannot write to standard output\n");
      return static_cast<int>(ExitCode::environment);
    }
    return code;
  } catch (const Error& error) {
    fmt::print(stderr, "{}{}\n", error.code() == ExitCode::usage ? "" : "error: ", error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: out of memory\n");
    return static_cast<int>(ExitCode::environment);
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\n", error.what());
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace lacuna
