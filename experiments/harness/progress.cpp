#include "experiments/harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace lacuna {
namespace {

bool stderr_is_capable_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::string duration(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

/// To stderr; where that is closed or full there is no progress to see, and the work goes on.
void write(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::int64_t total, std::string unit, bool quiet)
    : total_(total),
      unit_(std::move(unit)),
      quiet_(quiet),
      terminal_(stderr_is_capable_terminal()),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (line_open_) std::fputc('\n', stderr);
}

void Progress::advance(std::int64_t by) {
  const std::int64_t done = done_ += by;
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const auto interval = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (now - last_ < interval && done < total_) return;
  last_ = now;
  print(done);
}

void Progress::print(std::int64_t done) {
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const double share = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1;
  const double rate = elapsed > 0 ? static_cast<double>(done - skipped_) / elapsed : 0;
  const std::string left = rate > 0 ? duration(static_cast<double>(total_ - done) / rate) : "?";
  const std::string facts = fmt::format("{}/{} {}, {:.4g}/s, {} left", done, total_, unit_, rate, left);
  if (terminal_) {
    constexpr int width = 30;
    const int filled = static_cast<int>(share * width);
    write(fmt::format("\r[{:=<{}}{:<{}}] {}\x1b[K", "", filled, "", width - filled, facts));
    line_open_ = true;
  } else {
    write(fmt::format("progress: {:.0f} % ({})\n", 100 * share, facts));
  }
}

}  // namespace lacuna
