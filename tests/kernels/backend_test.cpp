#include <thread>

#include "kernels/every_backend.hpp"
#include "kernels/poisoned_rows.hpp"

namespace lacuna::kernels {
namespace {

TEST(Backends, ArePlainAndCuda) {
  EXPECT_EQ(plain_backend().name(), "plain");
  std::string why_not;
  const Backend* cuda = cuda_backend(why_not);
  EXPECT_EQ(cuda ? cuda->name() : "cuda", "cuda");
}

TEST(BackendFaults, AnAbsentDeviceIsExplainedEveryTime) {
  std::string first, second;
  const Backend* cuda = cuda_backend(first);
  EXPECT_EQ(cuda == nullptr, !first.empty()) << first;
  EXPECT_EQ(cuda_backend(second), cuda);
  EXPECT_EQ(first, second);
}

class CudaBackendFaults : public CudaTwin {};

TEST_F(CudaBackendFaults, OutOfMemoryIsAnErrorAndTheNextCallWorks) {
  ScoreParams<double> params;  // 2^45 rows of 8 bytes: refused before any host memory is read
  params.h = 1;
  params.s_kv = Index{1} << 45;
  params.d_qk = 1;
  try {
    twin().score(params);
    FAIL() << "2^48 bytes were allocated";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory"), std::string::npos) << error.what();
  }
  const std::vector<double> s = {1, 3, 2};
  double largest = 0;
  twin().block_max({s.data(), &largest, 3, 3});
  EXPECT_EQ(largest, 3);
}

class ThreadsContract : public EveryBackend {};
LACUNA_FOR_EVERY_BACKEND(ThreadsContract);

TEST_P(ThreadsContract, AnyNumberOfThreadsMayCallAtOnce) {
  const auto s = gaussian_scores(1011, 1, 15);
  std::vector<RowIndex> alone(100);
  backend().top_k({s.data(), alone.data(), 1011, 100});
  std::vector<std::vector<RowIndex>> together(7, std::vector<RowIndex>(100));
  std::vector<std::jthread> threads;
  for (auto& index : together) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 5; ++repeat) backend().top_k({s.data(), index.data(), 1011, 100});
    });
  }
  threads.clear();
  for (const auto& index : together) EXPECT_EQ(index, alone);
}

}  // namespace
}  // namespace lacuna::kernels
