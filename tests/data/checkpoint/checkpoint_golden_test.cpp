// Checkpoints that transformers wrote, read and run, against the logits that it computes from them in double.
#include <gtest/gtest.h>

#include "core/mechanism/golden_file.hpp"
#include "core/model/decoder.hpp"
#include "data/checkpoint/small_checkpoint.hpp"

namespace lacuna {
namespace {

struct Logits {
  std::vector<double> found, expected;  // [tokens, vocabulary]
};

Logits logits_of(Checkpoint checkpoint, const std::string& golden_name) {
  const std::string path = golden_checkpoint(golden_name) + "/logits.golden";
  std::ifstream in(path);
  const GoldenFile golden(in, path);
  const Index d_model = checkpoint.model.d_model;
  const Decoder decoder(std::move(checkpoint.model), std::move(checkpoint.weights));
  const std::vector<double>& numbers = golden["tokens"].data;
  const std::vector<Index> tokens(numbers.begin(), numbers.end());
  ModelCache cache = decoder.start();
  const std::vector<double> hidden = decoder.append(tokens, cache);
  Logits logits{.found = {}, .expected = golden["logits"].data};
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::vector<double> row = decoder.logits(std::span(hidden).subspan(t * d_model, d_model));
    logits.found.insert(logits.found.end(), row.begin(), row.end());
  }
  return logits;
}

/// The largest difference as a part of the largest logit; NaN counts as infinite.
double logit_error(Checkpoint checkpoint, const std::string& golden_name) {
  const Logits logits = logits_of(std::move(checkpoint), golden_name);
  EXPECT_EQ(logits.found.size(), logits.expected.size());
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < logits.expected.size(); ++i) {
    largest = std::max(largest, std::abs(logits.expected[i]));
    const double difference = std::abs(logits.found[i] - logits.expected[i]);
    if (!(difference <= error)) error = std::isnan(difference) ? INFINITY : difference;
  }
  EXPECT_GT(largest, 1);
  return error / largest;
}

TEST(CheckpointGolden, ReadsWhatTransformersWroteAsTransformersDoes) {
  for (const char* name : {"gpt2", "llama", "deepseek_v3"}) {
    SCOPED_TRACE(name);
    Checkpoint checkpoint = read_checkpoint(golden_checkpoint(name));
    EXPECT_EQ(checkpoint.model.name, name);
    EXPECT_EQ(checkpoint.model.vocabulary, 61);
    EXPECT_EQ(checkpoint.model.layers.size(), 2u);
    EXPECT_EQ(checkpoint.notes, std::vector<std::string>());
    EXPECT_LT(logit_error(std::move(checkpoint), name), 1e-13);
  }
}

TEST(CheckpointGolden, KeysOfTheConfigurationMatter) {
  const auto error = [](SmallCheckpoint& checkpoint, const char* name) { return logit_error(checkpoint.read(), name); };
  SmallCheckpoint base("llama"), groups("gpt2"), eps("gpt2"), yarn("deepseek_v3"), gelu("gpt2");
  EXPECT_GT(error(base.config("\"rope_theta\": 100000.0", "\"rope_theta\": 10000.0"), "llama"), 1e-3);
  EXPECT_GT(error(groups.config("\"n_head\": 2", "\"n_head\": 4"), "gpt2"), 1e-3);
  EXPECT_GT(error(eps.config("\"layer_norm_epsilon\": 1e-05", "\"layer_norm_epsilon\": 1e-03"), "gpt2"), 1e-6);
  EXPECT_GT(error(yarn.config("\"rope_type\": \"yarn\"", "\"rope_type\": \"default\""), "deepseek_v3"), 1e-4);
  EXPECT_GT(error(gelu.config("\"gelu_new\"", "\"gelu\""), "gpt2"), 1e-6);
}

TEST(CheckpointGolden, TheOlderSpellingOfRotaryPositionsIsTheSame) {
  SmallCheckpoint llama("llama");
  llama.config("\"rope_parameters\": {\n    \"rope_theta\": 100000.0,\n    \"rope_type\": \"default\"\n  }",
               "\"rope_scaling\": null, \"rope_theta\": 100000.0");
  EXPECT_LT(logit_error(llama.read(), "llama"), 1e-13);
  SmallCheckpoint deepseek("deepseek_v3");
  deepseek.config("\"rope_parameters\": {", "\"rope_theta\": 10000.0, \"rope_scaling\": {");
  deepseek.config("\"rope_type\": \"yarn\"", "\"type\": \"yarn\"").config("\"rope_theta\": 10000.0,\n", "\n");
  EXPECT_LT(logit_error(deepseek.read(), "deepseek_v3"), 1e-13);
}

