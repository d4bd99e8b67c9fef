#include "data/hdf5/slab_blocks.hpp"

#include <algorithm>
#include <utility>

namespace lacuna::hdf5 {
namespace {

constexpr std::int64_t block_bytes = std::int64_t{8} << 20;

}  // namespace

SlabBlocks::SlabBlocks(std::vector<std::int64_t> extents, std::int64_t element_bytes)
    : extents_(std::move(extents)), start_(extents_.size(), 0), block_(extents_.size(), 1) {
  std::int64_t fits = std::max<std::int64_t>(1, block_bytes / element_bytes);
  for (std::size_t i = extents_.size(); i-- > 0 && fits > 1;) {
    block_[i] = std::min(extents_[i], fits);
    fits /= std::max<std::int64_t>(1, block_[i]);
    if (block_[i] < extents_[i]) break;
  }
  done_ = std::find(extents_.begin(), extents_.end(), 0) != extents_.end();
}

std::vector<std::int64_t> SlabBlocks::count() const {
  std::vector<std::int64_t> count(block_.size());
  for (std::size_t i = 0; i < count.size(); ++i) count[i] = std::min(block_[i], extents_[i] - start_[i]);
  return count;
}

void SlabBlocks::next() {
  for (std::size_t i = extents_.size(); i-- > 0;) {
    start_[i] += block_[i];
    if (start_[i] < extents_[i]) return;
    start_[i] = 0;
  }
  done_ = true;
}

}  // namespace lacuna::hdf5
