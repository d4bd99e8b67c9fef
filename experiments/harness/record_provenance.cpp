#include "experiments/harness/record_provenance.hpp"

#include <fmt/format.h>

namespace lacuna {

void record_provenance(ResultsFile& file, const StudyRecord& study, const std::string& input_sha256,
                       const RunFacts& run) {
  ResultsGroup root = file.group("/");
  const std::string kind = study.experiment.text("kind");
  root.attribute("Conventions", "CF-1.10");
  root.attribute("title", study.experiment.has("title") ? study.experiment.text("title")
                                                        : fmt::format("{}: {}", kind, study.file.stem().string()));
  root.attribute("schema_version", std::int64_t{1});
  root.attribute("experiment", kind);
  root.attribute("causal_rule", "a query sees the keys whose position is not after its own");
  root.attribute("window_rule", "the window includes the query's own key: window 1 attends to itself only");
  root.attribute("tie_rule", "score descending, then index ascending");

  ResultsGroup provenance = file.group("/provenance");
  provenance.text("parameters_toml", study.text);
  std::string resolved;
  for (const ResolvedParameter& parameter : study.resolved)
    resolved += fmt::format("{} = {}{}\n", parameter.key, parameter.value, parameter.given ? "" : "  # default");
  provenance.text("parameters_resolved", resolved);
  for (const auto& [name, value] : build_facts()) provenance.attribute(name, value);
  provenance.attribute("input_sha256", input_sha256);

  ResultsGroup volatile_facts = file.group("/provenance/run");
  for (const auto& [name, value] : host_facts()) volatile_facts.attribute(name, value);
  volatile_facts.attribute("started", run.started);
  volatile_facts.attribute("finished", utc_now());
  volatile_facts.attribute("threads", std::int64_t{run.threads});
  std::string arguments;
  for (int i = 0; i < run.argc; ++i) arguments += fmt::format("{}{}", i > 0 ? " " : "", run.argv[i]);
  volatile_facts.text("argv", arguments);
}

}  // namespace lacuna
