#include "data/base/available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace lacuna {
namespace {

std::optional<std::int64_t> of_the_kernel() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string word; meminfo >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "MemAvailable:" && meminfo >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

std::optional<std::int64_t> of_the_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  std::ifstream statm("/proc/self/statm");
  std::int64_t pages = 0;
  if (!(statm >> pages)) return std::nullopt;
  return std::max<std::int64_t>(static_cast<std::int64_t>(limit.rlim_cur) - pages * ::sysconf(_SC_PAGESIZE), 0);
}

}  // namespace

std::optional<std::int64_t> available_memory() {
  const std::optional<std::int64_t> limit = of_the_limit();
  const std::optional<std::int64_t> kernel = of_the_kernel();
  if (limit && kernel) return std::min(*limit, *kernel);
  return limit ? limit : kernel;
}

}  // namespace lacuna
