// Whole decoders against DeepseekV3ForCausalLM, DeepseekV32ForCausalLM and DeepseekV4ForCausalLM of Hugging Face
// transformers (golden/deepseek.py says how those are configured to be what a description says): the logits of every
// token, what every layer caches, and the logits where the layers with an indexer select.
#include "core/model/layer_pass.hpp"
#include "model/golden_model.hpp"
#include "support/path_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kTolerance = 1e-13;  // sums of at most some hundred products in double, in another order

struct GoldenModel {
  ModelDescription description;
  ModelWeights weights;
};

GoldenModel common_parts(const GoldenFile& golden, Index layers) {
  GoldenModel model{.description = {.vocabulary = 17, .d_model = 12, .eps = 1e-6}, .weights = {}};
  model.weights.embedding = matrix(golden, "model.embed_tokens.weight");
  model.weights.final_norm.gain = golden["model.norm.weight"].data;
  model.weights.vocabulary = matrix(golden, "lm_head.weight");
  model.description.layers.resize(layers);
  model.weights.layers.resize(layers);
  for (Index label = 0; label < layers; ++label) {
    const std::string h = fmt::format("model.layers.{}.", label);
    model.description.layers[label].label = label;
    model.weights.layers[label].attention_norm.gain = golden[h + "input_layernorm.weight"].data;
    model.weights.layers[label].feed_forward_norm.gain = golden[h + "post_attention_layernorm.weight"].data;
  }
  return model;
}

void set_feed_forward(const GoldenFile& golden, const std::string& mlp, Index label, GoldenModel& model) {
  FeedForwardWeights weights;
  weights.gate = matrix(golden, mlp + "gate_proj.weight");
  weights.up = matrix(golden, mlp + "up_proj.weight");
  weights.down = matrix(golden, mlp + "down_proj.weight");
  model.description.layers[label].feed_forward = {.kind = FeedForwardKind::swiglu, .width = weights.up.rows()};
  model.weights.layers[label].feed_forward = std::move(weights);
}

MlaConfig mla_config() {
  return {.d_model = 12,
          .heads = 2,
          .q_lora_rank = 8,
          .kv_lora_rank = 8,
          .qk_nope = 6,
          .qk_rope = 4,
          .d_v = 5,
          .yarn = Yarn{.factor = 40, .original_context = 4096, .beta_fast = 32, .beta_slow = 1}};
}

MlaWeights mla_weights(const GoldenFile& golden, const std::string& attn) {
  return {.wqa = matrix(golden, attn + "q_a_proj.weight"),
          .q_norm = golden[attn + "q_a_layernorm.weight"].data,
          .wqb = matrix(golden, attn + "q_b_proj.weight"),
          .wkva = matrix(golden, attn + "kv_a_proj_with_mqa.weight"),
          .kv_norm = golden[attn + "kv_a_layernorm.weight"].data,
          .wkvb = matrix(golden, attn + "kv_b_proj.weight"),
          .wo = matrix(golden, attn + "o_proj.weight")};
}

GoldenModel v3_model(const GoldenFile& golden) {
  GoldenModel model = common_parts(golden, 2);
  for (Index label = 0; label < 2; ++label) {
    const std::string h = fmt::format("model.layers.{}.", label);
    model.description.layers[label].attention = mla_config();
    model.weights.layers[label].attention = mla_weights(golden, h + "self_attn.");
    set_feed_forward(golden, h + "mlp.", label, model);
  }
  return model;
}

GoldenModel v32_model(const GoldenFile& golden) {
  GoldenModel model = v3_model(golden);
  for (Index label = 0; label < 2; ++label) {
    const std::string attn = fmt::format("model.layers.{}.self_attn.", label);
    const std::string indexer = attn + "indexer.";
    model.description.layers[label].attention = SparseMlaConfig{.mla = mla_config(), .index_heads = 6, .d_index = 6};
    SparseMlaWeights weights{.mla = mla_weights(golden, attn), .indexer = {}};
    weights.indexer = {.wq = matrix(golden, indexer + "wq_b.weight"),
                       .wk = matrix(golden, indexer + "wk.weight"),
                       .k_norm_gain = golden[indexer + "k_norm.weight"].data,
                       .k_norm_bias = golden[indexer + "k_norm.bias"].data,
                       .ww = matrix(golden, indexer + "weights_proj.weight")};
    model.weights.layers[label].attention = std::move(weights);
  }
  return model;
}

