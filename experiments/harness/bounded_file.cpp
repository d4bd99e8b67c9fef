#include "experiments/harness/bounded_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"
#include "data/base/file_type.hpp"

namespace lacuna {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::string read_bounded_file(const std::filesystem::path& file, std::size_t max_bytes) {
  const std::string name = file.string();
  // Asked before opening: opening a pipe waits for its writer, and opening a device can have effects.
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0) throw UsageError(fmt::format("{}: error: {}", name, std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    throw UsageError(fmt::format("{}: error: not a regular file but {}", name, file_type_name(status.st_mode)));

  const Descriptor descriptor(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0)
    throw EnvironmentError(fmt::format("{}: error: cannot be opened: {}", name, std::strerror(errno)));

  // The size that stat reports is not relied on: /proc and growing files have another one.
  std::string bytes;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw EnvironmentError(fmt::format("{}: error: cannot be read: {}", name, std::strerror(errno)));
    if (count == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (bytes.size() > max_bytes) throw UsageError(fmt::format("{}: error: larger than {} bytes", name, max_bytes));
  }
}

}  // namespace lacuna
