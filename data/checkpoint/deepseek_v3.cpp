// deepseek_v3: DeepseekV3ForCausalLM of transformers, models/deepseek_v3/modeling_deepseek_v3.py, as far as its layers
// are dense: multi-head latent attention in Llama's layout. The library's cached keys are permuted (even channels
// first) where ours stay in pairs, queries alike, so that scores are the same. The norms of the low ranks have eps =
// 1e-6 whatever rms_norm_eps is.
#include "data/checkpoint/llama_layout.hpp"
#include "data/checkpoint/rope_config.hpp"

namespace lacuna {
namespace {

constexpr double kLowRankEps = 1e-6;
constexpr Index kPublishedDenseLayers = 3;  // of the library, where the key is absent

void require_dense(const CheckpointConfig& config) {
  const Index layers = config.count("num_hidden_layers");
  const Index dense = config.count("first_k_dense_replace", kPublishedDenseLayers);
  if (dense < layers)
    config.refuse("first_k_dense_replace",
                  fmt::format("is {}: layers {} to {} are mixtures of experts, which are not implemented", dense, dense,
                              layers - 1));
}

MlaConfig attention_of(const CheckpointConfig& config) {
  config.require_flag("rope_interleave", true);
  const RopeConfig rope = plain_rope_or_yarn(config);
  MlaConfig attention{.d_model = config.count("hidden_size"),
                      .heads = config.count("num_attention_heads"),
                      .q_lora_rank = config.count("q_lora_rank", 0),
                      .kv_lora_rank = config.count("kv_lora_rank"),
                      .qk_nope = config.count("qk_nope_head_dim"),
                      .qk_rope = config.count("qk_rope_head_dim"),
                      .d_v = config.count("v_head_dim"),
                      .rope_base = rope.base,
                      .yarn = rope.yarn,
                      .mscale = rope.mscale,
                      .eps = kLowRankEps};
  if (const Index kv_heads = config.count("num_key_value_heads", attention.heads); kv_heads != attention.heads)
    config.refuse("num_key_value_heads", fmt::format("is {}; only num_attention_heads is implemented", kv_heads));
  attention.check();
  return attention;
}

MlaWeights weights_of(const MlaConfig& c, CheckpointTensors& tensors, const std::string& prefix) {
  MlaWeights weights;
  if (c.q_lora_rank > 0) {
    weights.wqa = tensors.matrix(prefix + "q_a_proj.weight", c.q_lora_rank, c.d_model);
    weights.q_norm = tensors.vector(prefix + "q_a_layernorm.weight", c.q_lora_rank);
  }
  weights.wqb = tensors.matrix(prefix + (c.q_lora_rank > 0 ? "q_b_proj.weight" : "q_proj.weight"), c.heads * c.d_qk(),
                               c.query_input());
  weights.wkva = tensors.matrix(prefix + "kv_a_proj_with_mqa.weight", c.latent_width(), c.d_model);
  weights.kv_norm = tensors.vector(prefix + "kv_a_layernorm.weight", c.kv_lora_rank);
  weights.wkvb = tensors.matrix(prefix + "kv_b_proj.weight", c.heads * (c.qk_nope + c.d_v), c.kv_lora_rank);
  weights.wo = tensors.matrix(prefix + "o_proj.weight", c.d_model, c.heads * c.d_v);
  return weights;
}

CheckpointModel read(const CheckpointConfig& config, CheckpointTensors& tensors) {
  require_dense(config);
  const MlaConfig attention = attention_of(config);
  return read_llama_layout(config, tensors, [&](const std::string& prefix) -> LayerAttention {
    return {attention, weights_of(attention, tensors, prefix)};
  });
}

const bool registered = CheckpointArchitectureRegistry::instance().add(
    {.name = "deepseek_v3",
     .sentence = "DeepseekV3ForCausalLM: multi-head latent attention, dense layers only.",
     .read = read});

}  // namespace
}  // namespace lacuna
