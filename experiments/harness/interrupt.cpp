#include "experiments/harness/interrupt.hpp"

#include <signal.h>
#include <time.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "core/base/error.hpp"
#include "experiments/harness/early_end.hpp"

namespace lacuna {
namespace {

std::atomic<int> stop_signal{0};
std::mutex end_mutex;       // of how the process ends
bool work_is_done = false;  // guarded by end_mutex

constexpr timespec kTimeToStop{0, 700'000'000};

ExitCode code_of(int signal) { return signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated; }

/// The signals among those that are not ignored.
sigset_t stopping_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN || signal == SIGINT) sigaddset(&signals, signal);
  }
  return signals;
}

void wait_for_signals(const sigset_t& signals) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  stop_signal = signal;
  sigtimedwait(&signals, nullptr, &kTimeToStop);  // a second one, or the time is over
  const std::lock_guard lock(end_mutex);
  if (!work_is_done) early_end::end_process(static_cast<int>(code_of(signal)));
}

}  // namespace

void watch_for_interrupts() {
  const sigset_t signals = stopping_signals();
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);  // a shell ignores it for what runs in the background; waited for all the same
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(wait_for_signals, signals).detach();
}

void ignore_interrupts() {
  const std::lock_guard lock(end_mutex);
  work_is_done = true;
}

void check_for_interrupt() {
  if (const int signal = stop_signal) throw Error(code_of(signal), "interrupted");
}

}  // namespace lacuna
