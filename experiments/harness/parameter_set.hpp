// The parameters of one owner, [experiment], [source] or one [[path]], read against its table.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/harness/parameter_table.hpp"
#include "experiments/harness/parameter_value.hpp"

namespace lacuna {

struct ReadParameter {
  ParameterSpec spec;
  std::vector<ParameterValue> values;  ///< as written: one, those of a sweep, or none when it is unset
  bool swept = false;
  bool given = false;  ///< by the file or a --set; otherwise it is the default
  Position at;         ///< of its key, when given
};

struct ParameterSet {
  std::string owner;                                       ///< as errors name it: "[source]", "[[path]] \"pool\""
  Position at;                                             ///< of the owner's table
  std::map<std::string, Position, std::less<>> subtables;  ///< those that are present: "select", "pool"
  std::vector<ReadParameter> parameters;                   ///< every one that applies, in the table's order
  /// Of lists of sub-tables: of each element, "region.0", and of each of its keys that is given, "region.0.from".
  std::map<std::string, Position, std::less<>> elements;

  std::vector<std::string> undecided;  ///< keys that apply to some kind, when no known kind was given

  const ReadParameter* find(std::string_view key) const;
  /// Where to point at for a fault of the key: at the key, or else its sub-table, or else the owner.
  Position position_of(std::string_view key) const;
  /// The value of a text that is given and not swept; "" otherwise.
  std::string text(std::string_view key) const;
};

/// Reads the owner's table and fills in the defaults. Parameters of a sub-table apply when it is present; a list of
/// sub-tables gives each of its parameters the list of their values. Reports keys that are unknown, do not apply to the
/// kind, are missing, or have a value that is not legal.
ParameterSet read_parameters(const TomlNode::Table& table, const Position& at, const ParameterTable& parameter_table,
                             const std::string& owner, Diagnostics& diagnostics);

/// "unknown key 'blokcs' in [[path]] \"pool\"; did you mean 'blocks'?": `known` are the owner's keys, `subtable` the
/// one that the key stands in.
std::string unknown_key(std::string_view key, std::string_view subtable, const std::string& owner,
                        const std::vector<std::string>& known);

}  // namespace lacuna
