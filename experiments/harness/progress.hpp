// Progress on stderr: a bar with rate and time left on a terminal, a plain line every few seconds elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace lacuna {

class Progress {
 public:
  /// `unit` names what is counted: "queries".
  Progress(std::int64_t total, std::string unit, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Thread-safe.
  void advance(std::int64_t by = 1);
  /// What is done without having been worked on: counts, but not for the rate.
  void skip(std::int64_t by) {
    skipped_ += by;
    done_ += by;
  }

 private:
  using Clock = std::chrono::steady_clock;
  void print(std::int64_t done);

  std::int64_t total_;
  std::string unit_;
  bool quiet_;
  bool terminal_;
  Clock::time_point start_;
  Clock::time_point last_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> skipped_{0};
  std::mutex mutex_;
  bool line_open_ = false;
};

}  // namespace lacuna
