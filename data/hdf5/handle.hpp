// Ownership of an HDF5 identifier.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace lacuna::hdf5 {

/// Owns one identifier: a file, group, dataset, attribute, type, dataspace or property list.
class Handle {
 public:
  Handle() = default;
  /// Takes what a call of the library returned; throws Hdf5Error "cannot <verb> <name>: ..." when that is a failure.
  Handle(std::int64_t id, std::string_view verb, std::string_view name);
  /// Closes without a check: for what was only read, and on the way out of an error.
  ~Handle();
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }

  std::int64_t id() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  /// Closes, and throws Hdf5Error when that fails: closing is when buffered chunks are written.
  void close(std::string_view name);
  /// Gives up ownership without closing, for good: after a failed write every further call may crash.
  void abandon() { id_ = -1; }

 private:
  std::int64_t id_ = -1;
};

}  // namespace lacuna::hdf5
