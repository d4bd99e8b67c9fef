#include "experiments/harness/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/suggestion.hpp"

namespace lacuna {
namespace {

constexpr std::size_t kMostParts = 16;

std::vector<std::string> split(std::string_view key) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = key.find('.');
    parts.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    key.remove_prefix(dot + 1);
  }
}

/// Lists of tables whose members are addressed by their names.
constexpr std::string_view kNamedLists[] = {"path", "architecture"};

/// The [[list]] of that name; otherwise `fault` names the nearest.
TomlNode::Table* find_named(TomlNode::Table& root, const std::string& list, const std::string& name,
                            std::string& fault) {
  std::vector<std::string> names;
  TomlEntry* entry = find(root, list);
  auto* array = entry == nullptr ? nullptr : std::get_if<TomlNode::Array>(&entry->node.value);
  if (array != nullptr) {
    for (TomlNode& member : *array) {
      TomlEntry* name_entry = member.table() == nullptr ? nullptr : find(*member.table(), "name");
      const std::string* its_name = name_entry == nullptr ? nullptr : name_entry->node.text();
      if (its_name == nullptr) continue;
      if (*its_name == name) return member.table();
      names.push_back(*its_name);
    }
  }
  fault = fmt::format("no [[{}]] is named '{}'{}", list, shown(name), did_you_mean(name, names));
  return nullptr;
}

/// Sets the value at the end of the parts, making the tables on the way.
void set_value(TomlNode::Table& table, const std::vector<std::string>& parts, std::size_t begin, TomlNode value,
               std::string& fault) {
  const Position at = value.at;
  TomlNode::Table* place = &table;
  for (std::size_t i = begin; i + 1 < parts.size(); ++i) {
    TomlEntry* entry = find(*place, parts[i]);
    if (entry == nullptr) {
      place->push_back({.key = parts[i], .at = at, .node = {.value = TomlNode::Table{}, .at = at}});
      entry = &place->back();
    }
    place = entry->node.table();
    if (place == nullptr) {
      fault = fmt::format("'{}' is {}, not a table", shown(parts[i]), describe(entry->node));
      return;
    }
  }
  if (TomlEntry* entry = find(*place, parts.back())) {
    entry->at = at;
    entry->node = std::move(value);
  } else {
    place->push_back({.key = parts.back(), .at = at, .node = std::move(value)});
  }
}

/// The value of "key=TEXT": TOML, or else the text itself.
std::optional<TomlNode> parse_value(std::string_view text, int setting) {
  if (auto value = parse_toml_value(text, setting)) return value;
  return parse_toml_value(toml_string(text), setting);  // not even a text when it is not UTF-8
}

/// Applies one setting; returns what is wrong with it.
std::string apply(TomlNode::Table& root, std::string_view setting, int number, std::map<std::string, int>& earlier) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos || equals == 0) return fmt::format("'{}' is not key=value", shown(setting));
  const std::string key(setting.substr(0, equals));
  const std::vector<std::string> parts = split(key);
  for (const std::string& part : parts)
    if (part.empty()) return fmt::format("'{}' is not a key: it has an empty part", shown(key));
  if (parts.size() > kMostParts) return fmt::format("'{}' is not a key: it has {} parts", shown(key), parts.size());

  const auto [first, is_new] = earlier.emplace(key, number);
  if (!is_new) return fmt::format("'{}' was already set by --set:{}", shown(key), first->second);

  auto value = parse_value(setting.substr(equals + 1), number);
  if (!value) return fmt::format("the value of '{}' is not UTF-8", shown(key));

  std::string fault;
  const std::string& list = parts.front();
  if (std::ranges::find(kNamedLists, list) == std::end(kNamedLists)) {
    set_value(root, parts, 0, std::move(*value), fault);
    return fault;
  }
  if (parts.size() < 3) return fmt::format("'{}' names no parameter: write {}.NAME.KEY", shown(key), list);
  if (TomlNode::Table* member = find_named(root, list, parts[1], fault))
    set_value(*member, parts, 2, std::move(*value), fault);
  return fault;
}

}  // namespace

void apply_settings(TomlNode& root, const std::vector<std::string>& settings, Diagnostics& diagnostics) {
  TomlNode::Table* table = root.table();
  LACUNA_ASSERT(table != nullptr);
  std::map<std::string, int> earlier;
  int number = 0;
  for (const std::string& setting : settings) {
    ++number;
    const std::string fault = apply(*table, setting, number, earlier);
    if (!fault.empty()) diagnostics.error({.setting = number}, fault);
  }
}

}  // namespace lacuna
