#include "experiments/harness/parameter_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/suggestion.hpp"
#include "experiments/harness/parameter_text.hpp"

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
      else if (one_part && table_.has_list(key))
        read_list(key, entry);
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
    std::move(listed_.begin(), listed_.end(), std::back_inserter(set_.parameters));
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

  /// A list of sub-tables: every parameter of theirs becomes a list with one value of each.
  void read_list(const std::string& key, const TomlEntry& entry) {
    set_.subtables[key] = entry.at;
    const TomlNode::Array* array = entry.node.array();
    if (array == nullptr || array->empty())
      return diagnostics_.error(
          entry.at, fmt::format("'{}' in {} must be a list of tables, each [[path.{}]], not {}", key, set_.owner, key,
                                array == nullptr ? describe(entry.node) : "empty"));
    std::map<std::string, std::vector<ParameterValue>> values;
    for (std::size_t i = 0; i < array->size(); ++i) {
      const TomlNode& node = (*array)[i];
      const std::string place = fmt::format("{}.{}", key, i);
      set_.elements[place] = node.at;
      const std::string owner = fmt::format("{} {} of {}", key, i + 1, set_.owner);
      if (const TomlNode::Table* table = node.table())
        read_element(key, place, owner, *table, node.at, values);
      else
        diagnostics_.error(node.at,
                           fmt::format("'{}' in {} holds {} where a table belongs", key, set_.owner, describe(node)));
    }
    for (const ParameterSpec& spec : table_.listed) {
      if (subtable_of(spec.key) != key || values[spec.key].size() != array->size()) continue;
      listed_.push_back({.spec = spec, .values = {list_of(values[spec.key])}, .given = true, .at = entry.at});
    }
  }

  void read_element(const std::string& key, const std::string& place, const std::string& owner,
                    const TomlNode::Table& element, const Position& at,
                    std::map<std::string, std::vector<ParameterValue>>& values) {
    for (const TomlEntry& entry : element) {
      set_.elements[place + "." + entry.key] = entry.at;
      if (find_listed(key, entry.key) == nullptr)
        diagnostics_.error(entry.at, unknown_key(entry.key, key, owner, table_.keys()));
    }
    for (const ParameterSpec& spec : table_.listed) {
      if (subtable_of(spec.key) != key) continue;
      const TomlEntry* entry = find(element, last_part(spec.key));
      if (entry != nullptr) {
        if (const auto read = read_values(*entry, spec, owner, diagnostics_))
          values[spec.key].push_back(read->values.front());
      } else if (spec.default_value) {
        values[spec.key].push_back(*spec.default_value);
      } else {
        diagnostics_.error(at, fmt::format("missing key '{}' in {}: {}", last_part(spec.key), owner, spec.sentence));
      }
    }
  }

  const ParameterSpec* find_listed(const std::string& key, const std::string& name) const {
    const auto it = std::find_if(table_.listed.begin(), table_.listed.end(), [&](const ParameterSpec& spec) {
      return subtable_of(spec.key) == key && last_part(spec.key) == name;
    });
    return it == table_.listed.end() ? nullptr : &*it;
  }

  /// Values of one type, not empty.
  static ParameterValue list_of(const std::vector<ParameterValue>& values) {
    if (std::holds_alternative<std::string>(values.front())) {
      std::vector<std::string> list;
      for (const ParameterValue& value : values) list.push_back(std::get<std::string>(value));
      return list;
    }
    std::vector<std::int64_t> list;
    for (const ParameterValue& value : values) list.push_back(std::get<std::int64_t>(value));
    return list;
  }

  const ParameterTable& table_;
  ParameterSet& set_;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;         // keys that are present, whatever their value
  std::vector<ReadParameter> listed_;  // of lists of sub-tables
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
  for (const std::string_view place : {key, subtable_of(key)})
    if (const auto element = elements.find(place); element != elements.end()) return element->second;
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
