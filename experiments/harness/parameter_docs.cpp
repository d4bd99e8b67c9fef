// print_defaults(): the parameter table as a parameter file that runs. Lines with "##" explain; a line with one "#" is
// a parameter without a default, or one of a kind that the file does not choose.
#include "experiments/harness/parameter_docs.hpp"

#include <fmt/format.h>

#include <algorithm>

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

void print(std::string& text, const ParameterSpec& spec, bool commented, const ExampleValues& examples = {}) {
  text += fmt::format("## {}\n## {}.\n", spec.sentence, facts(spec));
  const std::string_view name = last_part(spec.key);
  if (const auto example = examples.find(spec.key); !commented && example != examples.end())
    text += fmt::format("{} = {}\n", name, toml_value(example->second));
  else if (spec.default_value)
    text += fmt::format("{}{} = {}\n", commented ? "# " : "", name, toml_value(*spec.default_value));
  else
    text += fmt::format("# {} =\n", name);
}

/// The kinds that the file does not choose.
template <class Kind>
void print_other_kinds(std::string& text, std::string_view header, std::string_view key, std::string_view chosen) {
  for (const Kind& kind : Registry<Kind>::instance().kinds()) {
    if (kind.name == chosen) continue;
    text += fmt::format("\n## {}\n# {}\n# {} = {}\n", kind.sentence, header, key, toml_value(kind.name));
    for (const ParameterSpec& spec : parameters_of(kind)) print(text, spec, true);
  }
}

}  // namespace

void print_parameters(std::string& text, const std::vector<ParameterSpec>& specs, std::string_view subtable,
                      const ExampleValues& examples) {
  for (const ParameterSpec& spec : specs)
    if (subtable_of(spec.key) == subtable) print(text, spec, false, examples);
}

std::string print_defaults(const std::string& program, const std::string& source) {
  const std::string selector = "main";
  const ExampleValues examples = {{"name", std::string("top_k")},
                                  {"select.by", selector},
                                  {"select.k", std::int64_t{64}},
                                  {"pool.blocks", std::int64_t{64}}};
  std::string text =
      "## Every parameter of a study with its default. What may be swept takes { grid = [a, b, ...] } or\n"
      "## { powers_of_2 = [first, last] } for a value; [[sweep.zip]] lets swept values walk together.\n"
      "schema = 1\n";
  text += "\n[experiment]\n";
  print_parameters(text, experiment_table(program).specs, "", {{"kind", program}});
  text += "\n[source]\n";
  print_parameters(text, source_table(source).specs, "", {{"kind", source}, {"preset", std::string("v41_small")}});
  print_other_kinds<SourceKind>(text, "[source]", "kind", source);

  const ParameterTable of_path = path_table(selector);
  const std::vector<ParameterSpec>& path = of_path.specs;
  text += "\n## One for each approximate path.\n[[path]]\n";
  print_parameters(text, path, "", examples);
  std::string_view subtable;
  for (const ParameterSpec& spec : path) {
    if (subtable_of(spec.key) == subtable || subtable_of(spec.key).empty()) continue;
    subtable = subtable_of(spec.key);
    const bool in_use =
        std::ranges::any_of(examples, [&](const auto& example) { return subtable_of(example.first) == subtable; });
    text += fmt::format("\n{}[path.{}]\n", in_use ? "" : "# ", subtable);
    for (const ParameterSpec& of_stage : path)
      if (subtable_of(of_stage.key) == subtable) print(text, of_stage, !in_use, examples);
    if (subtable == "select") print_other_kinds<SelectorKind>(text, "[path.select]", "by", selector);
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
