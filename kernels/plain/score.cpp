// s[h, j] = sm_scale * sum_c q[h, c] k[j, c]
#include "kernels/plain/dot.hpp"
#include "kernels/plain/loops.hpp"

namespace lacuna::kernels::plain {

template <class T>
void score(const ScoreParams<T>& params) {
  for (Index j = 0; j < params.s_kv; ++j) {  // a key's row stays in cache for all heads
    for (Index h = 0; h < params.h; ++h) {
      const double product = dot(params.q + h * params.q_stride, params.k + j * params.k_stride, params.d_qk);
      params.s[h * params.s_kv + j] = params.sm_scale * product;
    }
  }
}

template void score(const ScoreParams<float>& params);
template void score(const ScoreParams<double>& params);

}  // namespace lacuna::kernels::plain
