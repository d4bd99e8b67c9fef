// Reading what others wrote with a library that a damaged file can crash: in a forked child with limits.
//
// The child sends bytes through a pipe; a crash, a hang or a huge allocation there becomes an exception here. Calls of
// fork from a process with other threads are sound as long as none of those threads is inside the library that the
// child uses (HDF5 keeps one global lock, which the child would inherit held) at that moment: the C library makes its
// own allocator safe across fork, and the child runs `work`, nothing else, and ends with _exit.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

struct ChildLimits {
  std::int64_t memory_bytes = std::int64_t{1} << 30;  ///< address space on top of what the parent has
  std::int64_t cpu_seconds = 60;
};

/// The child's end of the pipe.
class ChildOutput {
 public:
  explicit ChildOutput(int fd) : fd_(fd) {}
  void write(const void* data, std::size_t bytes);
  void write_integer(std::int64_t value) { write(&value, sizeof value); }
  void write_real(double value) { write(&value, sizeof value); }
  void write_text(std::string_view text);
  void write_integers(std::span<const std::int64_t> values);
  void write_reals(std::span<const double> values);

 private:
  int fd_;
};

class GuardedChild {
 public:
  /// Forks, and runs `work` in the child. `file` is what messages name. An Error that `work` throws is thrown again by
  /// the call here that waits for its output, as "<file>: <message>": InputError and EnvironmentError as themselves.
  /// Throws EnvironmentError when no child can be had.
  GuardedChild(std::string file, const ChildLimits& limits, const std::function<void(ChildOutput&)>& work);
  /// Kills the child if it still runs.
  ~GuardedChild();
  GuardedChild(const GuardedChild&) = delete;
  GuardedChild& operator=(const GuardedChild&) = delete;

  /// The next bytes of the child's output. Throws InputError when the child crashed, reached a limit or sent less.
  void read(void* data, std::size_t bytes);
  /// Between 1 and `bytes` of the next bytes, as many as there are; 0 when the child ended as it should.
  std::size_t read_some(void* data, std::size_t bytes);
  std::int64_t read_integer();
  double read_real();
  /// Texts and lists whose length the child sends first; longer than `max_size` is an InputError.
  std::string read_text(std::size_t max_size);
  std::vector<std::int64_t> read_integers(std::size_t max_size);
  std::vector<double> read_reals(std::size_t max_size);
  /// Waits for the child's end; throws as `read` does, also when the child sent more than was read.
  void finish();

 private:
  void receive(void* data, std::size_t bytes);
  void next_frame();
  [[noreturn]] void throw_how_it_ended();
  std::size_t read_size(std::size_t max_size);

  std::string file_;
  ChildLimits limits_;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::size_t left_in_frame_ = 0;
  bool ended_ = false;
};

}  // namespace lacuna
