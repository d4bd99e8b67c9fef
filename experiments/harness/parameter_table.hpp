// The parameter table: every parameter that may stand in [experiment], [source] or [[path]], and which of them apply.
//
// A source or a selector kind adds its own parameters to those that its owner always has; the table of one owner is
// therefore known once its kind is.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/parameter.hpp"

namespace lacuna {

struct ParameterTable {
  std::vector<ParameterSpec> specs;  ///< those that apply, in order; "select.k" is `k` in the sub-table `select`
  std::string kind_label;            ///< "source.kind", "select.by": what decides; "" for [experiment]
  std::string kind;                  ///< the kind decided for; "" when none or an unknown one was given
  /// Of sub-tables of which there is a list ([[path.region]]): the parameters of each element.
  std::vector<ParameterSpec> listed;
  /// Parameters that do not apply, and the kinds that they belong to.
  std::map<std::string, std::vector<std::string>, std::less<>> elsewhere;

  const ParameterSpec* find(std::string_view key) const;
  /// Whether some key stands in this sub-table ("select").
  bool has_subtable(std::string_view name) const;
  /// Whether the sub-table is one of a list.
  bool has_list(std::string_view name) const;
  /// Every key, applying or not.
  std::vector<std::string> keys() const;
};

/// The parameters of a kind that registers itself, with all their choices.
template <class Kind>
std::vector<ParameterSpec> parameters_of(const Kind& kind) {
  std::vector<ParameterSpec> specs = kind.parameters;
  for (ParameterSpec& spec : specs)
    if (spec.registered_choices != nullptr) spec.choices = spec.registered_choices();
  return specs;
}

/// kind, seed, title, compression: [experiment] of every experiment.
ParameterTable common_experiment_table();
/// The same and what [experiment] takes in files of that program over paths: attention_error or model_divergence.
ParameterTable experiment_table(std::string_view program);
/// kind and the parameters of that source kind.
ParameterTable source_table(std::string_view kind);
/// name, path_parameters(), and among its `select.` keys the parameters of that selector kind; listed: the regions'.
ParameterTable path_table(std::string_view selector);

/// "select" of "select.k"; "" of "window".
std::string_view subtable_of(std::string_view key);
/// "k" of "select.k"; "window" of "window".
std::string_view last_part(std::string_view key);
/// "select_k" of "select.k": the name of the dimension along which the value is swept.
std::string dimension_name(std::string_view key);

}  // namespace lacuna
