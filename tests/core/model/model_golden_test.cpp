// Whole decoders against GPT2LMHeadModel and LlamaForCausalLM of Hugging Face transformers (golden/make_golden.py).
#include "model/golden_model.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

/// Row block `part` of three of equal size: the library keeps W^Q, W^K and W^V of GPT-2 in one matrix.
Matrix third(const Matrix& all, Index part) { return all.row_block(part * all.rows() / 3, all.rows() / 3); }

std::vector<double> third(const std::vector<double>& all, Index part) {
  const auto size = static_cast<Index>(all.size()) / 3;
  return {all.begin() + part * size, all.begin() + (part + 1) * size};
}

TEST(ModelGolden, Gpt2AgreesWithTransformers) {
  const GoldenFile golden = open_golden("gpt2.golden");
  ModelDescription model{.vocabulary = 17,
                         .d_model = 12,
                         .norm = NormKind::layer_norm,
                         .eps = 1e-5,
                         .learned_positions = golden["transformer.wpe.weight"].rows,
                         .tied_vocabulary = true};
  const auto norm = [&](const std::string& name) {
    return NormWeights{golden[name + ".weight"].data, golden[name + ".bias"].data};
  };
  ModelWeights weights;
  weights.embedding = matrix(golden, "transformer.wte.weight");
  weights.positions = matrix(golden, "transformer.wpe.weight");
  weights.final_norm = norm("transformer.ln_f");
  for (Index label = 0; label < 2; ++label) {
    const std::string h = fmt::format("transformer.h.{}.", label);
    model.layers.push_back(
        {.label = label,
         .attention = ProjectedConfig{.d_model = 12, .h_q = 3, .h_kv = 3, .d_qk = 4, .d_v = 4, .bias = true},
         .feed_forward = {.kind = FeedForwardKind::gelu_tanh, .width = 20, .bias = true}});
    const Matrix qkv = matrix(golden, h + "attn.c_attn.weight");
    const std::vector<double>& qkv_bias = golden[h + "attn.c_attn.bias"].data;
    weights.layers.push_back({.attention_norm = norm(h + "ln_1"),
                              .attention = ProjectedWeights{.wq = third(qkv, 0),
                                                            .wk = third(qkv, 1),
                                                            .wv = third(qkv, 2),
                                                            .wo = matrix(golden, h + "attn.c_proj.weight"),
                                                            .bq = third(qkv_bias, 0),
                                                            .bk = third(qkv_bias, 1),
                                                            .bv = third(qkv_bias, 2),
                                                            .bo = golden[h + "attn.c_proj.bias"].data},
                              .feed_forward_norm = norm(h + "ln_2"),
                              .feed_forward = {.gate = {},
                                               .up = matrix(golden, h + "mlp.c_fc.weight"),
                                               .down = matrix(golden, h + "mlp.c_proj.weight"),
                                               .up_bias = golden[h + "mlp.c_fc.bias"].data,
                                               .down_bias = golden[h + "mlp.c_proj.bias"].data}});
  }
  EXPECT_LT(logit_error(model, weights, golden), 1e-13);
  for (LayerDescription& layer : model.layers) layer.feed_forward.kind = FeedForwardKind::gelu;
  EXPECT_GT(logit_error(model, weights, golden), 1e-6);  // the exact GELU is another model
}

TEST(ModelGolden, LlamaAgreesWithTransformers) {
  const GoldenFile golden = open_golden("llama.golden");
  ModelDescription model{.vocabulary = 17, .d_model = 12, .eps = 1e-6};
  ModelWeights weights;
  weights.embedding = matrix(golden, "model.embed_tokens.weight");
  weights.final_norm.gain = golden["model.norm.weight"].data;
  weights.vocabulary = matrix(golden, "lm_head.weight");
  for (Index label = 0; label < 2; ++label) {
    const std::string h = fmt::format("model.layers.{}.", label);
    model.layers.push_back(
        {.label = label,
         .attention = ProjectedConfig{.d_model = 12,
                                      .h_q = 4,
                                      .h_kv = 2,
                                      .d_qk = 6,
                                      .d_v = 6,
                                      .rope = RopeParameters{.channels = 6, .pairs = RopePairs::half_split}},
         .feed_forward = {.kind = FeedForwardKind::swiglu, .width = 20}});
    weights.layers.push_back({.attention_norm = {golden[h + "input_layernorm.weight"].data, {}},
                              .attention = ProjectedWeights{.wq = matrix(golden, h + "self_attn.q_proj.weight"),
                                                            .wk = matrix(golden, h + "self_attn.k_proj.weight"),
                                                            .wv = matrix(golden, h + "self_attn.v_proj.weight"),
                                                            .wo = matrix(golden, h + "self_attn.o_proj.weight")},
                              .feed_forward_norm = {golden[h + "post_attention_layernorm.weight"].data, {}},
                              .feed_forward = {.gate = matrix(golden, h + "mlp.gate_proj.weight"),
                                               .up = matrix(golden, h + "mlp.up_proj.weight"),
                                               .down = matrix(golden, h + "mlp.down_proj.weight"),
                                               .up_bias = {},
                                               .down_bias = {}}});
  }
  EXPECT_LT(logit_error(model, weights, golden), 1e-13);
}

}  // namespace
}  // namespace lacuna
