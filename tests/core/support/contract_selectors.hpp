// Every registered selector kind, opened as a study would open it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/path_runner.hpp"
#include "support/problem_builder.hpp"

namespace lacuna::testing_core {

/// Kinds that these tests do not open, and why. Nothing else may be left out.
inline const std::map<std::string, std::string> kNotOpened = {
    {"file", "reads a user's file, which belongs to the data layer: tests/data"}};

inline std::vector<std::string> selector_names() {
  std::vector<std::string> names;
  for (const SelectorKind& kind : SelectorRegistry::instance().kinds()) names.push_back(kind.name);
  return names;
}

inline bool has_parameter(const SelectorKind& kind, const std::string& key) {
  for (const ParameterSpec& spec : kind.parameters)
    if (spec.key == key) return true;
  return false;
}

/// What a test gives a kind: its budget, a small block, and the name of the source that `path` reads. Fails where a
/// kind requires something that the tests do not know.
inline Given contract_given(const SelectorKind& kind, const ParameterValue& k) {
  const std::map<std::string, ParameterValue> known = {
      {"k", k}, {"block_size", std::int64_t{4}}, {"path", std::string("source")}};
  Given given = {{"select.by", kind.name}, {"select.path_cell", std::int64_t{0}}};
  for (const ParameterSpec& spec : kind.parameters) {
    const auto it = known.find(spec.key);
    if (it != known.end()) given["select." + spec.key] = it->second;
    if (it == known.end() && spec.required)
      ADD_FAILURE() << "selector '" << kind.name << "' requires '" << spec.key
                    << "', which the contract tests do not know: give it a value here, or name the kind in kNotOpened";
  }
  return given;
}

/// What the kind `path` reads: k visible keys of each query, the same for every head, spread over the cache.
inline SelectionStore source_selections(const AttentionProblem& problem, Index k) {
  SelectionStore store;
  store.reserve("source", 0, 1, problem.s_q(), problem.h_q());
  for (Index query = 0; query < problem.s_q(); ++query) {
    const Index visible = problem.visible_keys(problem.query_position[query]);
    KeySet keys = key_range(0, visible);
    Random random(static_cast<std::uint64_t>(query) + 17);
    for (std::size_t i = keys.size(); i > 1; --i)
      std::swap(keys[i - 1], keys[static_cast<std::size_t>(random.integer(0, static_cast<Index>(i) - 1))]);
    keys.resize(static_cast<std::size_t>(std::min(k, visible)));
    make_set(keys);
    for (Index head = 0; head < problem.h_q(); ++head) store.at("source", 0, 0, query, head) = Published{keys, {}};
  }
  return store;
}

class EachSelector : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto it = kNotOpened.find(GetParam());
    if (it != kNotOpened.end()) GTEST_SKIP() << it->second;
  }
  const SelectorKind& kind() const { return SelectorRegistry::instance().at(GetParam()); }
  bool is_by_block() const { return has_parameter(kind(), "block_size"); }
  bool is_path() const { return GetParam() == "path"; }
  Index block_size() const { return is_by_block() ? 4 : 1; }

  /// The path with a budget of k and whatever else.
  Parameters path(const ParameterValue& k, const Given& more = {}) const {
    Given given = contract_given(kind(), k);
    for (const auto& [key, value] : more) given[key] = value;
    return path_of(given);
  }
  static PathRun run(const AttentionProblem& problem, const Parameters& parameters, Index k, RunOptions options = {}) {
    const SelectionStore store = source_selections(problem, k);
    options.selections = &store;
    return run_path(problem, parameters, options);
  }
};

inline std::string selector_label(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace lacuna::testing_core
