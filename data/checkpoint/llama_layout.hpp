// What checkpoints of Llama and its descendants have in common: everything but the attention.
//
//   model.embed_tokens.weight [vocabulary, hidden]          E
//   model.layers.N.input_layernorm.weight [hidden]          gain before the attention
//   model.layers.N.self_attn.*                              the architecture's own
//   model.layers.N.post_attention_layernorm.weight [hidden] gain before the feed-forward
//   model.layers.N.mlp.gate_proj, up_proj [intermediate, hidden], down_proj [hidden, intermediate]   SwiGLU
//   model.norm.weight [hidden]                              the last gain
//   lm_head.weight [vocabulary, hidden]                     U, unless tie_word_embeddings
//
// Names and layout: transformers, models/llama/modeling_llama.py; matrices are [outputs, inputs].
#pragma once

#include <functional>
#include <string>

#include "data/checkpoint/architecture.hpp"

namespace lacuna {

struct LayerAttention {
  AttentionConfig config;
  AttentionWeights weights;
};

/// `attention` reads a layer's; it is given the beginning of its tensors' names, "model.layers.3.self_attn.".
CheckpointModel read_llama_layout(const CheckpointConfig& config, CheckpointTensors& tensors,
                                  const std::function<LayerAttention(const std::string& prefix)>& attention);

}  // namespace lacuna
