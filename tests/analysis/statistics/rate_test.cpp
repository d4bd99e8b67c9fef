#include "analysis/statistics/rate.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(ClopperPearsonGolden, AgreesWithScipy) {
  struct Case {
    double x, n, low, high;
  };
  for (const Case& c :
       {Case{0, 20, 0.0, 0.16843347098308548}, Case{3, 20, 0.03207093718554477, 0.37892682654529564},
        Case{20, 20, 0.8315665290169145, 1.0}, Case{50, 1000, 0.03733539760466063, 0.06539048791549365}}) {
    const Estimate rate = clopper_pearson(c.x, c.n);
    EXPECT_EQ(rate.value, c.x / c.n);
    EXPECT_NEAR(rate.interval.low, c.low, 1e-12);
    EXPECT_NEAR(rate.interval.high, c.high, 1e-12);
  }
}

TEST(ClopperPearson, EndsAtZeroAndOneExactly) {
  EXPECT_EQ(clopper_pearson(0, 7).interval.low, 0);
  EXPECT_NEAR(clopper_pearson(0, 7).interval.high, 1 - std::pow(0.025, 1.0 / 7), 1e-14);
  EXPECT_EQ(clopper_pearson(7, 7).interval.high, 1);
  EXPECT_NEAR(clopper_pearson(7, 7).interval.low, std::pow(0.025, 1.0 / 7), 1e-14);
}

TEST(ClopperPearson, OfNoTrialsKnowsNothing) {
  const Estimate rate = clopper_pearson(0, 0);
  EXPECT_TRUE(std::isnan(rate.value));
  EXPECT_EQ(rate.interval.low, 0);
  EXPECT_EQ(rate.interval.high, 1);
}

}  // namespace
}  // namespace lacuna
