#include "analysis/statistics/normality.hpp"

#include <gtest/gtest.h>

#include <boost/version.hpp>

#include "coverage.hpp"
#include "sample_values.hpp"

namespace lacuna {
namespace {

TEST(NormalityGolden, StatisticsAgreeWithScipy) {
  EXPECT_NEAR(kolmogorov_smirnov_statistic(kSampleX, 1, 2), 0.17791159172300916, 1e-14);
  EXPECT_NEAR(anderson_darling_statistic(kSampleX, 1.4083333333333334, 1.984237125370093), 0.3764777996901625, 1e-13);
}

#if BOOST_VERSION >= 107500
TEST(NormalityGolden, KolmogorovProbabilityAgreesWithScipy) {
  EXPECT_NEAR(kolmogorov_smirnov_p_value(0.2, 100), 0.0006709252557796953, 1e-12);
}
#endif

TEST(KolmogorovSmirnov, OfOneValueAtTheMeanIsAHalf) {
  const std::vector<double> value = {3};
  EXPECT_EQ(kolmogorov_smirnov_statistic(value, 3, 1), 0.5);
  EXPECT_NEAR(anderson_darling_statistic(value, 3, 1), 2 * std::log(2.0) - 1, 1e-15);
}

TEST(Normality, WithoutADeviationOrValuesIsNotDefined) {
  EXPECT_TRUE(std::isnan(kolmogorov_smirnov_statistic(kSampleX, 1, 0)));
  EXPECT_TRUE(std::isnan(anderson_darling_statistic(std::vector<double>{}, 0, 1)));
}

TEST(AndersonDarlingBounds, RejectsNormalValuesAsOftenAsItSays) {
  int rejected = 0;
  for (std::uint64_t replica = 0; replica < kReplicas; ++replica) {
    const std::vector<double> values = normal_values(50, replica);
    double mean = 0;
    for (const double x : values) mean += x / 50;
    double squares = 0;
    for (const double x : values) squares += (x - mean) * (x - mean);
    const double statistic = anderson_darling_statistic(values, mean, std::sqrt(squares / 49));
    rejected += anderson_darling_p_value(statistic, 50) < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(rejected) / kReplicas, 0.05, 0.01);
}

TEST(AndersonDarling, ProbabilityFallsFromOneToAlmostNothing) {
  double before = 1;
  for (double statistic = 0.02; statistic < 30; statistic *= 1.05) {
    const double p = anderson_darling_p_value(statistic, 100);
    EXPECT_LE(p, before + 0.005) << statistic;  // the four pieces of the table meet to three digits
    EXPECT_GE(p, 0);
    before = p;
  }
  EXPECT_LT(before, 1e-20);
}

}  // namespace
}  // namespace lacuna
