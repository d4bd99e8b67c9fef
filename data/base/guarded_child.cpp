#include "data/base/guarded_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

constexpr int silence_ms = 120'000;            // a child that sends nothing for so long hangs
constexpr std::size_t max_message = 64 << 10;  // of an error, bytes
constexpr std::size_t max_frame = std::size_t{1} << 20;

enum class FrameKind : std::uint64_t { data, end, input_error, environment_error, internal_error };

struct FrameHeader {
  FrameKind kind = FrameKind::data;
  std::uint64_t bytes = 0;
};

/// Writes all bytes, or ends the process: without a parent that listens there is nothing to do.
void send(int fd, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::write(fd, at, bytes);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) ::_exit(1);
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void send_frame(int fd, FrameKind kind, const void* data, std::size_t bytes) {
  const FrameHeader header{kind, bytes};
  send(fd, &header, sizeof header);
  send(fd, data, bytes);
}

void send_message(int fd, FrameKind kind, std::string_view message) {
  send_frame(fd, kind, message.data(), std::min(message.size(), max_message));
}

void set_limit(__rlimit_resource resource, std::int64_t value) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  // the soft limit is the one that is felt: at the hard limit of processor time the signal is SIGKILL, which tells less
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(value));
  limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(value) + 1);
  ::setrlimit(resource, &limit);
}

/// Address space of this process in bytes, -1 when unknown.
std::int64_t address_space() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return -1;
  long long pages = -1;
  if (std::fscanf(file, "%lld", &pages) != 1) pages = -1;
  std::fclose(file);
  return pages < 0 ? -1 : pages * ::sysconf(_SC_PAGESIZE);
}

/// What the child is before it runs foreign bytes: bound to its parent, silent, alone, limited.
/// Returns the descriptor that takes the place of `pipe`, its end of the pipe.
int confine(const ChildLimits& limits, std::int64_t parent_address_space, pid_t parent, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::prctl(PR_SET_DUMPABLE, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);  // the parent decides
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE}) ::signal(signal, SIG_DFL);
  const int fd = ::fcntl(pipe, F_DUPFD, 3);  // it may be a standard stream that the parent was started without
  if (fd < 0) ::_exit(1);
  const int null = ::open("/dev/null", O_WRONLY);
  if (null >= 0) ::dup2(null, STDERR_FILENO);  // "free(): invalid pointer" says nothing to a user
  // Locks and files of the parent must not live on in here.
  if (fd > 3) ::close_range(3, static_cast<unsigned>(fd - 1), 0);
  ::close_range(static_cast<unsigned>(fd + 1), ~0U, 0);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 0);
  set_limit(RLIMIT_CPU, limits.cpu_seconds);
  std::int64_t space = 0;
  if (parent_address_space >= 0 && !__builtin_add_overflow(parent_address_space, limits.memory_bytes, &space))
    set_limit(RLIMIT_AS, space);
  return fd;
}

[[noreturn]] void run_child(int fd, const std::function<void(ChildOutput&)>& work) {
  try {
    ChildOutput output(fd);
    work(output);
    send_frame(fd, FrameKind::end, nullptr, 0);
  } catch (const InputError& error) {
    send_message(fd, FrameKind::input_error, error.what());
  } catch (const EnvironmentError& error) {
    send_message(fd, FrameKind::environment_error, error.what());
  } catch (const std::bad_alloc&) {
    send_message(fd, FrameKind::input_error, "reading it takes more memory than a file of its size may ask for");
  } catch (const std::exception& error) {
    send_message(fd, FrameKind::internal_error, error.what());
  }
  ::_exit(0);
}

std::string errno_text() { return std::strerror(errno); }

}  // namespace

void ChildOutput::write(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const std::size_t size = std::min(bytes, max_frame);
    send_frame(fd_, FrameKind::data, at, size);
    at += size;
    bytes -= size;
  }
}

void ChildOutput::write_text(std::string_view text) {
  write_integer(static_cast<std::int64_t>(text.size()));
  write(text.data(), text.size());
}

void ChildOutput::write_integers(std::span<const std::int64_t> values) {
  write_integer(static_cast<std::int64_t>(values.size()));
  write(values.data(), values.size_bytes());
}

void ChildOutput::write_reals(std::span<const double> values) {
  write_integer(static_cast<std::int64_t>(values.size()));
  write(values.data(), values.size_bytes());
}

