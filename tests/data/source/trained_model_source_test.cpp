// The source `model` of a checkpoint.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/mechanism/golden_file.hpp"
#include "data/base/sha256.hpp"
#include "data/checkpoint/small_checkpoint.hpp"
#include "data/source/model.hpp"

namespace lacuna {
namespace {

const std::vector<Index> kTokens = {3, 14, 15, 9, 26, 53, 58, 9, 7, 9, 32, 38, 46, 26, 43, 38};

Parameters with_defaults(const std::map<std::string, ParameterValue>& given) {
  Parameters parameters;
  for (const ParameterSpec& spec : SourceRegistry::instance().at("model").parameters)
    if (spec.default_value) parameters.set(spec.key, *spec.default_value);
  for (const auto& [key, value] : given) parameters.set(key, value);
  return parameters;
}

/// A checkpoint and a file of tokens beside it.
struct Study {
  explicit Study(const std::string& name, const std::string& text = fmt::format("{}\n", fmt::join(kTokens, " ")))
      : checkpoint(name) {
    write_bytes(tokens(), text);
  }
  std::string tokens() const { return checkpoint / "tokens.txt"; }
  Parameters parameters(const std::map<std::string, ParameterValue>& more = {}) const {
    std::map<std::string, ParameterValue> given = {{"checkpoint", checkpoint.folder()}, {"tokens", tokens()}};
    given.insert({"judge_every", std::int64_t{4}});
    for (const auto& [key, value] : more) given[key] = value;
    return with_defaults(given);
  }
  SmallCheckpoint checkpoint;
};

TEST(TrainedModelSource, HasTheHeadsOfTheCheckpointAndTheTokensOfTheFile) {
  const Study study("llama", "3 14 15 9 26\n53 58 9 7 9\n");
  const ModelSource source(study.parameters(), 1);
  EXPECT_EQ(source.shape().sequence, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(source.shape().layer, (std::vector<Index>{0, 1}));
  EXPECT_EQ(source.shape().kv_head, (std::vector<Index>{0, 0, 1, 1}));
  EXPECT_EQ(source.shape().query_position, (std::vector<Index>{3}));
  EXPECT_EQ(source.shape().keys, 5);
  EXPECT_EQ(source.tokens(0), (std::vector<Index>{3, 14, 15, 9, 26}));
  EXPECT_EQ(source.tokens(1), (std::vector<Index>{53, 58, 9, 7, 9}));
  EXPECT_EQ(ModelSource(study.parameters({{"n", std::int64_t{4}}}), 1).tokens(1), (std::vector<Index>{53, 58, 9, 7}));
}

TEST(TrainedModelSource, FirstKeysAreTheProjectionsOfTheFirstEmbeddings) {
  const Study study("llama");
  const ModelSource source(study.parameters(), 1);
  const AttentionProblem problem = source.load(0, 0);
  const SmallTensors tensors = read_small_tensors(study.checkpoint / "model.safetensors");
  const std::vector<double> embedding = numbers_of(tensors.at("model.embed_tokens.weight"));
  const std::vector<double> gain = numbers_of(tensors.at("model.layers.0.input_layernorm.weight"));
  const std::vector<double> wv = numbers_of(tensors.at("model.layers.0.self_attn.v_proj.weight"));
  for (Index t = 0; t < 16; ++t) {
    double square = 0;
    for (Index c = 0; c < 24; ++c) square += std::pow(embedding[kTokens[t] * 24 + c], 2);
    for (Index channel = 0; channel < 16; ++channel) {  // values are not rotated
      double v = 0;
      for (Index c = 0; c < 24; ++c)
        v += wv[channel * 24 + c] * gain[c] * embedding[kTokens[t] * 24 + c] / std::sqrt(square / 24 + 1e-5);
      EXPECT_NEAR(problem.values(channel / 8).at(t, channel % 8), v, 1e-13 * (1 + std::abs(v)));
    }
  }
}

TEST(TrainedModelSource, DigestIsOfEveryFileThatWasRead) {
  const Study study("deepseek_v3");
  const ModelSource source(study.parameters(), 1);
  std::vector<std::string> digests;
  for (const char* name : {"config.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors",
                           "model-00002-of-00002.safetensors", "tokens.txt"})
    digests.push_back(file_sha256(study.checkpoint / name));
  EXPECT_EQ(source.input_sha256(), sha256_of_digests(digests));
  EXPECT_EQ(ModelSource(with_defaults({{"preset", std::string("llama_7b")}}), 1).input_sha256(), "");
  const ModelSource changed(study.parameters(), 1);
  write_bytes(study.tokens(), "3 1 4 1 5\n");
  EXPECT_EQ(message_of<InputError>([&] { changed.input_sha256(); }), study.tokens() + ": changed since it was opened");
}

TEST(TrainedModelSource, TokensOfAFileGoWithAPresetToo) {
  const Study study("llama");
  Parameters parameters = with_defaults({{"preset", std::string("llama_7b")},
                                         {"layers", std::int64_t{1}},
                                         {"judge_every", std::int64_t{4}},
                                         {"tokens", study.tokens()}});
  EXPECT_EQ(ModelSource(parameters, 1).tokens(0), kTokens);
}

TEST(TrainedModelSource, NotesTokensBeyondTheLengthThatTheModelWasMadeFor) {
  const Study study("llama");
  EXPECT_EQ(ModelSource(study.parameters({{"n", std::int64_t{32}}}), 1).notes(), std::vector<std::string>());
  std::string long_row;
  for (int i = 0; i < 33; ++i) long_row += "5 ";
  const Study long_study("llama", long_row);
  const std::vector<std::string> notes = ModelSource(long_study.parameters(), 1).notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("33 tokens; ")) << notes[0];
  EXPECT_TRUE(notes[0].ends_with(" was made for sequences of at most 32")) << notes[0];
}

TEST(TrainedModelSourceFaults, NameFileAndPlace) {
  const Study beyond("llama", "3 1\n4 61\n");
  EXPECT_EQ(message_of<ParameterError>([&] {
              ModelSource(beyond.parameters({{"judge_every", std::int64_t{1}}}), 1);
            }),
            beyond.tokens() + ": sequence 1, position 1: token 61 is outside the vocabulary of 61");
  const Study few("llama", "3 1 4\n");
  EXPECT_EQ(message_of<ParameterError>([&] { ModelSource(few.parameters(), 1); }),
            "judge_every = 4 is more than the 3 tokens of a sequence");
  std::string long_row;
  for (int i = 0; i < 17; ++i) long_row += "5 ";
  const Study many("gpt2", long_row);
  EXPECT_TRUE(message_of<ParameterError>([&] { ModelSource(many.parameters(), 1); }).starts_with("17 tokens; "));
}

TEST(TrainedModelSourceFaults, WhatDoesNotGoTogetherIsNamed) {
  const auto check = SourceRegistry::instance().at("model").check;
  const auto faults = [&](const std::map<std::string, ParameterValue>& given) {
    std::map<std::string, std::string> found;
    for (const ParameterFault& fault : check(with_defaults(given))) found[fault.key] = fault.message;
    return found;
  };
  using Faults = std::map<std::string, std::string>;
  const Study study("llama");
  const ParameterValue checkpoint = study.checkpoint.folder(), tokens = study.tokens(), two = std::int64_t{2};
  const ParameterValue preset = std::string("llama_7b");
  EXPECT_EQ(faults({{"preset", preset}}), Faults());
  EXPECT_EQ(faults({{"preset", preset}, {"tokens", tokens}, {"d_model", std::int64_t{32}}}), Faults());
  EXPECT_EQ(faults({{"checkpoint", checkpoint}, {"tokens", tokens}}), Faults());
  EXPECT_EQ(faults({}), (Faults{{"kind", "'preset' or 'checkpoint' is missing"}}));
  EXPECT_EQ(faults({{"checkpoint", checkpoint}, {"tokens", tokens}, {"preset", preset}}),
            (Faults{{"preset", "a checkpoint has a model of its own; give one of the two"}}));
  EXPECT_EQ(faults({{"checkpoint", checkpoint}}),
            (Faults{{"checkpoint", "'tokens' is missing: random tokens say nothing about a trained model"}}));
  EXPECT_EQ(faults({{"preset", preset}, {"tokens", tokens}, {"sequences", two}}),
            (Faults{{"sequences", "the rows of the file of tokens are the sequences"}}));
  for (const char* key : {"d_model", "layers", "vocabulary", "window"})
    EXPECT_EQ(faults({{"checkpoint", checkpoint}, {"tokens", tokens}, {key, two}}),
              (Faults{{key, fmt::format("'{}' shapes a preset; a checkpoint is taken as it is", key)}}));
}

TEST(TrainedModelSourceFaults, EveryFaultOfAPresetAndOfTheFilesIsFoundAtOnce) {
  const auto check = SourceRegistry::instance().at("model").check;
  const auto faults = [&](const std::map<std::string, ParameterValue>& given) {
    std::vector<std::string> found;
    for (const ParameterFault& fault : check(with_defaults(given)))
      found.push_back(fmt::format("{} {}", fault.key, static_cast<int>(fault.code)));
    return found;
  };
  using Faults = std::vector<std::string>;
  const Study study("llama");
  const ParameterValue absent = study.checkpoint / "absent", folder = study.checkpoint.folder();
  EXPECT_EQ(faults({{"preset", std::string("gpt2_small")},
                    {"d_model", std::int64_t{40}},
                    {"layers", std::int64_t{13}},
                    {"n", std::int64_t{1025}},
                    {"judge_every", std::int64_t{1026}}}),
            (Faults{"d_model 2", "layers 2", "n 2", "judge_every 2"}));
  EXPECT_EQ(faults({{"checkpoint", absent}, {"tokens", folder}}), (Faults{"checkpoint 3", "tokens 3"}));
  EXPECT_EQ(faults({{"checkpoint", study.tokens()}, {"tokens", absent}}), (Faults{"checkpoint 3", "tokens 3"}));
}

TEST(TrainedModelSource, NotesParametersThatNoLayerOfThePresetUses) {
  const auto notes = [](const std::string& preset) {
    return ModelSource(with_defaults({{"preset", preset},
                                      {"layers", std::int64_t{2}},
                                      {"window", std::int64_t{4}},
                                      {"query_similarity", 0.5}}),
                       1)
        .notes();
  };
  EXPECT_EQ(notes("llama_7b"),
            (std::vector<std::string>{"source.window = 4 changes nothing: no layer of llama_7b has a window",
                                      "source.query_similarity = 0.5 changes nothing: no layer of llama_7b has a "
                                      "shared state"}));
  EXPECT_EQ(notes("v41_small"), std::vector<std::string>());
}

}  // namespace
}  // namespace lacuna
