// top_k: each score becomes an integer key that ascends as the score descends; a stable sort of (key, index) then
// gives score descending, index ascending, whatever n is.
//
// The bits of an IEEE double, read as an integer, ascend with the number when it is positive and descend when it is
// negative. Setting the sign bit of the former and inverting all bits of the latter makes them ascend throughout;
// inverting once more turns the order round. -0 is made 0 first: the two are equal scores.
#include <cub/device/device_radix_sort.cuh>

#include <cmath>
#include <cstring>

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/loops.cuh"

namespace lacuna::kernels::cuda {
namespace {

using Key = unsigned long long;

constexpr int threads_per_block = 256;

__device__ Key descending_key(double score) {
  const double no_negative_zero = score == 0 ? 0.0 : score;
  Key bits;
  memcpy(&bits, &no_negative_zero, sizeof(bits));
  const Key sign = Key{1} << 63;
  const Key ascending = (bits & sign) != 0 ? ~bits : bits | sign;
  return ~ascending;
}

__global__ void make_keys(const double* s,  // [n]
                          Key* key,         // [n]
                          RowIndex* index,  // [n]
                          Index n) {
  const Index i = static_cast<Index>(blockIdx.x) * threads_per_block + threadIdx.x;
  if (i >= n) return;
  key[i] = descending_key(s[i]);
  index[i] = static_cast<RowIndex>(i);
}

/// First position of an ascending array whose key is not below (or, if `past_equal`, above) the bound.
__device__ Index position_of(const Key* key /* [n] */, Index n, Key bound, bool past_equal) {
  Index first = 0;
  while (n > 0) {
    const Index half = n / 2;
    const Key middle = key[first + half];
    if (middle < bound || (past_equal && middle == bound)) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

/// One thread: how many are chosen, and how many equal to the last chosen one follow it.
__global__ void find_cut(const Key* key,      // [n] ascending
                         TopKResult* result,  // [1]
                         Index n, Index k) {
  const Index candidates = position_of(key, n, descending_key(-INFINITY), false);
  const Index chosen = k < candidates ? k : candidates;
  result->chosen = chosen;
  result->ties_at_cut = chosen == 0 ? 0 : position_of(key, n, key[chosen - 1], true) - chosen;
}

}  // namespace

TopKResult top_k(const TopKParams& params) {
  const Index n = params.n;
  if (n == 0 || params.k == 0) return {};
  DeviceArray<double> s(n, params.s);
  DeviceArray<Key> key(n), sorted_key(n);
  DeviceArray<RowIndex> index(n), sorted_index(n);
  make_keys<<<blocks_for(n, threads_per_block), threads_per_block>>>(s.data(), key.data(), index.data(), n);
  check_launch("make_keys");

  const auto sort = [&](void* workspace, std::size_t& bytes) {
    check(cub::DeviceRadixSort::SortPairs(workspace, bytes, key.data(), sorted_key.data(), index.data(),
                                          sorted_index.data(), static_cast<RowIndex>(n)),
          "sorting");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);  // asks for the size of the workspace
  DeviceArray<unsigned char> workspace(static_cast<Index>(bytes > 0 ? bytes : 1));  // null would ask again
  sort(workspace.data(), bytes);

  DeviceArray<TopKResult> result(1);
  find_cut<<<1, 1>>>(sorted_key.data(), result.data(), n, params.k);
  check_launch("find_cut");
  TopKResult host;
  result.copy_out(&host, 1);
  sorted_index.copy_out(params.index, host.chosen);
  return host;
}

}  // namespace lacuna::kernels::cuda
