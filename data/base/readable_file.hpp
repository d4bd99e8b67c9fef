// A file that is read at given places.
#pragma once

#include <cstdint>
#include <string>

namespace lacuna {

class ReadableFile {
 public:
  /// EnvironmentError, without the file's name, where it cannot be opened.
  explicit ReadableFile(const std::string& file);
  ~ReadableFile();
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;

  /// When it was opened.
  std::int64_t bytes() const { return bytes_; }
  /// All of [offset, offset + bytes). InputError where the file ends before, EnvironmentError where reading fails, both
  /// without the file's name.
  void read_at(std::int64_t offset, void* data, std::int64_t bytes) const;

 private:
  int fd_;
  std::int64_t bytes_ = 0;
};

/// The whole of a regular file of at most `most` bytes. InputError and EnvironmentError name it.
std::string read_whole(const std::string& file, std::int64_t most);

}  // namespace lacuna
