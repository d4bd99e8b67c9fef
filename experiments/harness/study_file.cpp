#include "experiments/harness/study_file.hpp"

#include "core/base/suggestion.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/parameter_text.hpp"
#include "experiments/harness/settings.hpp"

namespace lacuna {
namespace {

/// A file of another program is worth no other message; a name that was misspelt is one error among others.
void check_kind(const TomlNode::Table& root, const std::string& program, const std::string& file,
                Diagnostics& diagnostics) {
  const TomlNode::Table* experiment =
      find(root, "experiment") == nullptr ? nullptr : find(root, "experiment")->node.table();
  const TomlEntry* kind = experiment == nullptr ? nullptr : find(*experiment, "kind");
  if (program.empty() || kind == nullptr || kind->node.text() == nullptr || *kind->node.text() == program) return;
  const std::string suggestion = did_you_mean(*kind->node.text(), {program});
  const std::string message = fmt::format("experiment.kind is \"{}\"; this program runs \"{}\"{}",
                                          shown(*kind->node.text()), program, suggestion);
  if (suggestion.empty()) throw UsageError(error_line(file, kind->at, message));
  diagnostics.error(kind->at, message);
}

}  // namespace

void read_study_file(StudyRecord& study, const std::filesystem::path& file, const std::vector<std::string>& settings,
                     const StudyTables& tables,
                     const std::function<void(const TomlNode::Table& root, Diagnostics&)>& read) {
  study.file = file;
  TomlDocument document = read_toml(file);
  study.text = std::move(document.text);
  Diagnostics diagnostics(file.string());
  apply_settings(document.root, settings, diagnostics);
  LACUNA_ASSERT(document.root.table() != nullptr);
  const TomlNode::Table& root = *document.root.table();
  check_kind(root, tables.program, file.string(), diagnostics);
  std::vector<std::string> known = {"experiment"};
  known.insert(known.end(), tables.others.begin(), tables.others.end());
  read_top_level(root, known, tables.experiment, diagnostics);
  study.resolved.push_back({.key = "schema", .value = "1", .given = true});
  const ParameterSet experiment = read_table(root, "experiment", tables.experiment, diagnostics);
  study.experiment = values_of(experiment);
  record_table(study, "experiment", experiment);
  read(root, diagnostics);
  diagnostics.throw_if_any();
}

void record_table(StudyRecord& study, const std::string& address, const ParameterSet& set) {
  study.places.add(address, set);
  for (const ReadParameter& parameter : set.parameters)
    study.resolved.push_back({.key = address + "." + parameter.spec.key,
                              .value = parameter.values.empty() ? ""
                                       : parameter.swept        ? toml_values(parameter.values)
                                                                : toml_value(parameter.values.front()),
                              .given = parameter.given});
}

Parameters values_of(const ParameterSet& set) {
  Parameters parameters;
  for (const ReadParameter& parameter : set.parameters)
    if (!parameter.swept && !parameter.values.empty()) parameters.set(parameter.spec.key, parameter.values.front());
  return parameters;
}

}  // namespace lacuna
