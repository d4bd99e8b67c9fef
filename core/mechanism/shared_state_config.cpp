#include "core/mechanism/shared_state_config.hpp"

#include <string_view>

#include "core/mechanism/require.hpp"

namespace lacuna {

SharedStateConfig SharedStateConfig::v4_flash(Index ratio) {
  if (ratio != 0 && ratio != 4 && ratio != 128)
    throw UsageError(fmt::format("ratio is {}; the layers of V4-Flash have 0, 4 or 128", ratio));
  SharedStateConfig config;
  config.ratio = ratio;
  config.overlap = ratio == 4;
  config.owns_indexer = ratio == 4;
  return config;
}

SharedStateConfig SharedStateConfig::v41_flash(Index ratio) {
  if (ratio < 0 || ratio > 2)
    throw UsageError(fmt::format("ratio is {}; the layers of V4.1-Flash have 0, 1 or 2", ratio));
  SharedStateConfig config;
  config.d_model = 5120;
  config.q_lora_rank = 1280;
  config.normalise_q = false;
  config.eps = 1e-20;
  config.ratio = ratio;
  config.overlap = false;
  config.position_bias = false;
  config.pooling = ratio == 1 ? Pooling::mean : Pooling::gated;
  config.owns_indexer = ratio > 0;
  config.index_heads = 32;
  config.index_keys = IndexKeySource::latent;
  return config;
}

CompressorConfig SharedStateConfig::compressor() const {
  return {.d_model = d_model,
          .width = head_dim,
          .ratio = ratio,
          .overlap = overlap,
          .position_bias = position_bias,
          .pooling = pooling,
          .eps = eps};
}

CompressorConfig SharedStateConfig::index_compressor() const {
  CompressorConfig config = compressor();
  config.width = d_index;
  return config;
}

RopeParameters SharedStateConfig::rope() const {
  if (ratio == 0) return {.channels = qk_rope, .base = local_base};
  return {.channels = qk_rope, .base = compressed_base, .yarn = compressed_yarn};
}

void SharedStateConfig::check() const {
  const auto require = [](bool condition, std::string_view field, auto value, std::string_view rule) {
    if (!condition) throw UsageError(fmt::format("{} is {}; {}", field, value, rule));
  };
  require_positive({{"d_model", d_model},
                    {"heads", heads},
                    {"head_dim", head_dim},
                    {"q_lora_rank", q_lora_rank},
                    {"o_groups", o_groups},
                    {"o_lora_rank", o_lora_rank}});
  require(heads % o_groups == 0, "o_groups", o_groups, "it must divide heads");
  require(local_window >= 0, "local_window", local_window, "it must not be negative");
  require(eps >= 0, "eps", eps, "it must not be negative");
  require(ratio >= 0, "ratio", ratio, "it must be 0 or a number of tokens");
  require(ratio > 0 || local_window > 0, "local_window", local_window, "a layer with ratio 0 reads nothing else");
  require(ratio > 0 || !owns_indexer, "owns_indexer", owns_indexer, "a layer with ratio 0 has no entries to index");
  require(local_base > 1, "local_base", local_base, "it must be above 1");
  require(compressed_base > 1, "compressed_base", compressed_base, "it must be above 1");
  require_rope("qk_rope", rope(), {"head_dim", head_dim});
  require(gate_std >= 0, "gate_std", gate_std, "it must not be negative");
  require(sink_std >= 0, "sink_std", sink_std, "it must not be negative");
  require(head_similarity >= 0 && head_similarity <= 1, "head_similarity", head_similarity, "it must be in [0, 1]");
  require(index_quality >= 0 && index_quality <= 1, "index_quality", index_quality, "it must be in [0, 1]");
  if (!owns_indexer) return;
  require_positive({{"index_heads", index_heads}, {"d_index", d_index}});
  require(d_index >= qk_rope, "d_index", d_index, "it must hold the qk_rope rotated channels");
  require(index_quality == 0 || d_index <= head_dim, "d_index", d_index,
          "with index_quality above 0 index rows are channels of main rows: it must be at most head_dim");
}

}  // namespace lacuna
