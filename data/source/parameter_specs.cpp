#include "data/source/parameter_specs.hpp"

#include <utility>

namespace lacuna {

ParameterSpec extent(std::string key, std::string unit, std::int64_t value, std::string sentence) {
  return {.key = std::move(key),
          .type = ParameterType::integer,
          .unit = std::move(unit),
          .minimum = 1,
          .maximum = 1 << 20,
          .default_value = value,
          .sentence = std::move(sentence)};
}

ParameterSpec share(std::string key, double value, std::string sentence) {
  return {.key = std::move(key),
          .type = ParameterType::real,
          .unit = "1",
          .minimum = 0,
          .maximum = 1,
          .default_value = value,
          .sentence = std::move(sentence)};
}

ParameterSpec fixed(ParameterSpec spec) {
  spec.sweepable = false;
  return spec;
}

ParameterSpec score_deviation(std::string sentence) {
  return {.key = "score_std",
          .type = ParameterType::real,
          .unit = "1",
          .minimum = 0,
          .maximum = 1e6,
          .default_value = 2.0,
          .sentence = std::move(sentence)};
}

}  // namespace lacuna
