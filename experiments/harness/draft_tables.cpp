#include "experiments/harness/draft_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lacuna {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::size_t kLongestName = 64;

bool is_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto letter_or_digit = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= kLongestName && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), letter_or_digit);
}

void check_schema(const TomlNode::Table& root, Diagnostics& diagnostics) {
  const TomlEntry* schema = find(root, "schema");
  if (schema == nullptr)
    return diagnostics.error({}, fmt::format("missing key 'schema': write `schema = {}`", kSchema));
  const auto* version = std::get_if<std::int64_t>(&schema->node.value);
  if (version == nullptr)
    diagnostics.error(schema->at, fmt::format("'schema' must be an integer, not {}", describe(schema->node)));
  else if (*version > kSchema)
    diagnostics.error(schema->at, fmt::format("'schema' = {} is of a later version: this program reads schema {}",
                                              *version, kSchema));
  else if (*version != kSchema)
    diagnostics.error(schema->at, fmt::format("'schema' = {} must be {}", *version, kSchema));
}

NamedTable read_named_table(const TomlNode::Table& table, const Position& at, const std::string& list,
                            std::size_t number, const ParameterTable& parameter_table, Diagnostics& diagnostics) {
  NamedTable result;
  result.name = text_at(table, "name");
  const std::string label =
      result.name.empty() ? fmt::format("#{}", number) : fmt::format("\"{}\"", shown(result.name));
  const std::size_t errors = diagnostics.count();
  result.set = read_parameters(table, at, parameter_table, fmt::format("[[{}]] {}", list, label), diagnostics);
  const ReadParameter* name = result.set.find("name");
  if (name != nullptr && name->values.size() == 1 && !is_name(result.name))
    diagnostics.error(name->at, fmt::format("'name' = \"{}\" must match [A-Za-z_][A-Za-z0-9_]*, at most {} characters",
                                            shown(result.name), kLongestName));
  result.sound = diagnostics.count() == errors;
  return result;
}

void check_names(std::vector<NamedTable>& tables, const std::string& list, Diagnostics& diagnostics) {
  std::map<std::string, Position> first;
  for (NamedTable& table : tables) {
    if (table.name.empty()) continue;
    const Position at = table.set.position_of("name");
    const auto [earlier, is_new] = first.emplace(table.name, at);
    if (is_new) continue;
    const Position& there = earlier->second;
    diagnostics.error(at, fmt::format("a [[{}]] named \"{}\" stands already {}", list, shown(table.name),
                                      there.setting > 0 ? fmt::format("at --set:{}", there.setting)
                                                        : fmt::format("in line {}", there.line)));
    table.sound = false;
  }
}

}  // namespace

std::string text_at(const TomlNode::Table& table, std::string_view key) {
  const std::size_t dot = key.find('.');
  const TomlEntry* entry = find(table, key.substr(0, dot));
  if (entry == nullptr) return {};
  if (dot != std::string_view::npos) {
    const TomlNode::Table* inner = entry->node.table();
    return inner == nullptr ? std::string() : text_at(*inner, key.substr(dot + 1));
  }
  return entry->node.text() == nullptr ? std::string() : *entry->node.text();
}

void read_top_level(const TomlNode::Table& root, const std::vector<std::string>& tables,
                    const ParameterTable& experiment, Diagnostics& diagnostics) {
  std::vector<std::string> here = {"schema"};
  here.insert(here.end(), tables.begin(), tables.end());
  std::vector<std::string> known = here;
  for (const std::string& key : experiment.keys()) known.push_back("experiment." + key);
  for (const TomlEntry& entry : root)
    if (std::find(here.begin(), here.end(), entry.key) == here.end())
      diagnostics.error(entry.at, unknown_key(entry.key, "", "the top level", known));
  check_schema(root, diagnostics);
}

ParameterSet read_table(const TomlNode::Table& root, const std::string& name, const ParameterTable& parameter_table,
                        Diagnostics& diagnostics) {
  const std::string owner = fmt::format("[{}]", name);
  const TomlEntry* entry = find(root, name);
  if (entry == nullptr) {
    diagnostics.error({}, fmt::format("missing table {}", owner));
    return {.owner = owner, .at = {}, .subtables = {}, .parameters = {}, .elements = {}, .undecided = {}};
  }
  const TomlNode::Table* table = entry->node.table();
  if (table == nullptr) {
    diagnostics.error(entry->at, fmt::format("'{}' must be a table, {}, not {}", name, owner, describe(entry->node)));
    return {.owner = owner, .at = entry->at, .subtables = {}, .parameters = {}, .elements = {}, .undecided = {}};
  }
  return read_parameters(*table, entry->at, parameter_table, owner, diagnostics);
}

std::vector<NamedTable> read_named_tables(const TomlNode::Table& root, const std::string& list,
                                          const std::function<ParameterTable(const TomlNode::Table&)>& table_of,
                                          Diagnostics& diagnostics) {
  std::vector<NamedTable> tables;
  const TomlEntry* entry = find(root, list);
  if (entry == nullptr) {
    diagnostics.error({}, fmt::format("missing table [[{}]]: a study needs at least one", list));
    return tables;
  }
  const TomlNode::Array* array = entry->node.array();
  if (array == nullptr) {
    diagnostics.error(
        entry->at, fmt::format("'{0}' must be a list of tables, each [[{0}]], not {1}", list, describe(entry->node)));
    return tables;
  }
  if (array->empty())
    diagnostics.error(entry->at, fmt::format("'{0}' is empty: a study needs at least one [[{0}]]", list));
  for (std::size_t i = 0; i < array->size(); ++i) {
    const TomlNode& node = (*array)[i];
    if (const TomlNode::Table* table = node.table())
      tables.push_back(read_named_table(*table, node.at, list, i + 1, table_of(*table), diagnostics));
    else
      diagnostics.error(node.at, fmt::format("'{}' holds {} where a table belongs", list, describe(node)));
  }
  check_names(tables, list, diagnostics);
  return tables;
}

}  // namespace lacuna
