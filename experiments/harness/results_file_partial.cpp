#include "experiments/harness/results_file_partial.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "experiments/harness/early_end.hpp"
#include "experiments/harness/file_lock.hpp"

namespace lacuna {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw EnvironmentError(fmt::format("{}: {}", path.string(), what));
}

[[noreturn]] void fail_errno(const std::filesystem::path& path, const std::string& what) {
  fail(path, fmt::format("{}: {}", what, std::strerror(errno)));
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

void require_directory(const std::filesystem::path& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) fail(directory, "is not a directory");
    return;
  }
  if (errno != ENOENT) fail_errno(directory, "cannot be used as a directory");
  if (directory != "results") fail(directory, "no such directory");
  if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST) fail_errno(directory, "cannot be created");
}

/// Whether something has this name (a dangling link has).
bool is_taken(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

void require_free_name(const std::filesystem::path& file, bool force) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    fail(file, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
  if (is_taken(file) && !force) fail(file, "already exists (--force replaces it)");
}

void sync_directory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // a directory that can be written but not read; the file itself is synced
  const bool failed = ::fsync(fd) != 0 && errno != EINVAL && errno != EROFS;  // not every file system offers it
  const int error = errno;
  ::close(fd);
  errno = error;
  if (failed) fail_errno(directory, "cannot be synced");
}

/// Renames without replacing; false when the new name exists.
bool rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS) fail_errno(from, "cannot be renamed");
  // the file system does not know that kind of renaming
  if (is_taken(to)) return false;
  if (::rename(from.c_str(), to.c_str()) != 0) fail_errno(from, "cannot be renamed");
  return true;
}

}  // namespace

PartialFile::PartialFile(std::filesystem::path file, bool force)
    : file_(std::move(file)), partial_(path_of(file_)), force_(force) {
  if (!file_.has_filename()) fail(file_, "is not the name of a file");
  require_directory(directory_of(file_));
  require_free_name(file_, force_);
  lock();
}

std::filesystem::path PartialFile::path_of(const std::filesystem::path& file) { return file.string() + ".partial"; }

bool PartialFile::is_being_written(const std::filesystem::path& file) {
  const int fd = ::open(path_of(file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

PartialFile::~PartialFile() {
  // Only then is the lock released: the name is removed while it is still ours.
  early_end::keep(partial_, [&] {
    if (!keep_) ::unlink(partial_.c_str());
  });
  if (fd_ >= 0) ::close(fd_);
}

void PartialFile::lock() {
  while (true) {
    fd_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd_ < 0) fail_errno(partial_, "cannot be created");
    struct stat opened {};
    struct stat named {};
    if (::fstat(fd_, &opened) != 0 || !S_ISREG(opened.st_mode)) {
      ::close(fd_);
      fail(partial_, "is not a regular file");
    }
    if (!lock_file(fd_)) {
      ::close(fd_);
      fail(partial_, "another process is writing it");
    }
    // Between open and flock its last owner may have renamed or removed it: then the name stands for another file.
    const bool is_named =
        ::stat(partial_.c_str(), &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
    if (is_named) break;
    ::close(fd_);
  }
  if (::ftruncate(fd_, 0) != 0) {
    const int error = errno;
    ::close(fd_);
    errno = error;
    fail_errno(partial_, "cannot be emptied");
  }
  early_end::remove_at_end(partial_);
}

void PartialFile::sync() const {
  if (::fsync(fd_) != 0) fail_errno(partial_, "cannot be written to the disk");
}

void PartialFile::publish() {
  sync();
  early_end::keep(partial_, [&] {
    if (force_) {
      if (::rename(partial_.c_str(), file_.c_str()) != 0) fail_errno(partial_, "cannot be renamed");
    } else if (!rename_to_free_name(partial_, file_)) {
      keep_ = true;
      fail(file_,
           fmt::format("was made by another process meanwhile; the results are complete in {}", partial_.string()));
    }
    keep_ = true;
  });
  ::close(std::exchange(fd_, -1));  // readers lock files too
  sync_directory(directory_of(file_));
}

}  // namespace lacuna
