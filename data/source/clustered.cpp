// clustered: consecutive keys lie around a common centre, as keys of neighbouring tokens do. With x_b the centre of
// cluster b and z_j the key's own part, both N(0, I), and 0 <= s <= 1 the spread,
//   k_j = sqrt(1 - s^2) x_b + s z_j ,
// and the same for values: every row is N(0, I) whatever s is, so that score_std keeps its meaning. Spread 1 is noise;
// at 0 the keys of a cluster are one key.
#include <cmath>

#include "data/source/synthetic.hpp"

namespace lacuna {
namespace {

class ClusteredSource final : public SyntheticSource {
 public:
  ClusteredSource(const Parameters& parameters, std::uint64_t seed)
      : SyntheticSource(parameters, seed),
        cluster_size_(parameters.integer("cluster_size")),
        spread_(parameters.real("spread")) {}

 private:
  void fill_key(const SyntheticPlace& place, Index key, float* row) const override {
    SyntheticSource::fill_key(place, key, row);
    draw_to_centre(place.rng("clustered.key"), key, d_qk(), row);
  }
  void fill_value(const SyntheticPlace& place, Index key, float* row) const override {
    SyntheticSource::fill_value(place, key, row);
    draw_to_centre(place.rng("clustered.value"), key, d_v(), row);
  }

  void draw_to_centre(const CounterRng& rng, Index key, Index width, float* row) const {
    std::vector<float> centre(width);
    fill_normal(rng, key / cluster_size_, width, centre.data());
    const double common = std::sqrt(1 - spread_ * spread_);
    for (Index c = 0; c < width; ++c)
      row[c] = static_cast<float>(common * static_cast<double>(centre[c]) + spread_ * static_cast<double>(row[c]));
  }

  Index cluster_size_;
  double spread_;
};

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = synthetic_parameters();
  specs.push_back({.key = "cluster_size",
                   .type = ParameterType::integer,
                   .unit = "keys",
                   .minimum = 1,
                   .maximum = 1 << 30,
                   .default_value = std::int64_t{16},
                   .sentence = "Consecutive keys around one centre."});
  specs.push_back({.key = "spread",
                   .type = ParameterType::real,
                   .unit = "1",
                   .minimum = 0,
                   .maximum = 1,
                   .default_value = 0.3,
                   .sentence = "Standard deviation of a key's channels around its centre; 1: noise without centres."});
  return specs;
}

const bool registered = SourceRegistry::instance().add({.name = "clustered",
                                                        .sentence = "Normal keys and values in clusters of neighbours.",
                                                        .parameters = parameters(),
                                                        .check = check_synthetic,
                                                        .open = opens<ClusteredSource>()});

}  // namespace
}  // namespace lacuna
