// planted: needles in noise. Each KV head has a hidden direction u. Its queries are sqrt(d) (a u + sqrt(1 - a^2) w)
// with random unit w and alignment a = 0.7; at `needles` random positions the key is noise + c u, with c such that a
// needle's expected score is needle_gap above the noise, and the value is shifted by needle_value in every channel.
// A budget that misses a needle omits a visible share of the mass at once.
#include <cmath>
#include <utility>

#include "data/source/parameter_rules.hpp"
#include "data/source/synthetic.hpp"

namespace lacuna {
namespace {

constexpr double kAlignment = 0.7;

std::vector<ParameterFault> check_needles(const Parameters& source) {
  return ParameterRules(source)
      .at_most("needles", "n")
      .require(source.real("score_std") > 0, "score_std", "needles stand above the noise: score_std must be above 0")
      .faults();
}

std::vector<ParameterFault> check_planted(const Parameters& source) {
  std::vector<ParameterFault> faults = check_synthetic(source);
  for (ParameterFault& fault : check_needles(source)) faults.push_back(std::move(fault));
  return faults;
}

class PlantedSource final : public SyntheticSource {
 public:
  PlantedSource(const Parameters& parameters, std::uint64_t seed)
      : SyntheticSource(parameters, seed),
        needles_(parameters.integer("needles")),
        gap_(parameters.real("needle_gap")),
        value_shift_(parameters.real("needle_value")) {
    require_no_faults(check_needles(parameters));
  }

 private:
  void fill_query(const SyntheticPlace& place, Index head, Index query, float* row) const override {
    SyntheticSource::fill_query(place, head, query, row);
    const std::vector<float> u = direction(place);
    double square = 0;
    for (Index c = 0; c < d_qk(); ++c) square += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    const double root_d = std::sqrt(static_cast<double>(d_qk()));
    const double noise = std::sqrt((1 - kAlignment * kAlignment) / square);
    for (Index c = 0; c < d_qk(); ++c)
      row[c] =
          static_cast<float>(root_d * (kAlignment * static_cast<double>(u[c]) + noise * static_cast<double>(row[c])));
  }

  void fill_key(const SyntheticPlace& place, Index key, float* row) const override {
    SyntheticSource::fill_key(place, key, row);
    if (!is_needle(place, key)) return;
    const std::vector<float> u = direction(place);
    const double length = gap_ / (sm_scale() * std::sqrt(static_cast<double>(d_qk())) * kAlignment);
    for (Index c = 0; c < d_qk(); ++c) row[c] += static_cast<float>(length * static_cast<double>(u[c]));
  }

  void fill_value(const SyntheticPlace& place, Index key, float* row) const override {
    SyntheticSource::fill_value(place, key, row);
    if (!is_needle(place, key)) return;
    for (Index c = 0; c < d_v(); ++c) row[c] += static_cast<float>(value_shift_);
  }

  /// Unit vector of the KV head, [d_qk].
  std::vector<float> direction(const SyntheticPlace& place) const {
    std::vector<float> u(d_qk());
    fill_normal(place.rng("planted.direction"), 0, d_qk(), u.data());
    double square = 0;
    for (const float x : u) square += static_cast<double>(x) * static_cast<double>(x);
    for (float& x : u) x = static_cast<float>(static_cast<double>(x) / std::sqrt(square));
    return u;
  }

  /// The i-th needle lies at a random place of the i-th of `needles` equal stretches: distinct by construction.
  bool is_needle(const SyntheticPlace& place, Index key) const {
    if (needles_ == 0) return false;
    const Index i = ((key + 1) * needles_ - 1) / keys();  // the stretch that holds the key
    const Index begin = i * keys() / needles_;
    const Index end = (i + 1) * keys() / needles_;
    const double at = place.rng("planted.position").uniform(static_cast<std::uint64_t>(i));
    return key == begin + static_cast<Index>(at * static_cast<double>(end - begin));
  }

  Index needles_;
  double gap_;
  double value_shift_;
};

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = synthetic_parameters();
  specs.push_back({.key = "needles",
                   .type = ParameterType::integer,
                   .unit = "keys",
                   .minimum = 0,
                   .maximum = 1 << 30,
                   .default_value = std::int64_t{8},
                   .sentence = "Planted keys per KV head."});
  specs.push_back({.key = "needle_gap",
                   .type = ParameterType::real,
                   .unit = "nat",
                   .minimum = -1e6,
                   .maximum = 1e6,
                   .default_value = 6.0,
                   .sentence = "How far a needle's expected score lies above the noise."});
  specs.push_back({.key = "needle_value",
                   .type = ParameterType::real,
                   .unit = "1",
                   .minimum = -1e6,
                   .maximum = 1e6,
                   .default_value = 2.0,
                   .sentence = "Shift of a needle's value in every channel."});
  return specs;
}

const bool registered = SourceRegistry::instance().add({.name = "planted",
                                                        .sentence = "Needles of a given score in normal noise.",
                                                        .parameters = parameters(),
                                                        .check = check_planted,
                                                        .open = opens<PlantedSource>()});

}  // namespace
}  // namespace lacuna
