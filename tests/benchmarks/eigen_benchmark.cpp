// The same products by Eigen, one thread.
#include <Eigen/Core>

#include "fma_limit.hpp"

namespace lacuna::benchmarks {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// [tokens, inputs, outputs]
void eigen_product(benchmark::State& state) {
  const RowMajor x = RowMajor::Random(state.range(0), state.range(1));
  const RowMajor w = RowMajor::Random(state.range(2), state.range(1));
  RowMajor y(state.range(0), state.range(2));
  measure(state, 2.0 * static_cast<double>(state.range(0) * state.range(1) * state.range(2)),
          [&] { y.noalias() = x * w.transpose(); });
}
BENCHMARK(eigen_product)
    ->UseManualTime()
    ->ArgNames({"tokens", "inputs", "outputs"})
    ->Args({96, 512, 1024})
    ->Args({96, 1024, 512})
    ->Args({96, 512, 256})
    ->Args({96, 256, 1024})
    ->Args({1, 512, 1024})
    ->Args({2048, 512, 1024});

}  // namespace
}  // namespace lacuna::benchmarks
