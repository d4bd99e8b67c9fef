#include "experiments/harness/parameter_table.hpp"

#include <algorithm>

#include "core/approx/path_parameters.hpp"
#include "core/approx/region.hpp"
#include "core/approx/selector.hpp"
#include "data/problem_source.hpp"

namespace lacuna {
namespace {

/// The kind's parameters with their keys put into the owner's table; of the other kinds only who owns them.
template <class Kind>
std::vector<ParameterSpec> add_kinds(std::string_view chosen, const std::string& prefix, ParameterTable& table) {
  std::vector<ParameterSpec> own;
  for (const Kind& kind : Registry<Kind>::instance().kinds()) {
    for (ParameterSpec& spec : parameters_of(kind)) {
      spec.key = prefix + spec.key;
      table.elsewhere[spec.key].push_back(kind.name);
      if (kind.name == chosen) own.push_back(std::move(spec));
    }
    if (kind.name == chosen) table.kind = kind.name;
  }
  for (const ParameterSpec& spec : own) table.elsewhere.erase(spec.key);
  return own;
}

std::vector<std::string> source_kinds() {
  std::vector<std::string> names;
  for (const SourceKind& kind : SourceRegistry::instance().kinds()) names.push_back(kind.name);
  return names;
}

}  // namespace

const ParameterSpec* ParameterTable::find(std::string_view key) const {
  const auto it = std::find_if(specs.begin(), specs.end(), [&](const ParameterSpec& spec) { return spec.key == key; });
  return it == specs.end() ? nullptr : &*it;
}

bool ParameterTable::has_subtable(std::string_view name) const {
  const std::vector<std::string> all = keys();
  return std::any_of(all.begin(), all.end(), [&](const std::string& key) {
    return key.size() > name.size() && key.starts_with(name) && key[name.size()] == '.';
  });
}

bool ParameterTable::has_list(std::string_view name) const {
  return std::any_of(listed.begin(), listed.end(),
                     [&](const ParameterSpec& spec) { return subtable_of(spec.key) == name; });
}

std::vector<std::string> ParameterTable::keys() const {
  std::vector<std::string> all;
  for (const ParameterSpec& spec : specs) all.push_back(spec.key);
  for (const ParameterSpec& spec : listed) all.push_back(spec.key);
  for (const auto& [key, kinds] : elsewhere) all.push_back(key);
  return all;
}

ParameterTable common_experiment_table() {
  using enum ParameterType;
  ParameterTable table;
  table.specs = {
      {.key = "kind",
       .type = text,
       .required = true,
       .sweepable = false,
       .sentence = "The experiment: the name of the program that runs the file."},
      {.key = "seed",
       .type = integer,
       .minimum = 0,
       .default_value = std::int64_t{0},
       .sweepable = false,
       .sentence = "Every random number is a function of it and of what the number is for."},
      {.key = "title", .type = text, .sweepable = false, .sentence = "A line about the study, kept in the results."},
      {.key = "compression",
       .type = text,
       .choices = {"none", "deflate"},
       .default_value = std::string("none"),
       .sweepable = false,
       .sentence = "Compression of the results file; deflate is smaller and much slower to write."},
  };
  return table;
}

ParameterTable experiment_table(std::string_view program) {
  using enum ParameterType;
  ParameterTable table = common_experiment_table();
  if (program == "model_divergence")
    table.specs.push_back({.key = "compare_from",
                           .type = integer,
                           .unit = "token",
                           .minimum = 0,
                           .maximum = 1 << 24,
                           .default_value = std::int64_t{0},
                           .sweepable = false,
                           .sentence = "First position whose states and next-token distributions are compared: behind "
                                       "a replay's prefix, say. Judged queries are those of the source."});
  else
    table.specs.push_back({.key = "record_selected",
                           .type = boolean,
                           .default_value = false,
                           .sweepable = false,
                           .sentence = "Whether the results hold the selected keys of every query."});
  return table;
}

ParameterTable source_table(std::string_view kind) {
  ParameterTable table;
  table.kind_label = "source.kind";
  table.specs = {{.key = "kind",
                  .type = ParameterType::text,
                  .choices = source_kinds(),
                  .required = true,
                  .sweepable = false,
                  .sentence = "Where the attention problems come from."}};
  const std::vector<ParameterSpec> own = add_kinds<SourceKind>(kind, "", table);
  table.specs.insert(table.specs.end(), own.begin(), own.end());
  return table;
}

ParameterTable path_table(std::string_view selector) {
  ParameterTable table;
  table.kind_label = "select.by";
  table.specs = path_parameters();
  table.listed = region_parameters();
  table.specs.insert(table.specs.begin(), {.key = "name",
                                           .type = ParameterType::text,
                                           .required = true,
                                           .sweepable = false,
                                           .sentence = "Names the path's group in the results file; unique."});
  const std::vector<ParameterSpec> own = add_kinds<SelectorKind>(selector, "select.", table);
  const auto last_of_select = std::find_if(table.specs.rbegin(), table.specs.rend(),
                                           [](const ParameterSpec& spec) { return subtable_of(spec.key) == "select"; });
  table.specs.insert(last_of_select.base(), own.begin(), own.end());
  return table;
}

std::string_view subtable_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

std::string_view last_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

std::string dimension_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace lacuna
