// index_score: as score, score_lanes threads per key, which go through the heads one after the other. Compiled without
// contraction (--fmad=false), so that it gives the plain loops' bits.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/loops.cuh"

namespace lacuna::kernels::cuda {
namespace {

constexpr int keys_per_block = 16;

/// One block: keys_per_block keys (threadIdx.y); threadIdx.x is the lane.
template <class T>
__global__ void index_score_kernel(const T* q,            // [h, d_index]
                                   const double* weight,  // [h]
                                   const T* k,            // [s_kv, d_index]
                                   double* s,             // [s_kv]
                                   Index h, Index s_kv, Index d_index) {
  __shared__ double lane[keys_per_block][score_lanes];
  const int r = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const Index j = static_cast<Index>(blockIdx.x) * keys_per_block + y;

  double total = 0;
  for (Index head = 0; head < h; ++head) {
    double sum = 0;
    if (j < s_kv) {
      for (Index c = r; c < d_index; c += score_lanes) {
        sum += static_cast<double>(q[head * d_index + c]) * static_cast<double>(k[j * d_index + c]);
      }
    }
    lane[y][r] = sum;
    for (int width = score_lanes / 2; width > 0; width /= 2) {
      __syncthreads();
      if (r < width) lane[y][r] += lane[y][r + width];
    }
    if (r == 0) {
      const double product = lane[y][0];
      total += weight[head] * (product < 0 ? 0.0 : product);
    }
    __syncthreads();
  }
  if (r == 0 && j < s_kv) s[j] = total;
}

}  // namespace

template <class T>
void index_score(const IndexScoreParams<T>& params) {
  if (params.s_kv == 0) return;
  DeviceArray<T> q(params.h * params.d_index);
  DeviceArray<double> weight(params.h);
  DeviceArray<T> k(params.s_kv * params.d_index);
  DeviceArray<double> s(params.s_kv);
  q.copy_rows_in(params.q, params.h, params.d_index, params.q_stride);
  weight.copy_rows_in(params.weight, 1, params.h, params.h);
  k.copy_rows_in(params.k, params.s_kv, params.d_index, params.k_stride);

  const dim3 threads(score_lanes, keys_per_block);
  index_score_kernel<<<blocks_for(params.s_kv, keys_per_block), threads>>>(q.data(), weight.data(), k.data(), s.data(),
                                                                           params.h, params.s_kv, params.d_index);
  check_launch("index_score");
  s.copy_out(params.s, s.size());
}

template void index_score(const IndexScoreParams<float>& params);
template void index_score(const IndexScoreParams<double>& params);

}  // namespace lacuna::kernels::cuda
