// Every bound kind, and the composed one, over tens of thousands of rows: never below the true error, which is taken
// in 113-bit arithmetic.
#include "core/bounds/bound.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/bound_rows.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr std::uint64_t kRows = 24000;

/// How far the output of the path of this row is off, as a share of the largest value.
double path_arithmetic(std::uint64_t seed) {
  const double sizes[] = {0, 0, 0, 1e-16, 1e-14, 1e-6, 0.3};
  return sizes[seed % 7];
}

std::string name_of(std::uint64_t seed) { return random_shape(seed, 40, 6).describe(); }

/// What was found over many rows; the first failure of each claim by name.
struct Found {
  Index rows = 0;
  Index violated = 0;  ///< !(error <= bound (1 + 1e-12) + radius), theory.md 9, or the composed one without that room
  std::string first_violation;
  std::map<std::string, Index> below;      ///< rows where the bare bound lies below the error
  std::map<std::string, double> tightest;  ///< largest error / bound
  Index below_output = 0;                  ///< rows where the composed bound lies below || o - õ ||
  double below_output_by = 0;              ///< in units of u V

  void judge(const RandomRow& row, std::uint64_t seed) {
    const PathRow answer = answer_off_by(row, path_arithmetic(seed), seed);
    const JudgedRow judged(row.problem, 0, 0, answer, {.has_pool = row.has_pool});
    const Wide error = wide_truncation(row);
    const Wide noise = wide_noise(row);
    ++rows;
    const auto see = [&](const std::string& name, double bound, const Wide& room, bool is_violation) {
      if (is_violation || !(error <= Wide(bound) * Wide(1 + 1e-12) + room + noise)) {
        if (violated++ == 0)
          first_violation = fmt::format("{} {} error {}\n{}", name, bound, to_double(error), name_of(seed));
      }
      if (!(error <= Wide(bound) + noise)) ++below[name];
      if (bound > judged->output_error.radius)
        tightest[name] = std::max(tightest[name], to_double(Wide(error / Wide(bound))));
    };
    const Wide radius = judged->output_error.radius;
    for (const BoundKind* kind : bounds_of({})) {
      const double bound = kind->evaluate(*judged);
      see(kind->name, bound, radius, violates(*judged, bound));
    }
    const double composed = composed_bound(*judged, judged.smallest_bound());
    see("bound", composed, 0, violates(*judged, composed));
    const Wide beyond = wide_error(row, answer) - Wide(composed);
    if (beyond <= noise) return;
    ++below_output;
    below_output_by = std::max(below_output_by, to_double(Wide(beyond / (0x1p-53 * judged.exact().value_norm_max))));
  }
};

/// The rows, judged once for all claims.
const Found& found() {
  static const Found once = [] {
    Found result;
    for (std::uint64_t seed = 1; seed <= kRows; ++seed) {
      const RandomRow row = bound_row(seed);
      if (!attends_nothing(row)) result.judge(row, seed);
    }
    return result;
  }();
  return once;
}

TEST(EveryBounds, HoldOnThousandsOfRows) {
  EXPECT_GT(found().rows, 20000);
  EXPECT_EQ(found().violated, 0) << "of " << found().rows << ", first " << found().first_violation;
  for (const auto& [name, ratio] : found().tightest) {
    RecordProperty(name, fmt::format("{:.9f}", ratio));
    EXPECT_GT(ratio, 0.9) << name << " is never approached: too loose to be tested by these rows";
  }
}

TEST(EveryBounds, HoldWhereNothingIsAttended) {
  Found result;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    RandomRow row = bound_row(seed);
    row.kept = {};
    if (attends_nothing(row)) result.judge(row, seed);
  }
  EXPECT_GT(result.rows, 1000);
  EXPECT_EQ(result.violated, 0) << "of " << result.rows << ", first " << result.first_violation;
}

TEST(EveryBounds, ComposedCoversWhatThePathPutOut) {
  // || o - õ ||, the path's own arithmetic and the ruler's rounding of o_S included: no room beside it
  EXPECT_EQ(found().below_output, 0) << "of " << found().rows << ", by up to " << found().below_output_by << " u V";
}

TEST(EveryBounds, AreNotMadeFalseByRounding) {
  // the bare bound of each kind, as bound.hpp promises it
  for (const auto& [name, rows] : found().below) ADD_FAILURE() << name << " is below the error on " << rows << " rows";
}

TEST(EveryBounds, OfTheStagesSumToTheWholeError) {
  Index rows_with_pool = 0;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    const RandomRow row = bound_row(seed);
    rows_with_pool += row.has_pool;
    const PathRow answer = answer_off_by(row, path_arithmetic(seed), seed);
    const JudgedRow judged(row.problem, 0, 0, answer, {.has_pool = row.has_pool});
    const double sum = (row.has_pool ? judged.metric("bound_pool") : 0) + judged.metric("bound_selection");
    ASSERT_TRUE(wide_truncation(row) <= Wide(sum) * Wide(1 + 1e-12) + Wide(judged->output_error.radius))
        << name_of(seed);
    // split by stage, the weighted mean distances are those of bound_tail_mean
    const double whole = judged.bound("bound_tail_mean");
    ASSERT_NEAR(judged.metric("bound_pool") + judged.metric("bound_selection"), whole, 1e-12 * whole + 1e-280);
    ASSERT_EQ(judged.metric("bound_arithmetic"), judged->arithmetic_error);
  }
  EXPECT_GT(rows_with_pool, 1000);
}

TEST(EveryBounds, AreOrderedAsTheirDerivations) {
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    const RandomRow row = bound_row(seed);
    if (attends_nothing(row)) continue;
    const JudgedRow judged(row.problem, 0, 0, answer_off_by(row, 0, seed), {.has_pool = row.has_pool});
    const double room = 1 + 1e-12;
    const double tail_mean = judged.bound("bound_tail_mean");
    const double small = 1e-15 * judged.exact().value_norm_max * judged->delta + 1e-280;
    ASSERT_LE(tail_mean, judged.bound("bound_posterior") * room + small) << name_of(seed);
    ASSERT_LE(tail_mean, judged.bound("bound_blockwise") * room + small) << name_of(seed);
    // õ and every value lie in the ball of radius R around c, so that no distance exceeds 2 R; the same for V
    ASSERT_LE(judged.bound("bound_posterior"), judged.bound("bound_centred") * room + small) << name_of(seed);
    ASSERT_LE(judged.bound("bound_posterior"), judged.bound("bound_value_norm") * room + small) << name_of(seed);
  }
}

TEST(EveryBounds, AreExactlyZeroWhereNothingWasOmitted) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    RandomRow row = bound_row(seed);
    row.kept = row.reachable = row.wide.all();
    const JudgedRow judged(row.problem, 0, 0, answer_off_by(row, 0, seed));
    for (const BoundKind* kind : bounds_of({}))
      EXPECT_EQ(kind->evaluate(*judged), 0) << kind->name << "\n" << name_of(seed);
  }
}

TEST(EveryBounds, TreatNanAsAViolation) {
  const RandomRow row = bound_row(3);
  const JudgedRow judged(row.problem, 0, 0, answer_off_by(row, 0, 3));
  EXPECT_TRUE(violates(*judged, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(violates(*judged, std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(judged->output_error.value > 0);
  EXPECT_TRUE(violates(*judged, judged->output_error.value / 2));
}

}  // namespace
}  // namespace lacuna
