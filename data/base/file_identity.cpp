#include "data/base/file_identity.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"
#include "data/base/file_type.hpp"

namespace lacuna {

FileIdentity identify(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    const int error = errno;
    const std::string message = fmt::format("{}: {}", file.string(), std::strerror(error));
    if (error == ENOENT || error == ENOTDIR) throw InputError(message);
    throw EnvironmentError(message);
  }
  if (!S_ISREG(status.st_mode))
    throw InputError(fmt::format("{}: not a regular file but {}", file.string(), file_type_name(status.st_mode)));
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .bytes = status.st_size,
          .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

void check_unchanged(const std::filesystem::path& file, const FileIdentity& opened) {
  if (!(identify(file) == opened)) throw InputError(fmt::format("{}: changed since it was opened", file.string()));
}

}  // namespace lacuna
