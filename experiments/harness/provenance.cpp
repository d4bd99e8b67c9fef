#include "experiments/harness/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/utsname.h>

#include <H5public.h>
#include <boost/version.hpp>

#include <chrono>

#include "core/metrics/metric_version.hpp"
#include "data/hdf5/error.hpp"
#include "experiments/build_facts.hpp"  // generated: revision, flags

namespace lacuna {
namespace {

std::string hdf5_version() {
  hdf5::prepare();  // any call starts the library: never without its clean-up at exit switched off
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace

std::string version_text() {
  return fmt::format("lacuna {} (revision {}, metric version {})", LACUNA_VERSION, LACUNA_GIT_REVISION, kMetricVersion);
}

std::vector<std::pair<std::string, std::string>> build_facts() {
  return {{"lacuna_version", LACUNA_VERSION},
          {"git_revision", LACUNA_GIT_REVISION},
          {"metric_version", fmt::format("{}", kMetricVersion)},
          {"compiler", LACUNA_COMPILER},
          {"flags", LACUNA_FLAGS},
          {"simd", LACUNA_SIMD},
          {"hdf5_version", hdf5_version()},
          {"fmt_version", fmt::format("{}", FMT_VERSION)},
          {"boost_version", BOOST_LIB_VERSION},
          {"openssl_version", OpenSSL_version(OPENSSL_VERSION)}};
}

std::vector<std::pair<std::string, std::string>> host_facts() {
  utsname system{};
  if (uname(&system) != 0) return {};
  return {{"host", system.nodename},
          {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)}};
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())); }

}  // namespace lacuna
