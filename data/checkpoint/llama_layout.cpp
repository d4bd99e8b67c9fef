#include "data/checkpoint/llama_layout.hpp"

#include <utility>

namespace lacuna {

CheckpointModel read_llama_layout(const CheckpointConfig& config, CheckpointTensors& tensors,
                                  const std::function<LayerAttention(const std::string& prefix)>& attention) {
  const Index hidden = config.count("hidden_size");
  const Index intermediate = config.count("intermediate_size");
  const Index vocabulary = config.count("vocab_size");
  config.require_flag("attention_bias", false);
  config.require_flag("mlp_bias", false);
  if (const std::string act = config.text("hidden_act", "silu"); act != "silu")
    config.refuse("hidden_act", fmt::format("is '{}'; only 'silu' is implemented", act));

  CheckpointModel read{.model = {.vocabulary = vocabulary,
                                 .d_model = hidden,
                                 .eps = config.real("rms_norm_eps", 1e-6),
                                 .tied_vocabulary = config.flag("tie_word_embeddings", false)},
                       .weights = {},
                       .trained_positions = config.count("max_position_embeddings", 0)};
  read.weights.embedding = tensors.matrix("model.embed_tokens.weight", vocabulary, hidden);
  const Index layers = config.count("num_hidden_layers");
  for (Index label = 0; label < layers; ++label) {
    const std::string layer = fmt::format("model.layers.{}.", label);
    const std::string mlp = layer + "mlp.";
    LayerAttention own = attention(layer + "self_attn.");
    read.model.layers.push_back({.label = label,
                                 .attention = std::move(own.config),
                                 .feed_forward = {.kind = FeedForwardKind::swiglu, .width = intermediate}});
    LayerWeights& weights = read.weights.layers.emplace_back();  // member by member: see architecture.hpp
    weights.attention = std::move(own.weights);
    weights.attention_norm.gain = tensors.vector(layer + "input_layernorm.weight", hidden);
    weights.feed_forward_norm.gain = tensors.vector(layer + "post_attention_layernorm.weight", hidden);
    weights.feed_forward.gate = tensors.matrix(mlp + "gate_proj.weight", intermediate, hidden);
    weights.feed_forward.up = tensors.matrix(mlp + "up_proj.weight", intermediate, hidden);
    weights.feed_forward.down = tensors.matrix(mlp + "down_proj.weight", hidden, intermediate);
  }
  read.weights.final_norm.gain = tensors.vector("model.norm.weight", hidden);
  if (!read.model.tied_vocabulary) read.weights.vocabulary = tensors.matrix("lm_head.weight", vocabulary, hidden);
  return read;
}

}  // namespace lacuna
