// attend: the listed keys are cut into chunks of a fixed size, one block takes the partial softmax of a chunk, and the
// partial softmaxes are merged in a binary tree over the chunks. The tree's shape depends on the number of keys alone,
// so repeated runs give equal bits.
#include <vector>

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/loops.cuh"
#include "kernels/kernels.hpp"

namespace lacuna::kernels::cuda {
namespace {

constexpr int chunk_keys = 256;  // also the threads of a block; a power of two

/// Partial softmax of keys [first, first + count) of one chunk (blockIdx.x).
template <class T>
__global__ void attend_chunk(const double* s,  // [n]
                             const T* v,       // [n, d_v]
                             double* m,        // [chunks]
                             double* l,        // [chunks]
                             double* o,        // [chunks, d_v]
                             Index n, Index d_v) {
  __shared__ double weight[chunk_keys];
  __shared__ double folded[chunk_keys];
  const int t = static_cast<int>(threadIdx.x);
  const Index chunk = blockIdx.x;
  const Index first = chunk * chunk_keys;
  const int count = static_cast<int>(n - first < chunk_keys ? n - first : chunk_keys);

  folded[t] = s[first + (t < count ? t : 0)];  // every chunk has a first key
  for (int width = chunk_keys / 2; width > 0; width /= 2) {
    __syncthreads();
    if (t < width && folded[t + width] > folded[t]) folded[t] = folded[t + width];
  }
  __syncthreads();
  const double chunk_max = folded[0];
  __syncthreads();  // before folded is used again

  weight[t] = t < count ? exp(s[first + t] - chunk_max) : 0.0;
  folded[t] = weight[t];
  for (int width = chunk_keys / 2; width > 0; width /= 2) {
    __syncthreads();
    if (t < width) folded[t] += folded[t + width];
  }
  __syncthreads();
  if (t == 0) {
    m[chunk] = chunk_max;
    l[chunk] = folded[0];
  }
  for (Index c = t; c < d_v; c += chunk_keys) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += weight[i] * static_cast<double>(v[(first + i) * d_v + c]);
    o[chunk * d_v + c] = sum;
  }
}

/// One level of the tree: chunk a = 2 * distance * blockIdx.x takes in chunk a + distance. No chunk is empty.
__global__ void merge_chunks(double* m,  // [chunks]
                             double* l,  // [chunks]
                             double* o,  // [chunks, d_v]
                             Index chunks, Index distance, Index d_v) {
  const Index a = 2 * distance * static_cast<Index>(blockIdx.x);
  const Index b = a + distance;
  if (b >= chunks) return;  // the whole block leaves
  const double merged_max = m[a] > m[b] ? m[a] : m[b];
  const double factor_a = exp(m[a] - merged_max);
  const double factor_b = exp(m[b] - merged_max);
  for (Index c = threadIdx.x; c < d_v; c += blockDim.x) {
    o[a * d_v + c] = factor_a * o[a * d_v + c] + factor_b * o[b * d_v + c];
  }
  __syncthreads();  // every thread has read m before it changes
  if (threadIdx.x == 0) {
    m[a] = merged_max;
    l[a] = factor_a * l[a] + factor_b * l[b];
  }
}

/// The listed rows whose score is above -inf, side by side: the only ones that go to the device.
template <class T>
struct Listed {
  explicit Listed(const AttendParams<T>& params) {
    s.reserve(params.n);
    v.reserve(params.n * params.d_v);
    for (Index i = 0; i < params.n; ++i) {
      const RowIndex j = params.index[i];
      if (params.s[j] == -std::numeric_limits<double>::infinity()) continue;
      const T* row = params.v + j * params.v_stride;
      s.push_back(params.s[j]);
      v.insert(v.end(), row, row + params.d_v);
    }
  }
  std::vector<double> s;  // [n]
  std::vector<T> v;       // [n, d_v]
};

}  // namespace

template <class T>
void attend(const AttendParams<T>& params, PartialSoftmax& partial) {
  const Listed<T> listed(params);
  const Index n = static_cast<Index>(listed.s.size());
  const Index d_v = params.d_v;
  if (n == 0) return;

  const Index chunks = blocks_for(n, chunk_keys);
  DeviceArray<double> s(n, listed.s.data());
  DeviceArray<T> v(n * d_v, listed.v.data());
  DeviceArray<double> m(chunks), l(chunks), o(chunks * d_v);
  attend_chunk<<<static_cast<unsigned>(chunks), chunk_keys>>>(s.data(), v.data(), m.data(), l.data(), o.data(), n, d_v);
  check_launch("attend_chunk");
  for (Index distance = 1; distance < chunks; distance *= 2) {
    merge_chunks<<<blocks_for(chunks, 2 * distance), chunk_keys>>>(m.data(), l.data(), o.data(), chunks, distance, d_v);
    check_launch("merge_chunks");
  }

  std::vector<double> answer(d_v);
  PartialSoftmax of_list;
  of_list.o = answer.data();
  of_list.d_v = d_v;
  m.copy_out(&of_list.m, 1);
  l.copy_out(&of_list.l, 1);
  o.copy_out(of_list.o, d_v);
  merge(partial, of_list);
}

template void attend(const AttendParams<float>& params, PartialSoftmax& partial);
template void attend(const AttendParams<double>& params, PartialSoftmax& partial);

}  // namespace lacuna::kernels::cuda
