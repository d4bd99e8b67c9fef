// heavy_tailed: normal rows, each stretched by its own factor sqrt(nu / chi2_nu), that is, multivariate Student t with
// nu degrees of freedom. Keys with `tail` as nu give scores whose largest dominate; values with `value_tail` give a few
// values that are far longer than the rest, as outlier tokens do.
#include <boost/math/distributions/chi_squared.hpp>

#include <cmath>

#include "data/source/synthetic.hpp"

namespace lacuna {
namespace {

class HeavyTailedSource final : public SyntheticSource {
 public:
  HeavyTailedSource(const Parameters& parameters, std::uint64_t seed)
      : SyntheticSource(parameters, seed), tail_(parameters.real("tail")), value_tail_(parameters.real("value_tail")) {}

 private:
  void fill_key(const SyntheticPlace& place, Index key, float* row) const override {
    SyntheticSource::fill_key(place, key, row);
    stretch(place.rng("heavy_tailed.key"), key, tail_, d_qk(), row);
  }
  void fill_value(const SyntheticPlace& place, Index key, float* row) const override {
    SyntheticSource::fill_value(place, key, row);
    stretch(place.rng("heavy_tailed.value"), key, value_tail_, d_v(), row);
  }

  static void stretch(const CounterRng& rng, Index index, double nu, Index width, float* row) {
    const boost::math::chi_squared distribution(nu);
    const double chi2 = boost::math::quantile(distribution, rng.uniform(static_cast<std::uint64_t>(index)));
    const double factor = std::min(std::sqrt(nu / chi2), 1e6);
    for (Index c = 0; c < width; ++c) row[c] = static_cast<float>(factor * static_cast<double>(row[c]));
  }

  double tail_;
  double value_tail_;
};

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = synthetic_parameters();
  specs.push_back({.key = "tail",
                   .type = ParameterType::real,
                   .unit = "1",
                   .minimum = 0.5,
                   .maximum = 1e6,
                   .default_value = 4.0,
                   .sentence = "Degrees of freedom of the keys' Student t; small is heavy."});
  specs.push_back({.key = "value_tail",
                   .type = ParameterType::real,
                   .unit = "1",
                   .minimum = 0.5,
                   .maximum = 1e6,
                   .default_value = 4.0,
                   .sentence = "Degrees of freedom of the values' Student t."});
  return specs;
}

const bool registered =
    SourceRegistry::instance().add({.name = "heavy_tailed",
                                    .sentence = "Student t keys and values: outliers in scores and norms.",
                                    .parameters = parameters(),
                                    .check = check_synthetic,
                                    .open = opens<HeavyTailedSource>()});

}  // namespace
}  // namespace lacuna