GuardedChild::GuardedChild(std::string file, const ChildLimits& limits, const std::function<void(ChildOutput&)>& work)
    : file_(std::move(file)), limits_(limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw EnvironmentError(fmt::format("{}: no pipe to a reading process: {}", file_, errno_text()));
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // a wish: the default is 64 KiB
  const std::int64_t space = address_space();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    const int fd = confine(limits_, space, parent, ends[1]);
    run_child(fd, work);
  }
  const int error = errno;
  ::close(ends[1]);
  fd_ = ends[0];
  if (pid_ < 0) {
    ::close(fd_);
    throw EnvironmentError(fmt::format("{}: no reading process: {}", file_, std::strerror(error)));
  }
}

GuardedChild::~GuardedChild() {
  ::close(fd_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void GuardedChild::receive(void* data, std::size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    pollfd wait{fd_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, silence_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) throw EnvironmentError(fmt::format("{}: waiting for its reader failed: {}", file_, errno_text()));
    if (ready == 0)
      throw EnvironmentError(fmt::format("{}: no progress in reading it for {} s", file_, silence_ms / 1000));
    const ssize_t count = ::read(fd_, at, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw EnvironmentError(fmt::format("{}: reading from its reader failed: {}", file_, errno_text()));
    if (count == 0) throw_how_it_ended();
    at += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

void GuardedChild::throw_how_it_ended() {
  int status = 0;
  const pid_t pid = pid_;
  pid_ = -1;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw InputError(fmt::format("{}: damaged: reading it took more than {} s", file_, limits_.cpu_seconds));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    throw EnvironmentError(fmt::format("{}: the process that read it was killed (out of memory?)", file_));
  if (WIFSIGNALED(status))
    throw InputError(fmt::format("{}: damaged: its reader crashed ({})", file_, ::strsignal(WTERMSIG(status))));
  throw InputError(fmt::format("{}: damaged: its reader ended early (status {})", file_, WEXITSTATUS(status)));
}

void GuardedChild::next_frame() {
  FrameHeader header;
  receive(&header, sizeof header);
  switch (header.kind) {
    case FrameKind::data:
      if (header.bytes == 0 || header.bytes > max_frame) break;
      left_in_frame_ = header.bytes;
      return;
    case FrameKind::end:
      ended_ = true;
      return;
    case FrameKind::input_error:
    case FrameKind::environment_error:
    case FrameKind::internal_error: {
      if (header.bytes > max_message) break;
      std::string message(header.bytes, '\0');
      receive(message.data(), message.size());
      message = fmt::format("{}: {}", file_, message);
      if (header.kind == FrameKind::input_error) throw InputError(message);
      if (header.kind == FrameKind::environment_error) throw EnvironmentError(message);
      throw InternalError(message);
    }
  }
  throw InputError(fmt::format("{}: damaged: its reader sends nonsense", file_));
}

std::size_t GuardedChild::read_some(void* data, std::size_t bytes) {
  while (left_in_frame_ == 0 && !ended_) next_frame();
  if (ended_) return 0;
  const std::size_t size = std::min(bytes, left_in_frame_);
  receive(data, size);
  left_in_frame_ -= size;
  return size;
}

void GuardedChild::read(void* data, std::size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const std::size_t size = read_some(at, bytes);
    if (size == 0) throw InputError(fmt::format("{}: damaged: its reader sent too little", file_));
    at += size;
    bytes -= size;
  }
}

std::int64_t GuardedChild::read_integer() {
  std::int64_t value = 0;
  read(&value, sizeof value);
  return value;
}

double GuardedChild::read_real() {
  double value = 0;
  read(&value, sizeof value);
  return value;
}

std::size_t GuardedChild::read_size(std::size_t max_size) {
  const std::int64_t size = read_integer();
  if (size < 0 || static_cast<std::size_t>(size) > max_size)
    throw InputError(
        fmt::format("{}: damaged: a list of {} entries where at most {} are expected", file_, size, max_size));
  return static_cast<std::size_t>(size);
}

std::string GuardedChild::read_text(std::size_t max_size) {
  std::string text(read_size(max_size), '\0');
  read(text.data(), text.size());
  return text;
}

std::vector<std::int64_t> GuardedChild::read_integers(std::size_t max_size) {
  std::vector<std::int64_t> values(read_size(max_size));
  read(values.data(), values.size() * sizeof(std::int64_t));
  return values;
}

std::vector<double> GuardedChild::read_reals(std::size_t max_size) {
  std::vector<double> values(read_size(max_size));
  read(values.data(), values.size() * sizeof(double));
  return values;
}

void GuardedChild::finish() {
  if (!ended_ && left_in_frame_ == 0) next_frame();
  if (!ended_) throw InputError(fmt::format("{}: damaged: its reader sends more than the file announced", file_));
}

}  // namespace lacuna
