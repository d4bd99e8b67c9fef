// The products of core/linear on the shapes that whole models give them, and exact attention of a whole prefill.
// One thread. model_shapes: tokens x inputs -> outputs of v41_small at width 512.
#include <random>
#include <vector>

#include "core/linear/products.hpp"
#include "core/model/dense_attention.hpp"
#include "fma_limit.hpp"

namespace lacuna::benchmarks {
namespace {

std::vector<double> normals(Index count) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::vector<double> x(static_cast<std::size_t>(count));
  for (double& c : x) c = normal(engine);
  return x;
}

/// [form of the loops, tokens, inputs, outputs]
void dot_rows_of_a_matrix(benchmark::State& state) {
  const std::vector<ProductLoops> forms = product_loops();
  if (state.range(0) >= static_cast<Index>(forms.size())) return state.SkipWithError("no such instruction set here");
  const ProductLoops& loops = forms[state.range(0)];
  const Index tokens = state.range(1), inputs = state.range(2), outputs = state.range(3);
  const std::vector<double> x = normals(tokens * inputs), w = normals(outputs * inputs);
  std::vector<double> y(tokens * outputs);
  state.SetLabel(loops.name);
  measure(state, 2.0 * static_cast<double>(tokens * inputs * outputs), [&] {
    loops.dot_rows({.a = x.data(),
                    .b = w.data(),
                    .y = y.data(),
                    .a_rows = tokens,
                    .b_rows = outputs,
                    .n = inputs,
                    .a_stride = inputs,
                    .b_stride = inputs,
                    .y_stride = outputs});
  });
}

void model_shapes(benchmark::internal::Benchmark* b) {
  b->UseManualTime()->ArgNames({"form", "tokens", "inputs", "outputs"});
  for (const long form : {0, 1, 2})
    for (const auto& [inputs, outputs] : {std::pair{512L, 1024L}, {1024L, 512L}, {512L, 256L}, {256L, 1024L}})
      b->Args({form, 96, inputs, outputs});
  for (const long tokens : {1L, 2048L}) b->Args({0, tokens, 512, 1024});
}
BENCHMARK(dot_rows_of_a_matrix)->Apply(model_shapes);

/// [tokens, heads, width]: MQA with shared keys and values, causal, as the layers of V4.1 attend
void dense_prefill(benchmark::State& state) {
  const Index n = state.range(0), heads = state.range(1), width = state.range(2);
  AttentionProblem problem;
  problem.q = Tensor(heads, n, width, normals(heads * n * width));
  problem.k = Tensor(1, n, width, normals(n * width));
  problem.sm_scale = 1 / std::sqrt(static_cast<double>(width));
  for (Index i = 0; i < n; ++i) problem.query_position.push_back(i);
  problem.key_position = problem.query_position;
  const double pairs = static_cast<double>(n) * static_cast<double>(n + 1) / 2 * static_cast<double>(heads);
  measure(state, 4 * pairs * static_cast<double>(width),
          [&] { benchmark::DoNotOptimize(dense_attention(problem).data()); });
}
BENCHMARK(dense_prefill)
    ->UseManualTime()
    ->ArgNames({"tokens", "heads", "width"})
    ->Args({2048, 4, 256})
    ->Args({4096, 8, 128})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lacuna::benchmarks
