// A TOML text as a plain tree whose every key and value knows where it stands. toml++ is seen by toml_document.cpp
// only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/harness/diagnostics.hpp"

namespace lacuna {

struct TomlEntry;

struct TomlNode {
  struct DateOrTime {};  ///< no parameter is one, so its value is not kept
  using Array = std::vector<TomlNode>;
  using Table = std::vector<TomlEntry>;  ///< in the order of the text

  std::variant<std::int64_t, double, bool, std::string, DateOrTime, Array, Table> value;
  Position at;

  const Table* table() const { return std::get_if<Table>(&value); }
  Table* table() { return std::get_if<Table>(&value); }
  const Array* array() const { return std::get_if<Array>(&value); }
  const std::string* text() const { return std::get_if<std::string>(&value); }
};

struct TomlEntry {
  std::string key;
  Position at;  ///< of the key
  TomlNode node;
};

const TomlEntry* find(const TomlNode::Table& table, std::string_view key);
TomlEntry* find(TomlNode::Table& table, std::string_view key);

struct TomlDocument {
  std::string text;  ///< verbatim
  TomlNode root;     ///< a table
};

/// Reads a parameter file: regular, at most 1 MiB, not blank. Throws UsageError "file:line:col: error: ..." at the
/// first syntax error, EnvironmentError when the file cannot be read.
TomlDocument read_toml(const std::filesystem::path& file);

/// The tree of a text; `name` stands for the file in errors.
TomlNode parse_toml(std::string_view text, const std::string& name);

/// The value of "key = TEXT", or nothing when the text is not one TOML value. Every position is that of the setting.
std::optional<TomlNode> parse_toml_value(std::string_view text, int setting);

/// As it would stand in a TOML text, long strings cut; "a table", "a list", "a date or time" for what is not one
/// scalar.
std::string describe(const TomlNode& node);

/// A TOML basic string, quotes included: "\"a\\tb\"".
std::string toml_string(std::string_view text);

/// The text for an error message: on one line, at most 80 bytes of it.
std::string shown(std::string_view text);

}  // namespace lacuna
