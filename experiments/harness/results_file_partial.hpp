// FILE.partial: what a results file is called until it is complete, locked against a second writer.
#pragma once

#include <filesystem>

namespace lacuna {

/// Owns FILE.partial and the lock on it. The lock (flock) is the process's: it ends with it, however it ends.
class PartialFile {
 public:
  /// Creates FILE.partial empty. Throws EnvironmentError: FILE exists and !force, FILE is no regular file, the
  /// directory is missing (`results` in the current one is created) or cannot be written, another process holds the
  /// lock.
  PartialFile(std::filesystem::path file, bool force);
  /// Removes FILE.partial unless it was published.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  static std::filesystem::path path_of(const std::filesystem::path& file);
  /// Whether a live process has `file` under way.
  static bool is_being_written(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }
  const std::filesystem::path& partial() const { return partial_; }

  /// Forces the bytes to the disk. Throws EnvironmentError when that fails.
  void sync() const;
  /// sync(), then FILE.partial becomes FILE, in one step, and the lock is released. A FILE that another process made
  /// meanwhile is not replaced unless `force` was given: the finished FILE.partial then stays, and the EnvironmentError
  /// says so.
  void publish();

 private:
  void lock();

  std::filesystem::path file_;
  std::filesystem::path partial_;
  bool force_;
  bool keep_ = false;
  int fd_ = -1;
};

}  // namespace lacuna
