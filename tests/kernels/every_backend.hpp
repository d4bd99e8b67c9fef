// Fixtures that run one test over every backend that works here (contract tests), or that compare the CUDA twin with
// the plain loops (twin tests; skipped with the reason where there is no device).
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"

namespace lacuna::kernels {

constexpr double never = -std::numeric_limits<double>::infinity();

/// Below one warp, odd, prime, and one to either side of powers of two.
inline const std::vector<Index> sizes = {0,   1,   2,   3,   5,    7,    10,   15,   16,   17,   27,
                                         31,  32,  33,  50,  61,   113,  127,  128,  129,  255,  256,
                                         257, 511, 512, 513, 1011, 1023, 1024, 1025, 4095, 4096, 4097};

/// The backends that can run on this machine.
inline std::vector<const Backend*> runnable_backends() {
  std::vector<const Backend*> backends = {&plain_backend()};
  std::string why_not;
  if (const Backend* cuda = cuda_backend(why_not)) backends.push_back(cuda);
  return backends;
}

class EveryBackend : public testing::TestWithParam<const Backend*> {
 protected:
  static const Backend& backend() { return *GetParam(); }
};

class CudaTwin : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    twin_ = cuda_backend(why_not);
    if (!twin_) GTEST_SKIP() << why_not;
  }
  const Backend& twin() const { return *twin_; }
  const Backend& plain() const { return plain_backend(); }

 private:
  const Backend* twin_ = nullptr;
};

}  // namespace lacuna::kernels

/// Instantiates a suite derived from EveryBackend.
#define LACUNA_FOR_EVERY_BACKEND(Suite)                                            \
  INSTANTIATE_TEST_SUITE_P(Backend, Suite, testing::ValuesIn(runnable_backends()), \
                           [](const auto& backend_info) { return std::string(backend_info.param->name()); })
