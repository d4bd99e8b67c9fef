#include "data/base/readable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"
#include "data/base/file_identity.hpp"

namespace lacuna {

ReadableFile::ReadableFile(const std::string& file) : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) {
    const int error = errno;
    if (fd_ >= 0) ::close(fd_);
    throw EnvironmentError(fmt::format("cannot be opened: {}", std::strerror(error)));
  }
  bytes_ = status.st_size;
}

ReadableFile::~ReadableFile() { ::close(fd_); }

void ReadableFile::read_at(std::int64_t offset, void* data, std::int64_t bytes) const {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::pread(fd_, at, static_cast<std::size_t>(bytes), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw EnvironmentError(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (count == 0) throw InputError("truncated while it was read");
    at += count;
    offset += count;
    bytes -= count;
  }
}

std::string read_whole(const std::string& file, std::int64_t most) {
  const FileIdentity found = identify(file);
  if (found.bytes > most)
    throw InputError(fmt::format("{}: {} bytes; at most {} are read of such a file", file, found.bytes, most));
  std::string content(static_cast<std::size_t>(found.bytes), '\0');
  try {
    ReadableFile(file).read_at(0, content.data(), found.bytes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{}: {}", file, error.what()));
  }
  return content;
}

}  // namespace lacuna
