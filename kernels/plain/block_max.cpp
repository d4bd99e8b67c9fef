#include <algorithm>

#include "kernels/plain/loops.hpp"

namespace lacuna::kernels::plain {

void block_max(const BlockMaxParams& params) {
  for (Index first = 0, b = 0; first < params.n; first += params.block_size, ++b) {
    const Index end = std::min(first + params.block_size, params.n);
    params.block_max[b] = *std::max_element(params.s + first, params.s + end);
  }
}

}  // namespace lacuna::kernels::plain
