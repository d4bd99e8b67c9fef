// Stands in for kernels/cuda where that is not compiled.
#ifndef LACUNA_HAS_CUDA
#include "kernels/kernels.hpp"

namespace lacuna::kernels {

const Backend* cuda_backend(std::string& why_not) {
  why_not = "this build has no CUDA (configure with -DLACUNA_CUDA=ON)";
  return nullptr;
}

}  // namespace lacuna::kernels
#endif
