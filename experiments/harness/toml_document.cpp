#include "experiments/harness/toml_document.hpp"

#include <toml++/toml.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/parameter.hpp"
#include "experiments/harness/bounded_file.hpp"
#include "experiments/harness/nesting.hpp"

namespace lacuna {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr int kMaxNesting = 256;

Position position(const toml::source_region& region, int setting) {
  return {
      .setting = setting, .line = static_cast<int>(region.begin.line), .column = static_cast<int>(region.begin.column)};
}

TomlNode convert(const toml::node& node, int setting) {
  TomlNode result{.value = TomlNode::DateOrTime{}, .at = position(node.source(), setting)};
  if (const auto* integer = node.as_integer()) result.value = integer->get();
  if (const auto* real = node.as_floating_point()) result.value = real->get();
  if (const auto* boolean = node.as_boolean()) result.value = boolean->get();
  if (const auto* text = node.as_string()) result.value = text->get();
  if (const auto* array = node.as_array()) {
    TomlNode::Array elements;
    for (const toml::node& element : *array) elements.push_back(convert(element, setting));
    result.value = std::move(elements);
  }
  if (const auto* table = node.as_table()) {
    TomlNode::Table entries;
    for (const auto& [key, value] : *table)
      entries.push_back({std::string(key.str()), position(key.source(), setting), convert(value, setting)});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const TomlEntry& a, const TomlEntry& b) { return a.at < b.at; });
    result.value = std::move(entries);
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (byte < 0x20 || byte == 0x7F)
      result += fmt::format("\\u{:04X}", byte);
    else
      result += c;
  }
  return result;
}

bool is_blank(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

const TomlEntry* find(const TomlNode::Table& table, std::string_view key) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const TomlEntry& entry) { return entry.key == key; });
  return it == table.end() ? nullptr : &*it;
}

TomlEntry* find(TomlNode::Table& table, std::string_view key) {
  return const_cast<TomlEntry*>(find(std::as_const(table), key));
}

TomlNode parse_toml(std::string_view text, const std::string& name) {
  if (const auto deep = first_deeper_than(text, kMaxNesting))
    throw UsageError(error_line(name, *deep, fmt::format("nested deeper than {} levels", kMaxNesting)));
  try {
    return convert(toml::parse(text), 0);
  } catch (const toml::parse_error& error) {
    throw UsageError(error_line(name, position(error.source(), 0), std::string(error.description())));
  }
}

std::optional<TomlNode> parse_toml_value(std::string_view text, int setting) {
  const std::string line = fmt::format("value = {}", text);
  if (first_deeper_than(line, kMaxNesting)) return std::nullopt;
  try {
    const toml::table table = toml::parse(line);
    if (table.size() != 1) return std::nullopt;  // a line break and a second key
    return convert(*table.get("value"), setting);
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

TomlDocument read_toml(const std::filesystem::path& file) {
  TomlDocument document;
  document.text = read_bounded_file(file, kMaxBytes);
  if (is_blank(document.text)) throw UsageError(fmt::format("{}: error: the file is empty", file.string()));
  document.root = parse_toml(document.text, file.string());
  return document;
}

std::string toml_string(std::string_view text) { return '"' + escaped(text) + '"'; }

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 80;  // bytes
  if (text.size() <= kMost) return escaped(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  return escaped(text.substr(0, end)) + "...";
}

std::string describe(const TomlNode& node) {
  struct Visitor {
    std::string operator()(std::int64_t x) const { return to_string(ParameterValue(x)); }
    std::string operator()(double x) const { return to_string(ParameterValue(x)); }
    std::string operator()(bool x) const { return to_string(ParameterValue(x)); }
    std::string operator()(const std::string& x) const { return '"' + shown(x) + '"'; }
    std::string operator()(TomlNode::DateOrTime) const { return "a date or time"; }
    std::string operator()(const TomlNode::Array&) const { return "a list"; }
    std::string operator()(const TomlNode::Table&) const { return "a table"; }
  };
  return std::visit(Visitor{}, node.value);
}

}  // namespace lacuna
