// score: score_lanes threads per key, one per lane of the order that params.hpp fixes. Compiled without contraction
// (--fmad=false), so that it gives the plain loops' bits.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/loops.cuh"

namespace lacuna::kernels::cuda {
namespace {

constexpr int keys_per_block = 16;

/// One block: keys_per_block keys (threadIdx.y) of one query (blockIdx.y); threadIdx.x is the lane.
template <class T>
__global__ void score_kernel(const T* q,  // [h, d_qk]
                             const T* k,  // [s_kv, d_qk]
                             double* s,   // [h, s_kv]
                             Index s_kv, Index d_qk, double sm_scale) {
  __shared__ double lane[keys_per_block][score_lanes];
  const int r = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const Index h = blockIdx.y;
  const Index j = static_cast<Index>(blockIdx.x) * keys_per_block + y;

  double sum = 0;
  if (j < s_kv) {
    for (Index c = r; c < d_qk; c += score_lanes) {
      sum += static_cast<double>(q[h * d_qk + c]) * static_cast<double>(k[j * d_qk + c]);
    }
  }
  lane[y][r] = sum;
  for (int width = score_lanes / 2; width > 0; width /= 2) {
    __syncthreads();
    if (r < width) lane[y][r] += lane[y][r + width];
  }
  if (r == 0 && j < s_kv) s[h * s_kv + j] = sm_scale * lane[y][0];
}

}  // namespace

template <class T>
void score(const ScoreParams<T>& params) {
  if (params.h == 0 || params.s_kv == 0) return;
  DeviceArray<T> q(params.h * params.d_qk);
  DeviceArray<T> k(params.s_kv * params.d_qk);
  DeviceArray<double> s(params.h * params.s_kv);
  q.copy_rows_in(params.q, params.h, params.d_qk, params.q_stride);
  k.copy_rows_in(params.k, params.s_kv, params.d_qk, params.k_stride);

  const dim3 blocks(blocks_for(params.s_kv, keys_per_block), static_cast<unsigned>(params.h));
  const dim3 threads(score_lanes, keys_per_block);
  score_kernel<<<blocks, threads>>>(q.data(), k.data(), s.data(), params.s_kv, params.d_qk, params.sm_scale);
  check_launch("score");
  s.copy_out(params.s, s.size());
}

template void score(const ScoreParams<float>& params);
template void score(const ScoreParams<double>& params);

}  // namespace lacuna::kernels::cuda
