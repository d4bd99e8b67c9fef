// A dataset of any size, a few MiB at a time, in row-major order.
#pragma once

#include <cstdint>
#include <vector>

namespace lacuna::hdf5 {

/// Slabs of at most 8 MiB that together are the whole: whole planes of the innermost dimensions that fit, a range of
/// the next one out.
class SlabBlocks {
 public:
  /// `extents` outermost first; empty = a scalar, one block.
  SlabBlocks(std::vector<std::int64_t> extents, std::int64_t element_bytes);

  bool done() const { return done_; }
  const std::vector<std::int64_t>& start() const { return start_; }
  std::vector<std::int64_t> count() const;
  void next();

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> block_;
  bool done_ = false;
};

}  // namespace lacuna::hdf5
