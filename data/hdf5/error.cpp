#include "data/hdf5/error.hpp"

#include <algorithm>
#include <string>

#include "data/hdf5/api.hpp"

namespace lacuna::hdf5 {
namespace {

/// "file write failed: time = ..., errno = 28, error message = 'No space left on device', buf = 0x55..." without what
/// only a debugger can use: "file write failed: No space left on device".
std::string shortened(std::string text) {
  constexpr std::string_view key = "error message = '";
  const std::size_t begin = text.find(key);
  const std::size_t end = begin == std::string::npos ? begin : text.find('\'', begin + key.size());
  const std::size_t colon = text.find(':');
  if (end != std::string::npos && colon < begin)
    text = text.substr(0, colon + 2) + text.substr(begin + key.size(), end - begin - key.size());
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The innermost entry of the error stack: where the failure happened.
std::string innermost_error() {
  std::string text;
  const auto keep_first = [](unsigned, const H5E_error2_t* entry, void* result) -> herr_t {
    std::string& out = *static_cast<std::string*>(result);
    if (out.empty() && entry->desc != nullptr) out = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  if (text.empty()) return "the HDF5 library gives no reason";
  return shortened(text);
}

}  // namespace

void prepare() {
  static const bool once = [] {
    H5dont_atexit();
    return true;
  }();
  static_cast<void>(once);
  thread_local const bool silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(silent);
}

std::int64_t checked(std::int64_t code, std::string_view verb, std::string_view name) {
  if (code < 0) throw Hdf5Error(fmt::format("cannot {} {}: {}", verb, name, innermost_error()));
  return code;
}

}  // namespace lacuna::hdf5
