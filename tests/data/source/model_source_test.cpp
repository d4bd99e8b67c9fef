#include <gtest/gtest.h>

#include <map>

#include "core/reference/exact_row.hpp"
#include "data/source/model.hpp"

namespace lacuna {
namespace {

Parameters model_parameters(const std::string& preset, const std::map<std::string, ParameterValue>& given = {}) {
  Parameters parameters;
  for (const ParameterSpec& spec : SourceRegistry::instance().at("model").parameters)
    if (spec.default_value) parameters.set(spec.key, *spec.default_value);
  parameters.set("preset", preset);
  parameters.set("d_model", std::int64_t{32});
  parameters.set("n", std::int64_t{40});
  parameters.set("judge_every", std::int64_t{10});
  for (const auto& [key, value] : given) parameters.set(key, value);
  return parameters;
}

/// Attends exactly and keeps what every layer and position gave.
class KeepingAttend final : public AttendLayer {
 public:
  std::vector<double> attend(Index label, const LayerInputs& inputs) override {
    return given[{label, inputs.query_position.front()}] = exact_.attend(label, inputs);
  }
  std::map<std::pair<Index, Index>, std::vector<double>> given;  // [label, position] -> [h_q, d_v]

 private:
  ExactAttend exact_;
};

TEST(ModelSource, GivesTheProblemsThatTheModelAttends) {
  for (const char* preset : {"v41_small", "gpt2_small", "yoco"}) {
    SCOPED_TRACE(preset);
    const ModelSource source(model_parameters(preset, {{"sequences", std::int64_t{2}}}), 5);
    const SourceShape& shape = source.shape();
    EXPECT_EQ(shape.query_position, (std::vector<Index>{9, 19, 29, 39}));
    ModelCache cache = source.decoder().start();
    KeepingAttend kept;
    source.decoder().append(source.tokens(1), cache, kept);
    for (std::size_t layer = 0; layer < shape.layer.size(); ++layer) {
      const AttentionProblem problem = source.load(1, static_cast<Index>(layer));
      ASSERT_EQ(problem.s_q(), 4);
      for (Index query = 0; query < 4; ++query) {
        const SeenRows seen = problem.seen(problem.query_position[query]);
        const std::vector<double>& o = kept.given.at({shape.layer[layer], problem.query_position[query]});
        for (Index head = 0; head < problem.h_q(); ++head) {
          const Index kv_head = problem.kv_head_of(head);
          const ExactRow row = exact_row(problem.queries(head), query, problem.seen_keys(kv_head, seen),
                                         problem.seen_values(kv_head, seen), seen.count(), problem.sm_scale,
                                         problem.sink(head), seen.local);
          for (Index c = 0; c < problem.d_v(); ++c) ASSERT_NEAR(row.o[c], o[head * problem.d_v() + c], 1e-12);
        }
      }
    }
  }
}

TEST(ModelSource, GivesTheSameBitsInAnyOrderOfLayers) {
  const ModelSource source(model_parameters("v41_small", {{"sequences", std::int64_t{2}}}), 5);
  const auto keys = [&](Index sequence, Index layer) {
    const AttentionProblem problem = source.load(sequence, layer);
    std::vector<double> numbers;
    for (Index query = 0; query < problem.s_q(); ++query)
      for (Index c = 0; c < problem.d_qk(); ++c) numbers.push_back(problem.queries(0).at(query, c));
    return numbers;
  };
  const std::vector<double> third = keys(0, 3);
  const std::vector<double> ninth = keys(0, 9);
  EXPECT_NE(third, ninth);
  EXPECT_NE(keys(1, 3), third);
  EXPECT_EQ(keys(0, 9), ninth);
  EXPECT_EQ(keys(0, 3), third);
}

TEST(ModelSource, DrawsTokensOfTheWholeVocabulary) {
  const ModelSource source(model_parameters("llama_7b", {{"layers", std::int64_t{1}},
                                                         {"vocabulary", std::int64_t{7}},
                                                         {"n", std::int64_t{700}},
                                                         {"sequences", std::int64_t{2}}}),
                           1);
  std::map<Index, Index> counts;
  for (const Index token : source.tokens(0)) ++counts[token];
  ASSERT_EQ(counts.size(), 7u);
  EXPECT_EQ(counts.begin()->first, 0);
  EXPECT_EQ(counts.rbegin()->first, 6);
  // 100 are expected of each, with a standard deviation of 9.3
  for (const auto& [token, count] : counts) EXPECT_NEAR(count, 100, 47) << token;
  EXPECT_NE(source.tokens(0), source.tokens(1));
}

TEST(ModelSourceFaults, NameTheParameter) {
  const auto message = [](const std::string& preset, const std::map<std::string, ParameterValue>& given) {
    try {
      ModelSource(model_parameters(preset, given), 1);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      message("v41_flash", {{"d_model", std::int64_t{5120}}}),
      "d_model = 5120: it must be a multiple of 16, at most 1024: a model is run whole and in double, so published "
      "extents are refused");
  EXPECT_NE(message("v99", {}).find("model 'v99' is not known"), std::string::npos);
  EXPECT_EQ(message("gpt2_small", {{"n", std::int64_t{1025}}}), "1025 tokens; gpt2_small has 1024 learned positions");
  EXPECT_EQ(message("v41_small", {{"judge_every", std::int64_t{41}}}),
            "judge_every = 41 is more than the 40 tokens of a sequence");
  EXPECT_EQ(message("v41_small", {{"layers", std::int64_t{17}}}), "layers is 17; the model has 16");
}

}  // namespace
}  // namespace lacuna
