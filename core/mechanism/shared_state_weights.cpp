#include "core/mechanism/shared_state_weights.hpp"

#include <cmath>
#include <string_view>

#include "core/mechanism/require.hpp"

namespace lacuna {

namespace {

/// Every head's rows become `similarity` times those of head 0 plus an independent rest; [heads * width, columns].
void resemble_first_head(double similarity, Index heads, Matrix& rows) {
  const Index width = rows.rows() / heads;
  const double rest = std::sqrt(1 - similarity * similarity);
  for (Index i = width; i < rows.rows(); ++i)
    for (Index c = 0; c < rows.columns(); ++c)
      rows.row(i)[c] = similarity * rows.row(i % width)[c] + rest * rows.row(i)[c];
}

}  // namespace

SharedStateWeights SharedStateWeights::random(const SharedStateConfig& config, std::uint64_t seed) {
  config.check();
  const auto matrix = [&](Index rows, Index columns, std::string_view purpose, Index stream = 0) {
    return Matrix::random(rows, columns, 1 / std::sqrt(static_cast<double>(columns)),
                          CounterRng(seed, purpose, stream));
  };
  const Index group = config.heads / config.o_groups * config.head_dim;
  SharedStateWeights weights;
  weights.query_down = matrix(config.q_lora_rank, config.d_model, "shared_state.query_down");
  weights.query_gamma.assign(config.q_lora_rank, 1.0);
  weights.query_up = matrix(config.heads * config.head_dim, config.q_lora_rank, "shared_state.query_up");
  resemble_first_head(config.head_similarity, config.heads, weights.query_up);
  weights.kv = matrix(config.head_dim, config.d_model, "shared_state.kv");
  weights.kv_gamma.assign(config.head_dim, 1.0);
  if (config.has_rows())
    weights.compressor =
        CompressorWeights::random(config.compressor(), config.gate_std, seed, "shared_state.compressor");
  if (config.owns_indexer) weights.indexer = IndexerWeights::random(config, weights.query_up, weights.compressor, seed);
  const CounterRng sink(seed, "shared_state.sink_logit");
  for (Index h = 0; h < config.heads; ++h) weights.sink_logit.push_back(config.sink_std * sink.normal(h));
  for (Index g = 0; g < config.o_groups; ++g)
    weights.output_down.push_back(matrix(config.o_lora_rank, group, "shared_state.output_down", g));
  weights.output_up = matrix(config.d_model, config.o_groups * config.o_lora_rank, "shared_state.output_up");
  return weights;
}

void SharedStateWeights::check(const SharedStateConfig& config) const {
  require_shape("query_down", query_down, config.q_lora_rank, config.d_model);
  require_size("query_gamma", query_gamma, config.q_lora_rank);
  require_shape("query_up", query_up, config.heads * config.head_dim, config.q_lora_rank);
  require_shape("kv", kv, config.head_dim, config.d_model);
  require_size("kv_gamma", kv_gamma, config.head_dim);
  require_size("sink_logit", sink_logit, config.heads);
  if (static_cast<Index>(output_down.size()) != config.o_groups)
    throw InputError(fmt::format("weight output_down has {} groups; the configuration needs {}", output_down.size(),
                                 config.o_groups));
  for (const Matrix& group : output_down)
    require_shape("output_down", group, config.o_lora_rank, config.heads / config.o_groups * config.head_dim);
  require_shape("output_up", output_up, config.d_model, config.o_groups * config.o_lora_rank);
}

}  // namespace lacuna
