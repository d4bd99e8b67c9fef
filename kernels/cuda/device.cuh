// Device memory that frees itself, and errors that cannot be overlooked.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "kernels/params.hpp"

namespace lacuna::kernels::cuda {

/// Throws CUDA's own words when a call failed. An error that is not fatal to the device (out of memory) is cleared, so
/// that the next call starts clean.
inline void check(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw std::runtime_error("CUDA: " + doing + ": " + cudaGetErrorString(status));
}

/// A kernel launch reports what was wrong with the launch itself here; what goes wrong inside, the next copy reports.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), std::string("launching ") + kernel); }

/// An array in device memory.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(Index size) : size_(size) {
    check(cudaMalloc(&data_, bytes()), "allocating " + std::to_string(bytes()) + " bytes");
  }
  DeviceArray(Index size, const T* from /* [size] */) : DeviceArray(size) {
    check(cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice), "copying to the device");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return static_cast<T*>(data_); }
  Index size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  /// The first `count` elements. Waits for the kernels launched before it.
  void copy_out(T* to /* [count] */, Index count) {
    check(cudaMemcpy(to, data_, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost),
          "copying from the device");
  }

  /// Row-major rows of `width`, `stride` elements apart on the host, side by side on the device. Padding stays behind.
  void copy_rows_in(const T* from /* [rows, width], stride `stride` */, Index rows, Index width, Index stride) {
    if (rows == 0 || width == 0) return;
    const std::size_t row_bytes = static_cast<std::size_t>(width) * sizeof(T);
    const std::size_t from_pitch = rows == 1 ? row_bytes : static_cast<std::size_t>(stride) * sizeof(T);
    check(cudaMemcpy2D(data_, row_bytes, from, from_pitch, row_bytes, static_cast<std::size_t>(rows),
                       cudaMemcpyHostToDevice),
          "copying rows to the device");
  }

 private:
  void* data_ = nullptr;
  Index size_;
};

/// Blocks of `block` threads that cover n items.
inline unsigned blocks_for(Index n, Index block) { return static_cast<unsigned>((n + block - 1) / block); }

}  // namespace lacuna::kernels::cuda
