// l += sum_j exp(s_j - m), o += sum_j exp(s_j - m) v_j over the listed keys j, in the order of the list.
//
// The scores are known before any value row is read, so the new running max is taken over the whole list first and
// what was there is rescaled once, not at every key that raises the max. Every value row is read once.
#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"
#include "kernels/plain/loops.hpp"

namespace lacuna::kernels::plain {

template <class T>
void attend(const AttendParams<T>& params, PartialSoftmax& partial) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  double m = partial.m;
  for (Index i = 0; i < params.n; ++i) m = std::max(m, params.s[params.index[i]]);
  rescale(partial, m);

  for (Index i = 0; i < params.n; ++i) {
    const RowIndex j = params.index[i];
    if (params.s[j] == never) continue;  // 0 times a masked row would still be NaN where the row holds NaN
    const double weight = std::exp(params.s[j] - m);
    const T* v = params.v + j * params.v_stride;  // [d_v]
    partial.l += weight;
    for (Index c = 0; c < params.d_v; ++c) partial.o[c] += weight * static_cast<double>(v[c]);
  }
}

template void attend(const AttendParams<float>& params, PartialSoftmax& partial);
template void attend(const AttendParams<double>& params, PartialSoftmax& partial);

}  // namespace lacuna::kernels::plain
