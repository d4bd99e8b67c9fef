#include "experiments/harness/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

std::atomic<int> stop_signal{0};

extern "C" void remember_signal(int signal) {
  int none = 0;
  if (!stop_signal.compare_exchange_strong(none, signal)) _exit(128 + signal);
}

}  // namespace

void watch_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

void check_for_interrupt() {
  if (const int signal = stop_signal)
    throw Error(signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated, "interrupted: nothing was written");
}

}  // namespace lacuna
