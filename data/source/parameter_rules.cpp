#include "data/source/parameter_rules.hpp"

namespace lacuna {

ParameterRules& ParameterRules::at_most(const std::string& key, const std::string& limit) {
  const std::int64_t value = source_.integer(key), most = source_.integer(limit);
  return require(value <= most, key, fmt::format("{} = {} is more than {} = {}", key, value, limit, most));
}

ParameterRules& ParameterRules::divides(const std::string& key, const std::string& whole) {
  const std::int64_t part = source_.integer(key), all = source_.integer(whole);
  return require(all % part == 0, key, fmt::format("{} = {} does not divide {} = {}", key, part, whole, all));
}

ParameterRules& ParameterRules::even(const std::string& key) {
  const std::int64_t channels = source_.integer(key);
  return require(channels % 2 == 0, key,
                 fmt::format("{} = {} must be even: pairs of channels are rotated", key, channels));
}

ParameterRules& ParameterRules::require(bool holds, const std::string& key, const std::string& message) {
  if (!holds) faults_.push_back({key, message});
  return *this;
}

}  // namespace lacuna
