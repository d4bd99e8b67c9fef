// The synthetic sources are what their parameters say, in the statistics that the parameters name.
#include <gtest/gtest.h>

#include <cmath>

#include "data/problem_source.hpp"

namespace lacuna {
namespace {

/// Defaults of the kind, with some values replaced.
Parameters parameters_of(const std::string& kind, const std::map<std::string, ParameterValue>& given) {
  Parameters parameters;
  for (const ParameterSpec& spec : SourceRegistry::instance().at(kind).parameters)
    if (spec.default_value) parameters.set(spec.key, *spec.default_value);
  for (const auto& [key, value] : given) parameters.set(key, value);
  return parameters;
}

std::unique_ptr<ProblemSource> open(const std::string& kind, const std::map<std::string, ParameterValue>& given) {
  return SourceRegistry::instance().at(kind).open(parameters_of(kind, given), 42);
}

double score(const AttentionProblem& problem, Index head, Index query, Index key) {
  double dot = 0;
  for (Index c = 0; c < problem.d_qk(); ++c)
    dot += problem.queries(head).at(query, c) * problem.keys(problem.kv_head_of(head)).at(key, c);
  return problem.sm_scale * dot;
}

struct Moments {
  double mean = 0, deviation = 0, largest = 0;
};
Moments score_moments(const AttentionProblem& problem) {
  double sum = 0, square = 0, largest = 0;
  Index n = 0;
  for (Index head = 0; head < problem.h_q(); ++head)
    for (Index query = 0; query < problem.s_q(); ++query)
      for (Index key = 0; key < problem.s_kv(); ++key, ++n) {
        const double s = score(problem, head, query, key);
        sum += s;
        square += s * s;
        largest = std::max(largest, std::abs(s));
      }
  return {sum / n, std::sqrt(square / n - sum / n * (sum / n)), largest};
}

TEST(GaussianSource, ScoresHaveTheStandardDeviationOfItsParameter) {
  for (const double wanted : {1.0, 3.0}) {
    const auto source =
        open("gaussian", {{"n", std::int64_t{2000}}, {"queries", std::int64_t{50}}, {"score_std", wanted}});
    const Moments scores = score_moments(source->load(0, 0));
    EXPECT_NEAR(scores.mean, 0, 0.02 * wanted);
    EXPECT_NEAR(scores.deviation, wanted, 0.03 * wanted);
  }
}

TEST(GaussianSource, EveryPlaceHasItsOwnNumbersAndTheSameOnesAgain) {
  const auto source = open("gaussian", {{"n", std::int64_t{10}},
                                        {"queries", std::int64_t{10}},
                                        {"sequences", std::int64_t{2}},
                                        {"layers", std::int64_t{2}},
                                        {"kv_heads", std::int64_t{2}}});
  std::vector<double> seen;
  for (Index sequence = 0; sequence < 2; ++sequence)
    for (Index layer = 0; layer < 2; ++layer) {
      const AttentionProblem problem = source->load(sequence, layer);
      for (Index head = 0; head < 4; ++head) seen.push_back(problem.queries(head).at(3, 1));
      for (Index head = 0; head < 2; ++head) {
        seen.push_back(problem.keys(head).at(3, 1));
        seen.push_back(problem.values(head).at(3, 1));
      }
      EXPECT_EQ(problem.keys(1).at(9, 63), source->load(sequence, layer).keys(1).at(9, 63));
    }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(SyntheticSource, QueriesAreSpreadAndTheLastStandsAtTheLastKey) {
  const auto source = open("gaussian", {{"n", std::int64_t{10}}, {"queries", std::int64_t{4}}});
  EXPECT_EQ(source->shape().query_position, (std::vector<Index>{1, 4, 6, 9}));
}

TEST(SyntheticSource, SharedStateServesAsKeyAndValue) {
  const AttentionProblem problem =
      open("gaussian", {{"n", std::int64_t{5}}, {"queries", std::int64_t{1}}, {"shared_kv", true}})->load(0, 0);
  EXPECT_TRUE(problem.shared_kv());
  EXPECT_EQ(problem.keys(0).at(2, 3), problem.values(0).at(2, 3));
}

TEST(PlantedSource, NeedlesStandAsFarAboveTheNoiseAsAsked) {
  const auto source = open(
      "planted",
      {{"n", std::int64_t{1000}}, {"queries", std::int64_t{100}}, {"needles", std::int64_t{10}}, {"needle_gap", 20.0}});
  const AttentionProblem problem = source->load(0, 0);
  std::vector<double> mean(problem.s_kv(), 0.0);
  for (Index key = 0; key < problem.s_kv(); ++key)
    for (Index query = 0; query < problem.s_q(); ++query) mean[key] += score(problem, 0, query, key) / problem.s_q();
  Index needles = 0;
  double gap = 0;
  for (Index key = 0; key < problem.s_kv(); ++key)
    if (mean[key] > 10) {
      ++needles;
      gap += mean[key];
    }
  EXPECT_EQ(needles, 10);
  EXPECT_NEAR(gap / needles, 20, 1.5);
}

/// Mean square of the difference of keys j and j + 1 per channel, over the j that begin a pair as `within` says.
double square_difference(const AttentionProblem& problem, Index cluster, bool within) {
  double sum = 0;
  Index count = 0;
  for (Index j = 0; j + 1 < problem.s_kv(); ++j) {
    if (((j + 1) % cluster != 0) != within) continue;
    for (Index c = 0; c < problem.d_qk(); ++c, ++count)
      sum += std::pow(problem.keys(0).at(j, c) - problem.keys(0).at(j + 1, c), 2);
  }
  return sum / count;
}

TEST(ClusteredSource, KeysOfAClusterDifferByItsSpreadAndOthersAsNoiseDoes) {
  for (const double spread : {0.0, 0.1, 0.5, 1.0}) {
    const auto source = open("clustered", {{"n", std::int64_t{4000}},
                                           {"queries", std::int64_t{20}},
                                           {"cluster_size", std::int64_t{4}},
                                           {"spread", spread}});
    const AttentionProblem problem = source->load(0, 0);
    EXPECT_NEAR(square_difference(problem, 4, true), 2 * spread * spread, 0.05 * spread * spread);
    EXPECT_NEAR(square_difference(problem, 4, false), 2, 0.05);
    EXPECT_NEAR(score_moments(problem).deviation, 1, 0.08);
  }
}

TEST(HeavyTailedSource, ReachesFartherThanTheNormalOne) {
  const std::map<std::string, ParameterValue> given = {{"n", std::int64_t{4000}}, {"queries", std::int64_t{20}}};
  auto heavy = given;
  heavy["tail"] = 2.0;
  EXPECT_GT(score_moments(open("heavy_tailed", heavy)->load(0, 0)).largest,
            3 * score_moments(open("gaussian", given)->load(0, 0)).largest);
}

TEST(SyntheticSourceFaults, ContradictoryExtentsAreNamed) {
  const auto keys = [](const std::string& kind, const std::map<std::string, ParameterValue>& given) {
    std::vector<std::string> found;
    try {
      open(kind, given);
    } catch (const ParameterError& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      for (const ParameterFault& fault : error.faults()) found.push_back(fault.key);
    }
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys("gaussian", {{"heads", std::int64_t{4}}, {"kv_heads", std::int64_t{3}}}), Keys{"kv_heads"});
  EXPECT_EQ(keys("gaussian", {{"n", std::int64_t{4}}, {"queries", std::int64_t{5}}}), Keys{"queries"});
  EXPECT_EQ(keys("gaussian", {{"n", std::int64_t{4}},
                              {"queries", std::int64_t{5}},
                              {"kv_heads", std::int64_t{3}},
                              {"shared_kv", true},
                              {"d_v", std::int64_t{3}}}),
            (Keys{"queries", "kv_heads", "shared_kv"}));
  EXPECT_EQ(keys("planted", {{"n", std::int64_t{70}}, {"needles", std::int64_t{71}}, {"score_std", 0.0}}),
            (Keys{"needles", "score_std"}));
}

}  // namespace
}  // namespace lacuna
