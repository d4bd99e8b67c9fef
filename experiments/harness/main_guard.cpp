#include "experiments/harness/main_guard.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "core/base/error.hpp"
#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/early_end.hpp"
#include "experiments/harness/interrupt.hpp"

namespace lacuna {
namespace {

/// To stderr; where that is closed or full the exit code has to speak alone.
void complain(const char* message) { std::fputs(message, stderr); }
void complain(const std::string& message) { complain(message.c_str()); }

/// What the run left, and how to go on.
void complain_about_rest() {
  if (const std::string rest = early_end::rest(); !rest.empty()) complain(rest + "\n");
}

/// Whether the reader of standard output is gone: `PROGRAM | head`.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int run(const std::function<int()>& work) {
  try {
    const int code = work();
    std::cout.flush();
    if (!std::cout && !reader_is_gone()) {
      complain("error: cannot write to standard output\n");
      return static_cast<int>(ExitCode::environment);
    }
    return code;
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted || error.code() == ExitCode::terminated) {
      complain(early_end::interrupted_message() + "\n");
      return static_cast<int>(error.code());
    }
    const bool is_complete = error.code() == ExitCode::usage || dynamic_cast<const LocatedError*>(&error) != nullptr;
    complain(fmt::format("{}{}\n", is_complete ? "" : "error: ", error.what()));
    complain_about_rest();
    if (error.code() == ExitCode::input && !early_end::rest().empty())
      complain("a changed input is another run: start that one with --force\n");
    return static_cast<int>(error.code());
  } catch (const std::system_error& error) {  // no thread to be had, a file system call that failed
    complain(fmt::format("error: {}\n", error.what()));
    complain_about_rest();
    return static_cast<int>(ExitCode::environment);
  } catch (const std::bad_alloc&) {
    complain("error: out of memory\n");
    complain_about_rest();
    return static_cast<int>(ExitCode::environment);
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}\n", error.what()));
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace

int guarded_main(const std::function<int()>& work) {
  watch_for_interrupts();
  signal(SIGXFSZ, SIG_IGN);  // a write over the file-size limit fails with EFBIG instead of killing the process
  signal(SIGPIPE, SIG_IGN);
  const int code = run(work);
  ignore_interrupts();
  return code;
}

}  // namespace lacuna
