#include "experiments/harness/parameter_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/harness/parameter_text.hpp"
#include "experiments/harness/suggestion.hpp"

namespace lacuna {
namespace {

class SetReader {
 public:
  SetReader(const ParameterTable& table, ParameterSet& set, Diagnostics& diagnostics)
      : table_(table), set_(set), diagnostics_(diagnostics) {
    for (const ParameterSpec& spec : table.specs) set_.parameters.push_back({.spec = spec, .values = {}, .at = {}});
  }

  void read(const TomlNode::Table& table, const std::string& subtable) {
    for (const TomlEntry& entry : table) {
      const std::string key = subtable.empty() ? entry.key : subtable + "." + entry.key;
      const bool one_part = entry.key.find('.') == std::string::npos;  // "select.k" in quotes is another key
      if (one_part && table_.find(key) != nullptr)
        read_parameter(key, entry);
      else if (one_part && table_.elsewhere.count(key) != 0)
        refuse_inapplicable(key, entry);
      else if (one_part && table_.has_subtable(key))
        read_subtable(key, entry);
      else
        diagnostics_.error(entry.at, unknown_key(entry.key, subtable, set_.owner, table_.keys()));
    }
  }

  /// Drops what does not apply, takes defaults, and reports what is missing.
  void complete() {
    std::vector<ReadParameter> applying;
    for (ReadParameter& parameter : set_.parameters) {
      const ParameterSpec& spec = parameter.spec;
      const std::string_view subtable = subtable_of(spec.key);
      if (!subtable.empty() && set_.subtables.find(subtable) == set_.subtables.end()) continue;
      if (seen_.count(spec.key) == 0) {
        if (spec.default_value)
          parameter.values = {*spec.default_value};
        else if (spec.required)
          diagnostics_.error(set_.position_of(spec.key),
                             fmt::format("missing key '{}' in {}: {}", spec.key, set_.owner, spec.sentence));
      }
      applying.push_back(std::move(parameter));
    }
    set_.parameters = std::move(applying);
  }

 private:
  void read_parameter(const std::string& key, const TomlEntry& entry) {
    seen_.insert(key);
    const auto parameter = std::find_if(set_.parameters.begin(), set_.parameters.end(),
                                        [&](const ReadParameter& p) { return p.spec.key == key; });
    parameter->at = entry.at;
    parameter->given = true;
    if (auto read = read_values(entry, parameter->spec, set_.owner, diagnostics_)) {
      parameter->values = std::move(read->values);
      parameter->swept = read->swept;
    }
  }

  void refuse_inapplicable(const std::string& key, const TomlEntry& entry) {
    if (table_.kind.empty()) return;  // the missing or unknown kind is the error
    const std::vector<std::string>& kinds = table_.elsewhere.find(key)->second;
    diagnostics_.error(entry.at, fmt::format("'{}' does not apply to {} = \"{}\" in {}; it belongs to {}", entry.key,
                                             table_.kind_label, table_.kind, set_.owner, joined(kinds, ", ")));
  }

  void read_subtable(const std::string& key, const TomlEntry& entry) {
    const TomlNode::Table* table = entry.node.table();
    if (table == nullptr) {
      diagnostics_.error(entry.at,
                         fmt::format("'{}' in {} must be a table, not {}", key, set_.owner, describe(entry.node)));
      return;
    }
    set_.subtables[key] = entry.at;
    read(*table, key);
  }

  const ParameterTable& table_;
  ParameterSet& set_;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;  // keys that are present, whatever their value
};

}  // namespace

const ReadParameter* ParameterSet::find(std::string_view key) const {
  const auto it =
      std::find_if(parameters.begin(), parameters.end(), [&](const ReadParameter& p) { return p.spec.key == key; });
  return it == parameters.end() ? nullptr : &*it;
}

Position ParameterSet::position_of(std::string_view key) const {
  const ReadParameter* parameter = find(key);
  if (parameter != nullptr && parameter->given) return parameter->at;
  const auto subtable = subtables.find(subtable_of(key));
  return subtable != subtables.end() ? subtable->second : at;
}

std::string ParameterSet::text(std::string_view key) const {
  const ReadParameter* parameter = find(key);
  if (parameter == nullptr || !parameter->given || parameter->values.size() != 1) return {};
  const auto* text = std::get_if<std::string>(&parameter->values.front());
  return text == nullptr ? std::string() : *text;
}

ParameterSet read_parameters(const TomlNode::Table& table, const Position& at, const ParameterTable& parameter_table,
                             const std::string& owner, Diagnostics& diagnostics) {
  ParameterSet set;
  set.owner = owner;
  set.at = at;
  if (parameter_table.kind.empty())
    for (const auto& [key, kinds] : parameter_table.elsewhere) set.undecided.push_back(key);
  SetReader reader(parameter_table, set, diagnostics);
  reader.read(table, "");
  reader.complete();
  return set;
}

std::string unknown_key(std::string_view key, std::string_view subtable, const std::string& owner,
                        const std::vector<std::string>& known) {
  // Nearest first among the keys and sub-tables that belong where the key stands, then among the whole owner's, by
  // their last part: `block_size` beside `pool` was meant to be `pool.block_size`.
  std::vector<std::string> here;
  for (const std::string& candidate : known) {
    std::string_view rest = candidate;
    if (!subtable.empty()) {
      if (subtable_of(candidate) != subtable && !subtable_of(candidate).starts_with(std::string(subtable) + "."))
        continue;
      rest.remove_prefix(subtable.size() + 1);
    }
    here.emplace_back(rest.substr(0, rest.find('.')));
  }
  std::string suggestion = did_you_mean(key, here);
  for (const std::string& candidate : known)
    if (suggestion.empty() && last_part(candidate) == key) suggestion = fmt::format("; did you mean '{}'?", candidate);
  return fmt::format("unknown key '{}' in {}{}", shown(key), owner, suggestion);
}

}  // namespace lacuna
