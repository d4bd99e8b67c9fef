// gpt2: GPT2LMHeadModel of transformers, models/gpt2/modeling_gpt2.py. Its Conv1D matrices are stored as [inputs,
// outputs]; c_attn holds W^Q, W^K and W^V side by side. Names begin with "transformer." as transformers writes them, or
// without, as the published files have them.
#include <utility>

#include "data/checkpoint/architecture.hpp"

namespace lacuna {
namespace {

FeedForwardKind activation_of(const CheckpointConfig& config) {
  const std::string name = config.text("activation_function", "gelu_new");
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return FeedForwardKind::gelu_tanh;
  if (name == "gelu") return FeedForwardKind::gelu;
  config.refuse("activation_function",
                fmt::format("is '{}'; 'gelu_new', 'gelu_pytorch_tanh' and 'gelu' are implemented", name));
}

/// Part 0, 1 or 2 of three of equal size.
std::vector<double> third(const std::vector<double>& all, Index part) {
  const Index size = static_cast<Index>(all.size()) / 3;
  return {all.begin() + part * size, all.begin() + (part + 1) * size};
}

class Gpt2 {
 public:
  Gpt2(const CheckpointConfig& config, CheckpointTensors& tensors)
      : tensors_(tensors),
        prefix_(tensors.has("transformer.wte.weight") ? "transformer." : ""),
        d_model_(config.count("n_embd")),
        heads_(config.count("n_head")),
        width_(config.count("n_inner", 4 * d_model_)),
        activation_(activation_of(config)) {
    if (d_model_ % heads_ != 0)
      config.refuse("n_head", fmt::format("is {}; it must divide n_embd, which is {}", heads_, d_model_));
    config.require_flag("scale_attn_weights", true);
    config.require_flag("scale_attn_by_inverse_layer_idx", false);
    config.require_flag("add_cross_attention", false);
  }

  CheckpointModel read(const CheckpointConfig& config) {
    CheckpointModel read{.model = {.vocabulary = config.count("vocab_size"),
                                   .d_model = d_model_,
                                   .norm = NormKind::layer_norm,
                                   .eps = config.real("layer_norm_epsilon", 1e-5),
                                   .learned_positions = config.count("n_positions", 1024),
                                   .tied_vocabulary = config.flag("tie_word_embeddings", true)},
                         .weights = {},
                         .trained_positions = 0};
    read.trained_positions = read.model.learned_positions;
    read.weights.embedding = tensors_.matrix(prefix_ + "wte.weight", read.model.vocabulary, d_model_);
    read.weights.positions = tensors_.matrix(prefix_ + "wpe.weight", read.model.learned_positions, d_model_);
    const Index layers = config.count("n_layer");
    for (Index label = 0; label < layers; ++label) {
      read.model.layers.push_back({.label = label,
                                   .attention = ProjectedConfig{.d_model = d_model_,
                                                                .h_q = heads_,
                                                                .h_kv = heads_,
                                                                .d_qk = d_model_ / heads_,
                                                                .d_v = d_model_ / heads_,
                                                                .bias = true},
                                   .feed_forward = {.kind = activation_, .width = width_, .bias = true}});
      read.weights.layers.push_back(layer(fmt::format("{}h.{}.", prefix_, label)));
    }
    read.weights.final_norm = norm(prefix_ + "ln_f");
    if (!read.model.tied_vocabulary)
      read.weights.vocabulary = tensors_.matrix("lm_head.weight", read.model.vocabulary, d_model_);
    return read;
  }

 private:
  NormWeights norm(const std::string& name) {
    NormWeights norm;
    norm.gain = tensors_.vector(name + ".weight", d_model_);
    norm.shift = tensors_.vector(name + ".bias", d_model_);
    return norm;
  }

  ProjectedWeights attention(const std::string& attn) {
    const Matrix qkv = tensors_.transposed(attn + "c_attn.weight", 3 * d_model_, d_model_);
    const std::vector<double> bias = tensors_.vector(attn + "c_attn.bias", 3 * d_model_);
    ProjectedWeights weights;
    weights.wq = qkv.row_block(0, d_model_);
    weights.wk = qkv.row_block(d_model_, d_model_);
    weights.wv = qkv.row_block(2 * d_model_, d_model_);
    weights.wo = tensors_.transposed(attn + "c_proj.weight", d_model_, d_model_);
    weights.bq = third(bias, 0);
    weights.bk = third(bias, 1);
    weights.bv = third(bias, 2);
    weights.bo = tensors_.vector(attn + "c_proj.bias", d_model_);
    return weights;
  }

  FeedForwardWeights feed_forward(const std::string& mlp) {
    FeedForwardWeights weights;
    weights.up = tensors_.transposed(mlp + "c_fc.weight", width_, d_model_);
    weights.down = tensors_.transposed(mlp + "c_proj.weight", d_model_, width_);
    weights.up_bias = tensors_.vector(mlp + "c_fc.bias", width_);
    weights.down_bias = tensors_.vector(mlp + "c_proj.bias", d_model_);
    return weights;
  }

  LayerWeights layer(const std::string& h) {
    LayerWeights weights;
    weights.attention_norm = norm(h + "ln_1");
    weights.attention = attention(h + "attn.");
    weights.feed_forward_norm = norm(h + "ln_2");
    weights.feed_forward = feed_forward(h + "mlp.");
    return weights;
  }

  CheckpointTensors& tensors_;
  std::string prefix_;
  Index d_model_;
  Index heads_;
  Index width_;
  FeedForwardKind activation_;
};

const bool registered = CheckpointArchitectureRegistry::instance().add(
    {.name = "gpt2",
     .sentence = "GPT2LMHeadModel: multi-head attention, learned positions, GELU.",
     .read = [](const CheckpointConfig& config, CheckpointTensors& tensors) {
       return Gpt2(config, tensors).read(config);
     }});

}  // namespace
}  // namespace lacuna
