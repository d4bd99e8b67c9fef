#include "analysis/summary_warnings.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

Estimate around(double x) { return {x, {0.9 * x, 1.1 * x}}; }

LineFacts line(const std::string& path, double error, double variation, const std::string& group = "") {
  return {path, path + " (k = 1)", group, {{"output error", around(error)}, {"total variation", around(variation)}}};
}

TEST(ConflictingOrders, NamesPathsThatChangePlaces) {
  EXPECT_EQ(
      conflicting_orders({line("a", 1, 4), line("b", 2, 2), line("c", 9, 9)}),
      (std::vector<std::string>{"output error and total variation order 1 of 3 pairs of paths differently: a (k = "
                                "1) has the lower output error but the higher total variation than b (k = 1)"}));
}

TEST(ConflictingOrders, IsSilentWhereIntervalsMeetOrPathsOrSourcesAreNotTheSame) {
  EXPECT_TRUE(conflicting_orders({}).empty());
  EXPECT_TRUE(conflicting_orders({line("a", 1, 4), line("b", 1.05, 2)}).empty());
  EXPECT_TRUE(conflicting_orders({line("a", 1, 4), line("a", 2, 2)}).empty());
  EXPECT_TRUE(conflicting_orders({line("a", 1, 4, "n = 1"), line("b", 2, 2, "n = 2")}).empty());
  LineFacts unknown = line("b", 2, 2);
  unknown.medians[1].second = {};
  EXPECT_TRUE(conflicting_orders({line("a", 1, 4), unknown}).empty());
}

TEST(HeavyTails, AreNamedWhereAMeanIsRuledByFewRows) {
  std::vector<double> values(999, 1.0);
  values.push_back(20000);
  const std::string warning = heavy_tails("error", {tail_facts("quiet", {1, 2, 3}, 2), tail_facts("loud", values, 1)});
  EXPECT_EQ(warning.find("the mean error is ruled by few rows on 1 of 2 lines"), 0u);
  EXPECT_NE(warning.find("loud: mean 21, median 1"), std::string::npos) << warning;
}

TEST(HeavyTails, OfAParetoTailWithoutVarianceNeedThreeMediansAndOfAnExponentialOneTen) {
  std::vector<double> pareto;
  std::vector<double> exponential;
  for (int i = 0; i < 10000; ++i) {
    pareto.push_back(std::pow((i + 0.5) / 10000, -1 / 1.1));  // median 1.88, mean near 8
    exponential.push_back(-std::log((i + 0.5) / 10000));      // median 0.69, mean 1
  }
  EXPECT_NEAR(tail_facts("p", pareto, 1.88).tail_index, 1.1, 0.1);
  EXPECT_FALSE(heavy_tails("error", {tail_facts("p", pareto, 1.88)}).empty());
  EXPECT_TRUE(heavy_tails("error", {tail_facts("e", exponential, 0.69)}).empty());
  EXPECT_TRUE(heavy_tails("error", {tail_facts("zero", std::vector<double>(100, 0.0), 0)}).empty());
}

}  // namespace
}  // namespace lacuna
