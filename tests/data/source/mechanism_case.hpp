// Mechanism sources at small extents.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/problem_source.hpp"

namespace lacuna::testing_mechanism {

using Given = std::map<std::string, ParameterValue>;

inline constexpr Index kTokens = 44;
inline constexpr Index kQueries = 11;
inline constexpr Index kWindow = 5;

inline ParameterValue count(Index x) { return std::int64_t{x}; }

/// The kinds that are made of hidden states.
inline std::vector<std::string> mechanism_kinds() {
  std::vector<std::string> names;
  for (const SourceKind& kind : SourceRegistry::instance().kinds())
    if (std::any_of(kind.parameters.begin(), kind.parameters.end(),
                    [](const ParameterSpec& spec) { return spec.key == "layer_similarity"; }))
      names.push_back(kind.name);
  return names;
}

/// Defaults of the kind.
inline Parameters defaults_of(const std::string& kind) {
  Parameters parameters;
  for (const ParameterSpec& spec : SourceRegistry::instance().at(kind).parameters)
    if (spec.default_value) parameters.set(spec.key, *spec.default_value);
  return parameters;
}

/// The kind at small extents, with some values replaced.
inline std::unique_ptr<ProblemSource> open(const std::string& kind, const Given& given) {
  const Given small = {
      {"n", count(kTokens)},      {"queries", count(kQueries)}, {"d_model", count(12)},    {"sequences", count(2)},
      {"layers", count(2)},       {"heads", count(2)},          {"q_lora_rank", count(8)}, {"head_dim", count(8)},
      {"qk_rope", count(4)},      {"window", count(kWindow)},   {"index_heads", count(4)}, {"d_index", count(8)},
      {"kv_lora_rank", count(8)}, {"qk_nope", count(6)},        {"d_v", count(6)},         {"ratio", count(8)},
      {"d_qk", count(8)}};
  Parameters parameters = defaults_of(kind);
  for (const auto& [key, value] : small)
    if (parameters.has(key) && parameters.at(key).index() == value.index()) parameters.set(key, value);
  for (const auto& [key, value] : given) parameters.set(key, value);
  return SourceRegistry::instance().at(kind).open(parameters, 42);
}

inline std::unique_ptr<ProblemSource> open_v41(std::vector<Index> layers, Given given = {}) {
  given["layers"] = std::vector<std::int64_t>(layers.begin(), layers.end());
  return open("v41_csa2", given);
}

}  // namespace lacuna::testing_mechanism
