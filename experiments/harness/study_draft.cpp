#include "experiments/harness/study_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/harness/suggestion.hpp"
#include "experiments/harness/zip.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::size_t kLongestName = 64;

/// The text at a key of one or two parts, or "".
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

bool is_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto letter_or_digit = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= kLongestName && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), letter_or_digit);
}

class DraftReader {
 public:
  DraftReader(const TomlNode::Table& root, Diagnostics& diagnostics) : root_(root), diagnostics_(diagnostics) {}

  StudyDraft read() {
    read_top_level();
    StudyDraft draft;
    draft.experiment = read_table("experiment", experiment_table());
    draft.source.address = "source";
    const std::size_t errors = diagnostics_.count();
    draft.source.set = read_table("source", source_table(kind_of_source()));
    draft.source.sound = diagnostics_.count() == errors;
    read_paths(draft.paths);
    check_names(draft.paths);
    for (std::size_t i = 0; i < draft.paths.size(); ++i) resolve_reference(draft.paths, i);
    if (const TomlEntry* sweep = find(root_, "sweep")) read_zips(*sweep, draft, diagnostics_);
    return draft;
  }

 private:
  void read_top_level() {
    std::vector<std::string> known = {"schema", "experiment", "source", "path", "sweep"};
    for (const std::string& key : experiment_table().keys()) known.push_back("experiment." + key);
    for (const TomlEntry& entry : root_)
      if (std::find(known.begin(), known.begin() + 5, entry.key) == known.begin() + 5)
        diagnostics_.error(entry.at, unknown_key(entry.key, "", "the top level", known));

    const TomlEntry* schema = find(root_, "schema");
    if (schema == nullptr)
      return diagnostics_.error({}, fmt::format("missing key 'schema': write `schema = {}`", kSchema));
    const auto* version = std::get_if<std::int64_t>(&schema->node.value);
    if (version == nullptr)
      diagnostics_.error(schema->at, fmt::format("'schema' must be an integer, not {}", describe(schema->node)));
    else if (*version > kSchema)
      diagnostics_.error(schema->at, fmt::format("'schema' = {} is of a later version: this program reads schema {}",
                                                 *version, kSchema));
    else if (*version != kSchema)
      diagnostics_.error(schema->at, fmt::format("'schema' = {} must be {}", *version, kSchema));
  }

  std::string kind_of_source() const {
    const TomlEntry* source = find(root_, "source");
    return source == nullptr || source->node.table() == nullptr ? std::string()
                                                                : text_at(*source->node.table(), "kind");
  }

  ParameterSet read_table(const std::string& name, const ParameterTable& parameter_table) {
    const std::string owner = fmt::format("[{}]", name);
    const TomlEntry* entry = find(root_, name);
    if (entry == nullptr) {
      diagnostics_.error({}, fmt::format("missing table {}", owner));
      return {.owner = owner, .at = {}, .subtables = {}, .parameters = {}, .undecided = {}};
    }
    const TomlNode::Table* table = entry->node.table();
    if (table == nullptr) {
      diagnostics_.error(entry->at,
                         fmt::format("'{}' must be a table, {}, not {}", name, owner, describe(entry->node)));
      return {.owner = owner, .at = entry->at, .subtables = {}, .parameters = {}, .undecided = {}};
    }
    return read_parameters(*table, entry->at, parameter_table, owner, diagnostics_);
  }

  void read_paths(std::vector<OwnerDraft>& paths) {
    const TomlEntry* entry = find(root_, "path");
    if (entry == nullptr) return diagnostics_.error({}, "missing table [[path]]: a study needs at least one");
    const TomlNode::Array* array = entry->node.array();
    if (array == nullptr)
      return diagnostics_.error(
          entry->at, fmt::format("'path' must be a list of tables, each [[path]], not {}", describe(entry->node)));
    if (array->empty()) return diagnostics_.error(entry->at, "'path' is empty: a study needs at least one [[path]]");
    for (std::size_t i = 0; i < array->size(); ++i) {
      const TomlNode& node = (*array)[i];
      if (node.table() == nullptr)
        diagnostics_.error(node.at, fmt::format("'path' holds {} where a table belongs", describe(node)));
      else
        paths.push_back(read_path(*node.table(), node.at, i + 1));
    }
  }

  OwnerDraft read_path(const TomlNode::Table& table, const Position& at, std::size_t number) {
    OwnerDraft path;
    path.name = text_at(table, "name");
    path.address = "path." + path.name;
    const std::string label = path.name.empty() ? fmt::format("#{}", number) : fmt::format("\"{}\"", shown(path.name));
    const std::size_t errors = diagnostics_.count();
    path.set = read_parameters(table, at, path_table(text_at(table, "select.by")), "[[path]] " + label, diagnostics_);
    const ReadParameter* name = path.set.find("name");
    if (name != nullptr && name->values.size() == 1 && !is_name(path.name))
      diagnostics_.error(name->at,
                         fmt::format("'name' = \"{}\" must match [A-Za-z_][A-Za-z0-9_]*, at most {} characters",
                                     shown(path.name), kLongestName));
    path.sound = diagnostics_.count() == errors;
    return path;
  }

  void check_names(std::vector<OwnerDraft>& paths) {
    std::map<std::string, Position> first;
    for (OwnerDraft& path : paths) {
      if (path.name.empty()) continue;
      const Position at = path.set.position_of("name");
      const auto [earlier, is_new] = first.emplace(path.name, at);
      if (is_new) continue;
      const Position& there = earlier->second;
      diagnostics_.error(at, fmt::format("a [[path]] named \"{}\" stands already {}", shown(path.name),
                                         there.setting > 0 ? fmt::format("at --set:{}", there.setting)
                                                           : fmt::format("in line {}", there.line)));
      path.sound = false;
    }
  }

  /// Which earlier path's selection a path of select.by = "path" reads.
  void resolve_reference(std::vector<OwnerDraft>& paths, std::size_t number) {
    OwnerDraft& path = paths[number];
    if (path.set.text("select.by") != "path") return;
    const ReadParameter* reference = path.set.find(kReferenceKey);
    if (reference == nullptr || reference->values.empty()) return;
    const std::string name = path.set.text(kReferenceKey);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < number; ++i) names.push_back(paths[i].name);
    const auto earlier = std::find(names.begin(), names.end(), name);
    if (!reference->swept && earlier != names.end()) {
      path.referenced = static_cast<int>(earlier - names.begin());
      return;
    }
    const bool later = std::any_of(paths.begin() + static_cast<std::ptrdiff_t>(number), paths.end(),
                                   [&](const OwnerDraft& other) { return other.name == name; });
    const std::string fault =
        reference->swept ? "cannot be swept"
        : later          ? fmt::format("= \"{}\" must name a path that stands above this one", shown(name))
                : fmt::format("= \"{}\" names no [[path]] above this one{}", shown(name), did_you_mean(name, names));
    diagnostics_.error(reference->at, fmt::format("'{}' in {} {}", kReferenceKey, path.set.owner, fault));
    path.sound = false;
  }

  const TomlNode::Table& root_;
  Diagnostics& diagnostics_;
};

}  // namespace

StudyDraft read_draft(const TomlNode& root, Diagnostics& diagnostics) {
  LACUNA_ASSERT(root.table() != nullptr);
  return DraftReader(*root.table(), diagnostics).read();
}

}  // namespace lacuna
