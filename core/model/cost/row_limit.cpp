#include "core/model/cost/row_limit.hpp"

namespace lacuna {

std::int64_t RowLimit::rows(Index n) const {
  if (n <= most) return n;
  return most - (block_size - n % block_size) % block_size;
}

std::int64_t RowLimit::sum(Index n) const {
  if (n <= 0) return 0;
  if (n <= most) return n * (n + 1) / 2;
  const Index blocks = (n - most) / block_size;
  const Index rest = (n - most) % block_size;
  return most * (most + 1) / 2 + most * (n - most) - blocks * (block_size * (block_size - 1) / 2) - rest * block_size +
         rest * (rest + 1) / 2;
}

std::int64_t RowLimit::sum_over_tokens(Index tokens, Index ratio) const {
  const Index last = tokens / ratio;
  return ratio * sum(last - 1) + (tokens - ratio * last + 1) * rows(last);
}

}  // namespace lacuna
