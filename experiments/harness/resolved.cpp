#include "experiments/harness/resolved.hpp"

#include "experiments/harness/parameter_text.hpp"

namespace lacuna {

Parameters values_of(const ParameterSet& set) {
  Parameters parameters;
  for (const ReadParameter& parameter : set.parameters)
    if (!parameter.swept && !parameter.values.empty()) parameters.set(parameter.spec.key, parameter.values.front());
  return parameters;
}

void append_resolved(std::vector<ResolvedParameter>& resolved, const std::string& prefix, const ParameterSet& set) {
  for (const ReadParameter& parameter : set.parameters)
    resolved.push_back({.key = prefix + parameter.spec.key,
                        .value = parameter.values.empty() ? ""
                                 : parameter.swept        ? toml_values(parameter.values)
                                                          : toml_value(parameter.values.front()),
                        .given = parameter.given});
}

}  // namespace lacuna
