#include "experiments/harness/journal_frame.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/crc.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they stand in memory");

constexpr std::size_t kSearchedBytes = std::size_t{1} << 20;  // at a time

std::uint32_t crc32(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T get(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct FrameHead {
  std::uint64_t length = 0;
  std::uint64_t number = 0;
  std::uint32_t crc = 0;
};

/// What the first bytes say, if they are the head of a frame.
std::optional<FrameHead> head_of(std::string_view bytes) {
  constexpr std::size_t checked = kFrameHeadBytes - sizeof(std::uint32_t);
  if (bytes.size() < kFrameHeadBytes || !bytes.starts_with(kFrameMarker)) return std::nullopt;
  if (get<std::uint32_t>(bytes, checked) != crc32(bytes.substr(0, checked))) return std::nullopt;
  return FrameHead{.length = get<std::uint64_t>(bytes, 8),
                   .number = get<std::uint64_t>(bytes, 16),
                   .crc = get<std::uint32_t>(bytes, 24)};
}

std::uint64_t size_of(int fd, const std::filesystem::path& file) {
  struct stat status {};
  if (::fstat(fd, &status) != 0)
    throw EnvironmentError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  return static_cast<std::uint64_t>(status.st_size);
}

/// Whether the head of a frame stands anywhere in [offset, size).
bool is_followed_by_a_frame(int fd, const std::filesystem::path& file, std::uint64_t offset, std::uint64_t size) {
  for (; offset < size; offset += kSearchedBytes) {
    const std::string bytes = read_at(fd, file, offset, kSearchedBytes + kFrameHeadBytes);
    for (std::size_t at = bytes.find(kFrameMarker); at != std::string::npos; at = bytes.find(kFrameMarker, at + 1))
      if (head_of(std::string_view(bytes).substr(at))) return true;
  }
  return false;
}

}  // namespace

std::string frame_of(std::uint64_t number, std::string_view payload) {
  std::string bytes(kFrameMarker);
  put(bytes, static_cast<std::uint64_t>(payload.size()));
  put(bytes, number);
  put(bytes, crc32(payload));
  put(bytes, crc32(bytes));
  return bytes.append(payload);
}

std::string read_at(int fd, const std::filesystem::path& file, std::uint64_t offset, std::uint64_t bytes) {
  std::string result(bytes, '\0');
  std::size_t done = 0;
  while (done < result.size()) {
    const ssize_t count = ::pread(fd, result.data() + done, result.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw EnvironmentError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  result.resize(done);
  return result;
}

ScannedFrames scan_frames(int fd, const std::filesystem::path& file,
                          const std::function<void(std::uint64_t, std::string_view)>& take) {
  const std::uint64_t size = size_of(fd, file);
  const std::string begin = read_at(fd, file, 0, kFrameMarker.size());
  if (!kFrameMarker.starts_with(begin)) throw EnvironmentError(fmt::format("{}: is not a journal", file.string()));
  ScannedFrames scanned;
  while (scanned.sound_bytes < size) {
    const std::uint64_t at = scanned.sound_bytes;
    const std::optional<FrameHead> head = head_of(read_at(fd, file, at, kFrameHeadBytes));
    if (head && head->number == scanned.frames && head->length <= size - at - kFrameHeadBytes) {
      const std::string payload = read_at(fd, file, at + kFrameHeadBytes, head->length);
      if (payload.size() == head->length && crc32(payload) == head->crc) {
        take(at + kFrameHeadBytes, payload);
        scanned.sound_bytes += kFrameHeadBytes + head->length;
        ++scanned.frames;
        continue;
      }
    }
    if (is_followed_by_a_frame(fd, file, at + 1, size) || (head && head->number != scanned.frames))
      throw EnvironmentError(fmt::format("{}: is damaged at byte {}", file.string(), at));
    scanned.torn_bytes = size - at;
    break;
  }
  return scanned;
}

}  // namespace lacuna
