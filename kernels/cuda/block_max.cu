// block_max: one thread per block of scores, in the order of the plain loop.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/loops.cuh"

namespace lacuna::kernels::cuda {
namespace {

constexpr int threads_per_block = 256;

__global__ void block_max_kernel(const double* s,    // [n]
                                 double* block_max,  // [blocks]
                                 Index n, Index block_size, Index blocks) {
  const Index b = static_cast<Index>(blockIdx.x) * threads_per_block + threadIdx.x;
  if (b >= blocks) return;
  const Index first = b * block_size;
  const Index end = n - first < block_size ? n : first + block_size;
  double largest = s[first];
  for (Index i = first + 1; i < end; ++i) {
    if (s[i] > largest) largest = s[i];
  }
  block_max[b] = largest;
}

}  // namespace

void block_max(const BlockMaxParams& params) {
  if (params.n == 0) return;
  const Index blocks = (params.n + params.block_size - 1) / params.block_size;
  DeviceArray<double> s(params.n, params.s);
  DeviceArray<double> largest(blocks);
  block_max_kernel<<<blocks_for(blocks, threads_per_block), threads_per_block>>>(s.data(), largest.data(), params.n,
                                                                                 params.block_size, blocks);
  check_launch("block_max");
  largest.copy_out(params.block_max, blocks);
}

}  // namespace lacuna::kernels::cuda
