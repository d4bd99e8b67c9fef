#include "data/hdf5/signature.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/base/error.hpp"

namespace lacuna::hdf5 {

bool has_signature(const std::string& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw EnvironmentError(fmt::format("{}: cannot be opened: {}", file, std::strerror(errno)));
  bool found = false;
  for (off_t offset = 0; !found && offset <= 1 << 20; offset = offset == 0 ? 512 : 2 * offset) {
    std::array<char, 8> bytes{};
    if (::pread(fd, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) break;
    found = std::string_view(bytes.data(), bytes.size()) == signature;
  }
  ::close(fd);
  return found;
}

}  // namespace lacuna::hdf5
