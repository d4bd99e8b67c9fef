// The tables of a parameter file, read one after the other against their parameter tables. Every fault goes to the
// diagnostics.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/parameter_set.hpp"
#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// One of a list of tables that are told apart by their `name`: [[path]], [[architecture]].
struct NamedTable {
  std::string name;
  ParameterSet set;
  bool sound = true;  ///< no error was found in it
};

/// The text at a key of one or two parts, or "".
std::string text_at(const TomlNode::Table& table, std::string_view key);

/// Nothing but `schema`, which must be there and known, and `tables`.
void read_top_level(const TomlNode::Table& root, const std::vector<std::string>& tables,
                    const ParameterTable& experiment, Diagnostics& diagnostics);

/// The table [name]; without parameters when it is missing.
ParameterSet read_table(const TomlNode::Table& root, const std::string& name, const ParameterTable& parameter_table,
                        Diagnostics& diagnostics);

/// The list [[list]] with at least one table, whose parameter table may depend on what stands in it. Names are unique
/// identifiers.
std::vector<NamedTable> read_named_tables(const TomlNode::Table& root, const std::string& list,
                                          const std::function<ParameterTable(const TomlNode::Table&)>& table_of,
                                          Diagnostics& diagnostics);

}  // namespace lacuna
