// Variants that look right and are false: these rows tell them from the true bounds, so that nobody brings them back.
#include <gtest/gtest.h>

#include "support/bound_rows.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

struct Case {
  RandomRow row;
  std::unique_ptr<JudgedRow> judged;
  double error = 0;
};

/// Rows with a sink, values around a point away from 0, and some keys omitted.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> result;
    result.reserve(4000);  // a judgement points into its row
    for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
      Random random(seed + 90000);
      ProblemShape shape{
          .n = random.integer(2, 24), .d_qk = 4, .d_v = random.integer(1, 6), .sink = true, .seed = seed};
      shape.score_spread = random.one_of<double>({0.3, 1, 3});
      shape.value_shift = random.one_of<double>({0, 1, 3, 10});
      RawProblem raw = random_problem(shape);
      raw.sink_logit = {random.uniform(0, 8)};
      result.push_back({{raw.build(), {}, {}, {}}, nullptr});
      RandomRow& row = result.back().row;
      row.wide = wide_row(row.problem, 0, 0);
      row.reachable = row.wide.all();
      row.kept = random_subset(random, row.reachable, random.uniform());
      if (row.kept.size() == row.reachable.size()) row.kept.pop_back();
      result.back().judged = std::make_unique<JudgedRow>(row.problem, 0, 0, answer_off_by(row, 0, seed));
      result.back().error = to_double(wide_truncation(row));
    }
    return result;
  }();
  return all;
}

/// Share of the rows on which `variant` lies below the true error.
template <class F>
double failure_rate(F&& variant) {
  Index failed = 0;
  for (const Case& one : cases()) failed += !(one.error <= variant(one.row, **one.judged) * (1 + 1e-9));
  return static_cast<double>(failed) / static_cast<double>(cases().size());
}

// theory.md names a third and a fifth of its rows
TEST(WrongVariantBounds, LeavingTheSinkOutOfTheRadiusIsSeen) {
  const double rate = failure_rate([](const RandomRow& row, const PathJudgement& judged) {
    WideVector centre(row.wide.d_v, Wide(0));
    for (const WideVector& v : row.wide.v)
      for (Index c = 0; c < row.wide.d_v; ++c) centre[c] += v[c] / row.wide.visible();
    Wide radius = 0;
    for (const WideVector& v : row.wide.v) radius = std::max(radius, wide_distance(v, centre));
    return 2 * to_double(radius) * judged.delta;
  });
  RecordProperty("rate", fmt::format("{:.3f}", rate));
  EXPECT_NEAR(rate, 0.29, 0.05);
}

TEST(WrongVariantBounds, LeavingTheSinkOutOfTheVarianceIsSeen) {
  const double rate = failure_rate([](const RandomRow& row, const PathJudgement& judged) {
    const double p_sink = to_double(Wide(row.wide.sink_e / row.wide.z));
    const double variance = judged.exact->variance - p_sink * judged.exact->o_norm * judged.exact->o_norm;
    return std::sqrt(judged.delta / (1 - judged.delta) * std::max(variance, 0.0));
  });
  RecordProperty("rate", fmt::format("{:.3f}", rate));
  EXPECT_NEAR(rate, 0.12, 0.05);
}

TEST(WrongVariantBounds, MeanDistanceFromTheExactOutputIsNoBound) {
  // sum_T p_j ||v_j - o|| in place of ||v_j - õ||
  const double rate = failure_rate([](const RandomRow& row, const PathJudgement&) {
    const WideVector o = row.wide.o();
    Wide sum = 0;
    for (const RowIndex j : set_difference(row.wide.all(), row.kept))
      sum += row.wide.p(j) * wide_distance(row.wide.v[j], o);
    return to_double(sum);
  });
  RecordProperty("rate", fmt::format("{:.3f}", rate));
  EXPECT_GT(rate, 0.3);
}

TEST(WrongVariantBounds, TheTrueOnesHoldOnTheSameRows) {
  for (const BoundKind* kind : bounds_of({}))
    EXPECT_EQ(failure_rate([&](const RandomRow&, const PathJudgement& judged) { return kind->evaluate(judged); }), 0)
        << kind->name;
}

}  // namespace
}  // namespace lacuna