TEST(CheckpointGolden, PublishedGpt2HasNamesWithoutAPrefixAndStoresItsMasks) {
  SmallCheckpoint checkpoint("gpt2");
  checkpoint.tensors([](SmallTensors& tensors) {
    SmallTensors renamed;
    for (const auto& [name, tensor] : tensors) {
      ASSERT_TRUE(name.starts_with("transformer."));
      renamed[name.substr(12)] = tensor;
    }
    renamed["h.0.attn.bias"] = {"BOOL", {1, 1, 16, 16}, std::string(256, '\1')};
    tensors = renamed;
  });
  Checkpoint read = checkpoint.read();
  EXPECT_EQ(read.notes,
            std::vector<std::string>{checkpoint / "model.safetensors" + ": tensor 'h.0.attn.bias' is not read"});
  EXPECT_LT(logit_error(std::move(read), "gpt2"), 1e-13);
}

TEST(CheckpointGolden, WiderElementsAreTheSameNumbers) {
  for (const char* dtype : {"F64", "F16"}) {  // every weight is a multiple of 1/64 below 16, which f16 holds
    SmallCheckpoint checkpoint("llama");
    checkpoint.tensors([&](SmallTensors& tensors) {
      for (auto& [name, tensor] : tensors)
        tensor = {dtype, tensor.extents, stored(numbers_of(tensor), dtype == std::string("F64") ? "f64" : "f16")};
    });
    EXPECT_LT(logit_error(checkpoint.read(), "llama"), 1e-13) << dtype;
  }
}

TEST(CheckpointGolden, NarrowElementsAreTheNumbersThatTheyHold) {
  enum class Kept { bf16, cut_f32, f32 };
  const auto logits = [](Kept kept) {
    SmallCheckpoint checkpoint("llama");
    checkpoint.tensors([&](SmallTensors& tensors) {
      for (auto& [name, tensor] : tensors) {
        std::vector<double> values = numbers_of(tensor);
        for (double& x : values) x *= 1.01;  // more digits than bf16 has
        if (kept == Kept::cut_f32)
          for (double& x : values) x = std::bit_cast<float>(static_cast<std::uint32_t>(bf16_bits(x)) << 16);
        if (kept == Kept::bf16)
          tensor = {"BF16", tensor.extents, stored(values, "bf16")};
        else
          tensor.bytes = stored(values, "f32");
      }
    });
    return logits_of(checkpoint.read(), "llama").found;
  };
  EXPECT_EQ(logits(Kept::bf16), logits(Kept::cut_f32));
  EXPECT_NE(logits(Kept::bf16), logits(Kept::f32));
}

TEST(CheckpointGolden, ShardsAreTheSameAsOneFile) {
  SmallCheckpoint checkpoint("deepseek_v3");
  EXPECT_EQ(checkpoint.read().files.size(), 4u);
  SmallTensors all = read_small_tensors(checkpoint / "model-00001-of-00002.safetensors");
  all.merge(read_small_tensors(checkpoint / "model-00002-of-00002.safetensors"));
  write_small_tensors(checkpoint / "joined.safetensors", all);
  Checkpoint joined = read_checkpoint(checkpoint / "joined.safetensors");
  EXPECT_EQ(joined.model.name, "joined.safetensors");
  EXPECT_EQ(joined.files, (std::vector<std::string>{checkpoint / "config.json", checkpoint / "joined.safetensors"}));
  EXPECT_LT(logit_error(std::move(joined), "deepseek_v3"), 1e-13);
  EXPECT_LT(logit_error(read_checkpoint(checkpoint / "model.safetensors.index.json"), "deepseek_v3"), 1e-13);
}

TEST(CheckpointGolden, ASeparateHeadThatEqualsTheEmbeddingIsTheTiedOne) {
  SmallCheckpoint checkpoint("llama");
  checkpoint.config("\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
  checkpoint.tensors(
      [](SmallTensors& tensors) { tensors["lm_head.weight"] = tensors.at("model.embed_tokens.weight"); });
  EXPECT_LT(logit_error(checkpoint.read(), "llama"), 1e-13);
}

}  // namespace
}  // namespace lacuna
