// Frames: how an append-only file survives being cut or damaged anywhere.
//
//   frame = marker [8] | length u64 | number u64 | CRC-32 of the payload u32 | CRC-32 of these 28 bytes u32 | payload
//
// Integers are little-endian; numbers count 0, 1, 2, ... . A frame is on the disk before the next one is written, so
// that a crash or a power loss can tear the last frame alone: what cannot be read at the end of the file is a torn
// tail. Where a sound frame follows it is damage.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace lacuna {

/// What a frame, and so a journal, begins with.
inline constexpr std::string_view kFrameMarker{"\x89Lacuna\n", 8};
inline constexpr std::size_t kFrameHeadBytes = 8 + 8 + 8 + 4 + 4;

/// The bytes of a frame.
std::string frame_of(std::uint64_t number, std::string_view payload);

struct ScannedFrames {
  std::uint64_t frames = 0;       ///< sound ones
  std::uint64_t sound_bytes = 0;  ///< of the file, up to the end of the last sound frame
  std::uint64_t torn_bytes = 0;   ///< behind them
};

/// Reads the open file `fd` from its beginning and calls take(offset of the payload in the file, payload) for each
/// frame in order. `file` is what messages name. Throws EnvironmentError when the file cannot be read, is damaged
/// before its end, or does not begin as a frame does.
ScannedFrames scan_frames(int fd, const std::filesystem::path& file,
                          const std::function<void(std::uint64_t, std::string_view)>& take);

/// Reads `bytes` bytes at `offset`; fewer at the end of the file. Throws EnvironmentError naming `file`.
std::string read_at(int fd, const std::filesystem::path& file, std::uint64_t offset, std::uint64_t bytes);

}  // namespace lacuna
