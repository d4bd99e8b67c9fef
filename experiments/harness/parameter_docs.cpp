// print_defaults(): the parameter table as a parameter file. Lines with "##" explain; a line with one "#" is a
// parameter without a default, or one of a kind that the file does not choose.
#include "experiments/harness/parameter_docs.hpp"

#include <fmt/format.h>

#include "core/approx/selector.hpp"
#include "data/problem_source.hpp"
#include "experiments/harness/parameter_table.hpp"
#include "experiments/harness/parameter_text.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {
namespace {

/// "integer, keys, between 0 and 2147483647, may be swept"
std::string facts(const ParameterSpec& spec) {
  std::vector<std::string> parts = {type_name(spec.type)};
  if (!spec.unit.empty()) parts.push_back("unit " + spec.unit);
  if (const std::string rule = range_rule(spec); !rule.empty()) parts.push_back(rule);
  if (!spec.choices.empty()) parts.push_back(fmt::format("one of {}", joined(spec.choices, ", ")));
  if (spec.is_path) parts.push_back("relative to the folder of the parameter file");
  if (spec.sweepable) parts.push_back("may be swept");
  if (!spec.default_value) parts.push_back(spec.required ? "required" : "may be left out");
  return joined(parts, "; ");
}

void print(std::string& text, const ParameterSpec& spec, bool commented) {
  text += fmt::format("## {}\n## {}.\n", spec.sentence, facts(spec));
  const std::string_view name = last_part(spec.key);
  if (spec.default_value)
    text += fmt::format("{}{} = {}\n", commented ? "# " : "", name, toml_value(*spec.default_value));
  else
    text += fmt::format("# {} =\n", name);
}

template <class Kind>
void print_kinds(std::string& text, std::string_view header, std::string_view key) {
  for (const Kind& kind : Registry<Kind>::instance().kinds()) {
    text += fmt::format("\n## {}\n# {}\n# {} = {}\n", kind.sentence, header, key, toml_value(kind.name));
    for (const ParameterSpec& spec : kind.parameters) print(text, spec, true);
  }
}

}  // namespace

void print_parameters(std::string& text, const std::vector<ParameterSpec>& specs, std::string_view subtable) {
  for (const ParameterSpec& spec : specs)
    if (subtable_of(spec.key) == subtable) print(text, spec, false);
}

std::string print_defaults() {
  std::string text =
      "## Every parameter of a study with its default. What may be swept takes { grid = [a, b, ...] } or\n"
      "## { powers_of_2 = [first, last] } for a value; [[sweep.zip]] lets swept values walk together.\n"
      "schema = 1\n";
  text += "\n[experiment]\n";
  print_parameters(text, experiment_table().specs, "");
  text += "\n[source]\n";
  print_parameters(text, source_table("").specs, "");
  print_kinds<SourceKind>(text, "[source]", "kind");

  const ParameterTable of_path = path_table("");
  const std::vector<ParameterSpec>& path = of_path.specs;
  text += "\n## One for each approximate path.\n[[path]]\n";
  print_parameters(text, path, "");
  std::string_view subtable;
  for (const ParameterSpec& spec : path) {
    if (subtable_of(spec.key) == subtable || subtable_of(spec.key).empty()) continue;
    subtable = subtable_of(spec.key);
    text += fmt::format("\n[path.{}]\n", subtable);
    print_parameters(text, path, subtable);
    if (subtable == "select") print_kinds<SelectorKind>(text, "[path.select]", "by");
  }
  for (const ParameterSpec& spec : of_path.listed) {
    if (subtable != subtable_of(spec.key))
      text += fmt::format("\n## A list, from near to far.\n# [[path.{}]]\n", subtable_of(spec.key));
    subtable = subtable_of(spec.key);
    print(text, spec, true);
  }
  text +=
      "\n## Swept values that walk together: of one path or of the source, lists of equal length; the first names the\n"
      "## dimension.\n# [[sweep.zip]]\n# keys = [\"path.NAME.pool.blocks\", \"path.NAME.select.k\"]\n";
  return text;
}

}  // namespace lacuna