CompressorWeights compressor(const GoldenFile& golden, const std::string& prefix) {
  return {.kv = matrix(golden, prefix + "kv_proj.weight"),
          .gate = matrix(golden, prefix + "gate_proj.weight"),
          .ape = matrix(golden, prefix + "position_bias"),
          .gamma = golden[prefix + "kv_norm.weight"].data};
}

SharedStateConfig v4_config(Index ratio) {
  SharedStateConfig config = SharedStateConfig::v4_flash(ratio == 8 ? 128 : ratio);
  config.d_model = 12;
  config.heads = 2;
  config.head_dim = 8;
  config.qk_rope = 4;
  config.q_lora_rank = 8;
  config.o_groups = 2;
  config.o_lora_rank = 4;
  config.local_window = 4;
  config.ratio = ratio;
  config.index_heads = 6;
  config.d_index = 6;
  return config;
}

SharedStateWeights v4_weights(const GoldenFile& golden, const SharedStateConfig& config, const std::string& attn) {
  SharedStateWeights weights;
  weights.query_down = matrix(golden, attn + "q_a_proj.weight");
  weights.query_gamma = golden[attn + "q_a_norm.weight"].data;
  weights.query_up = matrix(golden, attn + "q_b_proj.weight");
  weights.kv = matrix(golden, attn + "kv_proj.weight");
  weights.kv_gamma = golden[attn + "kv_norm.weight"].data;
  weights.sink_logit = golden[attn + "sinks"].data;
  for (Index group = 0; group < config.o_groups; ++group)
    weights.output_down.push_back(
        matrix(golden, attn + "o_a_proj.weight").row_block(group * config.o_lora_rank, config.o_lora_rank));
  weights.output_up = matrix(golden, attn + "o_b_proj.weight");
  if (config.ratio > 0) weights.compressor = compressor(golden, attn + "compressor.");
  if (config.owns_indexer) {
    weights.indexer.query = matrix(golden, attn + "compressor.indexer.q_b_proj.weight");
    weights.indexer.weight = matrix(golden, attn + "compressor.indexer.scorer.weights_proj.weight");
    weights.indexer.compressor = compressor(golden, attn + "compressor.indexer.");
  }
  return weights;
}

/// A window, an overlapping compression of 4 tokens with an indexer, a compression of 8 tokens.
GoldenModel v4_model(const GoldenFile& golden) {
  const std::vector<Index> ratios = {0, 4, 8};
  GoldenModel model = common_parts(golden, 3);
  for (Index label = 0; label < 3; ++label) {
    const std::string h = fmt::format("model.layers.{}.", label);
    const SharedStateConfig config = v4_config(ratios[label]);
    model.description.layers[label].attention = config;
    model.weights.layers[label].attention = v4_weights(golden, config, h + "self_attn.");
    set_feed_forward(golden, h + "mlp.shared_experts.", label, model);
  }
  return model;
}

using BuildModel = GoldenModel (*)(const GoldenFile&);

struct Case {
  const char* file;
  BuildModel build;
};

const Case kCases[] = {
    {"deepseek_v3.golden", v3_model}, {"deepseek_v32.golden", v32_model}, {"deepseek_v4.golden", v4_model}};

TEST(DeepseekGolden, LogitsOfEveryTokenAgreeWithTransformers) {
  for (const auto& [file, build] : kCases) {
    const GoldenFile golden = open_golden(file);
    const GoldenModel model = build(golden);
    EXPECT_LT(logit_error(model.description, model.weights, golden), kTolerance) << file;
  }
}

