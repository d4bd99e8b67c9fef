// The CUDA backend, and the question whether this machine can run it.
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/loops.cuh"
#include "kernels/kernels.hpp"

namespace lacuna::kernels {
namespace {

class CudaBackend final : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }

  void score(const ScoreParams<float>& params) const override { cuda::score(params); }
  void score(const ScoreParams<double>& params) const override { cuda::score(params); }
  void index_score(const IndexScoreParams<float>& params) const override { cuda::index_score(params); }
  void index_score(const IndexScoreParams<double>& params) const override { cuda::index_score(params); }
  void attend(const AttendParams<float>& params, PartialSoftmax& partial) const override {
    cuda::attend(params, partial);
  }
  void attend(const AttendParams<double>& params, PartialSoftmax& partial) const override {
    cuda::attend(params, partial);
  }
  TopKResult top_k(const TopKParams& params) const override { return cuda::top_k(params); }
  void block_max(const BlockMaxParams& params) const override { cuda::block_max(params); }
};

__global__ void any_kernel() {}

/// CUDA writes version 13.1 as 13010.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Empty when the first device can run this build's kernels.
std::string reason_not_to_run() {
  int driver_version = 0;
  if (cudaDriverGetVersion(&driver_version) != cudaSuccess || driver_version == 0) return "no CUDA driver";

  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted == cudaErrorInsufficientDriver) {
    return "the CUDA driver supports CUDA " + version_text(driver_version) + " and this build needs " +
           version_text(CUDART_VERSION);
  }
  if (counted == cudaErrorNoDevice || (counted == cudaSuccess && devices == 0)) return "no CUDA device";
  if (counted != cudaSuccess) return std::string("CUDA: ") + cudaGetErrorString(counted);

  cudaFuncAttributes attributes;
  const cudaError_t loaded = cudaFuncGetAttributes(&attributes, any_kernel);
  if (loaded == cudaErrorNoKernelImageForDevice || loaded == cudaErrorInvalidDeviceFunction) {
    return "this build has no code for the CUDA device's architecture (see CMAKE_CUDA_ARCHITECTURES)";
  }
  if (loaded != cudaSuccess) return std::string("CUDA: ") + cudaGetErrorString(loaded);
  return "";
}

}  // namespace

const Backend* cuda_backend(std::string& why_not) {
  static const CudaBackend backend;
  static const std::string reason = [] {
    std::string found = reason_not_to_run();
    cudaGetLastError();  // what the probe met is no error of the next call
    return found;
  }();
  why_not = reason;
  return reason.empty() ? &backend : nullptr;
}

}  // namespace lacuna::kernels
