// The k-th largest score is the cut. Everything above it is chosen; of the scores equal to it, the first ones by index
// fill what is left of k and the others are ties at the cut. Only the chosen are sorted: O(n + k log k) on average.
#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/plain/loops.hpp"

namespace lacuna::kernels::plain {

TopKResult top_k(const TopKParams& params) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const double* s = params.s;

  std::vector<double> ranked;  // the scores that may be chosen
  ranked.reserve(params.n);
  std::copy_if(s, s + params.n, std::back_inserter(ranked), [](double score) { return score != never; });
  const Index chosen = std::min(params.k, static_cast<Index>(ranked.size()));
  if (chosen == 0) return {};

  const auto last = ranked.begin() + (chosen - 1);
  std::nth_element(ranked.begin(), last, ranked.end(), std::greater<>());
  const double cut = *last;
  const Index equal_chosen = std::count(ranked.begin(), last + 1, cut);
  const Index equal_left_out = std::count(last + 1, ranked.end(), cut);

  Index written = 0;
  Index equal_written = 0;
  for (Index i = 0; i < params.n && written < chosen; ++i) {
    if (s[i] < cut || (s[i] == cut && equal_written == equal_chosen)) continue;
    if (s[i] == cut) ++equal_written;
    params.index[written++] = static_cast<RowIndex>(i);
  }
  std::sort(params.index, params.index + chosen,
            [s](RowIndex a, RowIndex b) { return s[a] > s[b] || (s[a] == s[b] && a < b); });
  return {chosen, equal_left_out};
}

}  // namespace lacuna::kernels::plain