TEST(DeepseekGolden, WhatEveryLayerCachesAgreesWithTransformers) {
  Index blocks = 0;
  for (const auto& [file, build] : kCases) {
    const GoldenFile golden = open_golden(file);
    const GoldenModel model = build(golden);
    const Decoder decoder(model.description, model.weights);
    ModelCache cache = decoder.start();
    decoder.append(golden_tokens(golden), cache);
    for (std::size_t place = 0; place < cache.layers.size(); ++place) {
      const LayerCache& layer = std::get<LayerCache>(cache.layers[place]);
      const auto compare = [&](const std::string& what, const std::vector<double>& rows) {
        const std::string block = fmt::format("cache.{}.{}", place, what);
        ASSERT_EQ(golden.has(block), !rows.empty()) << file << " " << block;
        if (rows.empty()) return;
        EXPECT_LT(largest_relative(rows, golden[block]), kTolerance) << file << " " << block;
        ++blocks;
      };
      const bool is_v4 = std::holds_alternative<SharedStateConfig>(model.description.layers[place].attention);
      compare(is_v4 ? "entries" : "rows", layer.k.front());
      compare("index_k", layer.index_k);
      compare("local", layer.local.empty() ? std::vector<double>() : layer.local.front());
    }
  }
  EXPECT_EQ(blocks,
            2 + 4 + 6);  // V3 rows, V3.2 rows and index keys; V4 local rows of three, entries of two, index keys
}

/// Logits [tokens, vocabulary] where layers with an indexer attend the top_k rows that it scores highest, and the rows
/// of their window.
std::vector<double> selecting_logits(const Decoder& decoder, const std::vector<Index>& tokens, Index top_k) {
  const Parameters select =
      path_of({{"select.by", text("indexer")}, {"select.k", count(top_k)}, {"select.share", text("layer")}});
  LayerPass pass(decoder, tokens);
  while (!pass.done()) {
    const AttentionProblem problem = pass.problem();
    const bool selects = decoder.model().layers[pass.place()].owns_indexer();
    std::vector<double> o;
    for (const std::vector<PathRow>& heads : run_path(problem, selects ? select : path_of({})).rows)
      for (const PathRow& head : heads) o.insert(o.end(), head.o.begin(), head.o.end());
    pass.advance(o);
  }
  std::vector<double> logits;
  for (Index t = 0; t < pass.tokens(); ++t) {
    const std::vector<double> token = decoder.logits(pass.hidden(t));
    logits.insert(logits.end(), token.begin(), token.end());
  }
  return logits;
}

TEST(DeepseekGolden, LogitsOverSelectedRowsAgreeWithTransformers) {
  for (const auto& [file, build] : {kCases[1], kCases[2]}) {
    const GoldenFile golden = open_golden(file);
    const GoldenModel model = build(golden);
    const Decoder decoder(model.description, model.weights);
    const std::vector<Index> tokens = golden_tokens(golden);
    const Index top_k = golden.size("top_k");
    EXPECT_LT(largest_relative(selecting_logits(decoder, tokens, top_k), golden["logits_top_k"]), kTolerance) << file;
    EXPECT_LT(largest_relative(selecting_logits(decoder, tokens, 1000), golden["logits"]), kTolerance) << file;
    EXPECT_GT(largest_relative(selecting_logits(decoder, tokens, top_k + 1), golden["logits_top_k"]), 1e-4) << file;
  }
}

// The agreement above is one of constants too: each of these alone ends it.
TEST(DeepseekGolden, AnotherConstantIsAnotherModel) {
  const GoldenFile v3_file = open_golden("deepseek_v3.golden");
  GoldenModel v3 = v3_model(v3_file);
  for (LayerDescription& layer : v3.description.layers) std::get<MlaConfig>(layer.attention).mscale = 0;
  EXPECT_GT(logit_error(v3.description, v3.weights, v3_file), 1e-3);
  v3 = v3_model(v3_file);
  for (LayerDescription& layer : v3.description.layers) std::get<MlaConfig>(layer.attention).yarn->factor = 1;
  EXPECT_GT(logit_error(v3.description, v3.weights, v3_file), 1e-3);

  const GoldenFile v4_file = open_golden("deepseek_v4.golden");
  const auto v4_error = [&](auto&& change) {
    GoldenModel v4 = v4_model(v4_file);
    for (LayerDescription& layer : v4.description.layers) change(std::get<SharedStateConfig>(layer.attention));
    return logit_error(v4.description, v4.weights, v4_file);
  };
  EXPECT_GT(v4_error([](SharedStateConfig& config) { config.local_window = 3; }), 1e-3);
  EXPECT_GT(v4_error([](SharedStateConfig& config) { config.normalise_q = false; }), 1e-3);
  EXPECT_GT(v4_error([](SharedStateConfig& config) { config.compressed_yarn.factor = 1; }), 1e-6);
  EXPECT_GT(v4_error([](SharedStateConfig& config) { config.compressed_base = 10000; }), 1e-6);
}

}  // namespace
}  // namespace lacuna
