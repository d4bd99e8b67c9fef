// s[j] = sum_h weight[h] max( sum_c q[h, c] k[j, c], 0 )
#include <algorithm>

#include "kernels/plain/dot.hpp"
#include "kernels/plain/loops.hpp"

namespace lacuna::kernels::plain {

template <class T>
void index_score(const IndexScoreParams<T>& params) {
  for (Index j = 0; j < params.s_kv; ++j) {  // a key's row stays in cache for all heads
    double sum = 0;
    for (Index h = 0; h < params.h; ++h) {
      const double product = dot(params.q + h * params.q_stride, params.k + j * params.k_stride, params.d_index);
      sum += params.weight[h] * std::max(product, 0.0);
    }
    params.s[j] = sum;
  }
}

template void index_score(const IndexScoreParams<float>& params);
template void index_score(const IndexScoreParams<double>& params);

}  // namespace lacuna::kernels::plain
