#include "core/certificates/guarantee.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace lacuna {
namespace {

using testing_core::Random;

const GuaranteeKind& hoeffding() { return GuaranteeRegistry::instance().at("guarantee_omitted_mass_hoeffding"); }
const GuaranteeKind& bernstein() { return GuaranteeRegistry::instance().at("guarantee_omitted_mass_bernstein"); }

TEST(Guarantees, AreTheFormulasOfTheirPapers) {
  const std::vector<double> x = {0, 1};  // mean 1/2, sample variance 1/2
  EXPECT_NEAR(hoeffding().mean_upper(x, std::exp(-4)), 0.5 + 1, 1e-14);
  EXPECT_NEAR(bernstein().mean_upper(x, 2 * std::exp(-3)), 0.5 + std::sqrt(1.5) + 7, 1e-14);
  const std::vector<double> same(8, 0.25);
  EXPECT_NEAR(hoeffding().mean_upper(same, std::exp(-4)), 0.25 + 0.5, 1e-14);
  EXPECT_NEAR(bernstein().mean_upper(same, 2 * std::exp(-3)), 0.25 + 1, 1e-14);
}

TEST(Guarantees, TurnTheMeanWeightIntoTheMass) {
  GuaranteeKind kind = hoeffding();
  kind.mean_upper = [](std::span<const double> x, double) { return x[0]; };
  // 6 keys of e^{-1} beside a sum of 3; the limit of the scores lies 2 above them and changes nothing
  const std::vector<double> scores = {-1, -1};
  const double omitted = 6 * std::exp(-1);
  const SampledRow row{.log_attended = std::log(3), .left_out = 6, .score_limit = 1, .sampled = scores};
  EXPECT_NEAR(omitted_mass_upper(kind, row, 0.1), omitted / (3 + omitted), 1e-11);
  kind.mean_upper = [](std::span<const double>, double) { return 7.0; };  // no weight is above that of the limit
  EXPECT_NEAR(omitted_mass_upper(kind, row, 0.1), 6 * std::exp(1) / (3 + 6 * std::exp(1)), 1e-11);
}

TEST(Guarantees, AskForMoreWhereTheyMayFailLessOften) {
  Random random(5);
  for (const GuaranteeKind& kind : GuaranteeRegistry::instance().kinds()) {
    std::vector<double> x;
    for (int i = 0; i < 30; ++i) x.push_back(random.uniform());
    EXPECT_GT(kind.mean_upper(x, 0.001), kind.mean_upper(x, 0.1)) << kind.name;
    std::vector<double> twice = x;
    twice.insert(twice.end(), x.begin(), x.end());
    EXPECT_LT(kind.mean_upper(twice, 0.01), kind.mean_upper(x, 0.01)) << kind.name;
  }
}

TEST(Guarantees, OfBernsteinAreTighterWhereMostWeightsAreSmall) {
  std::vector<double> x(1000, 1e-4);
  EXPECT_LT(bernstein().mean_upper(x, 0.05), 0.3 * hoeffding().mean_upper(x, 0.05));
}

}  // namespace
}  // namespace lacuna
