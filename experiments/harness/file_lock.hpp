// A lock on an open file that is the process's: it ends with the process, however it ends.
#pragma once

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace lacuna {

/// Whether the file is now locked by this process. A holder that was just killed has its lock until the kernel has
/// ended it: half a second is waited for that. A file system without locks (ENOLCK, ENOSYS, EOPNOTSUPP) counts as
/// locked and leaves two writers to their users.
inline bool lock_file(int fd) {
  using namespace std::chrono_literals;
  for (const auto end = std::chrono::steady_clock::now() + 500ms; ::flock(fd, LOCK_EX | LOCK_NB) != 0;) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

}  // namespace lacuna
