// llama: LlamaForCausalLM of transformers, models/llama/modeling_llama.py. Grouped-query attention, rotated in halves:
// channels i and i + head_dim / 2 are a pair (rotate_half).
#include <utility>

#include "data/checkpoint/llama_layout.hpp"
#include "data/checkpoint/rope_config.hpp"

namespace lacuna {
namespace {

CheckpointModel read(const CheckpointConfig& config, CheckpointTensors& tensors) {
  const Index hidden = config.count("hidden_size");
  const Index h_q = config.count("num_attention_heads");
  if (!config.has("head_dim") && hidden % h_q != 0)
    config.refuse("num_attention_heads", fmt::format("is {}; it must divide hidden_size, which is {}", h_q, hidden));
  const Index d = config.count("head_dim", hidden / h_q);
  const RopeConfig rope = plain_rope(config);
  const ProjectedConfig attention{
      .d_model = hidden,
      .h_q = h_q,
      .h_kv = config.count("num_key_value_heads", h_q),
      .d_qk = d,
      .d_v = d,
      .rope = RopeParameters{.channels = d, .base = rope.base, .pairs = RopePairs::half_split}};
  attention.check();
  return read_llama_layout(config, tensors, [&](const std::string& prefix) -> LayerAttention {
    ProjectedWeights weights;
    weights.wq = tensors.matrix(prefix + "q_proj.weight", h_q * d, hidden);
    weights.wk = tensors.matrix(prefix + "k_proj.weight", attention.h_kv * d, hidden);
    weights.wv = tensors.matrix(prefix + "v_proj.weight", attention.h_kv * d, hidden);
    weights.wo = tensors.matrix(prefix + "o_proj.weight", hidden, h_q * d);
    return {attention, std::move(weights)};
  });
}

const bool registered = CheckpointArchitectureRegistry::instance().add(
    {.name = "llama", .sentence = "LlamaForCausalLM: grouped-query attention, RoPE, SwiGLU.", .read = read});

}  // namespace
}  // namespace lacuna
