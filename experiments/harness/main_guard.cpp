#include "experiments/harness/main_guard.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "core/base/error.hpp"
#include "experiments/harness/interrupt.hpp"

namespace lacuna {
namespace {

/// To stderr; where that is closed or full the exit code has to speak alone.
void complain(const char* message) { std::fputs(message, stderr); }
void complain(const std::string& message) { complain(message.c_str()); }

}  // namespace

int guarded_main(const std::function<int()>& work) {
  watch_for_interrupts();
  signal(SIGXFSZ, SIG_IGN);  // a write over the file-size limit fails with EFBIG instead of killing the process
  signal(SIGPIPE, SIG_IGN);
  try {
    const int code = work();
    std::cout.flush();
    if (!std::cout) {
      complain("error: cannot write to standard output\n");
      return static_cast<int>(ExitCode::environment);
    }
    return code;
  } catch (const Error& error) {
    complain(fmt::format("{}{}\n", error.code() == ExitCode::usage ? "" : "error: ", error.what()));
    return static_cast<int>(error.code());
  } catch (const std::system_error& error) {  // no thread to be had, a file system call that failed
    complain(fmt::format("error: {}\n", error.what()));
    return static_cast<int>(ExitCode::environment);
  } catch (const std::bad_alloc&) {
    complain("error: out of memory\n");
    return static_cast<int>(ExitCode::environment);
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}\n", error.what()));
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace lacuna
