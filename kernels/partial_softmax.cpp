// Arithmetic on partial softmaxes. With weights relative to any m' >= m,
//   sum over both parts of exp(s - m') = exp(m_a - m') l_a + exp(m_b - m') l_b,   and the same for o;       (1)
// m' = max(m_a, m_b) keeps every factor in (0, 1], so nothing overflows however large or small the scores are.
// Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, section 3.1.
#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace lacuna::kernels {
namespace {

bool is_empty(const PartialSoftmax& partial) { return partial.m == -std::numeric_limits<double>::infinity(); }

}  // namespace

void rescale(PartialSoftmax& partial, double m) {
  if (m == partial.m) return;
  const double factor = is_empty(partial) ? 0.0 : std::exp(partial.m - m);
  partial.m = m;
  partial.l *= factor;
  for (Index c = 0; c < partial.d_v; ++c) partial.o[c] *= factor;
}

void merge(PartialSoftmax& into, const PartialSoftmax& from) {
  if (is_empty(from)) return;
  if (is_empty(into)) {
    into.m = from.m;
    into.l = from.l;
    std::copy_n(from.o, from.d_v, into.o);
    return;
  }
  rescale(into, std::max(into.m, from.m));
  const double factor = std::exp(from.m - into.m);
  into.l += factor * from.l;
  for (Index c = 0; c < into.d_v; ++c) into.o[c] += factor * from.o[c];
}

void merge_sink(PartialSoftmax& into, double sink_logit) {
  if (sink_logit == -std::numeric_limits<double>::infinity()) return;
  rescale(into, std::max(into.m, sink_logit));
  into.l += std::exp(sink_logit - into.m);
}

double normalize(PartialSoftmax& partial) {
  if (is_empty(partial)) return partial.m;
  for (Index c = 0; c < partial.d_v; ++c) partial.o[c] /= partial.l;
  partial.m += std::log(partial.l);
  partial.l = 1;
  return partial.m;
}

}  // namespace lacuna::kernels
