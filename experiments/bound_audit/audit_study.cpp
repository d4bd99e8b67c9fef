#include "experiments/bound_audit/audit_study.hpp"

#include <algorithm>

#include "experiments/bound_audit/parameters.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/resolved.hpp"
#include "experiments/harness/settings.hpp"

namespace lacuna {
namespace {

void choose_claims(const Parameters& audit, AuditStudy& study) {
  const auto wanted = [&](const std::string& name) {
    if (!audit.has("claims")) return true;
    const auto& names = audit.get<std::vector<std::string>>("claims");
    return std::ranges::find(names, name) != names.end();
  };
  for (AuditedClaim& claim : audited_claims())
    if (wanted(claim.name)) study.claims.push_back(std::move(claim));
  for (const GuaranteeKind& kind : GuaranteeRegistry::instance().kinds())
    if (wanted(kind.name)) study.guarantees.push_back(&kind);
}

void read_audit(const TomlNode::Table& root, AuditStudy& study, Diagnostics& diagnostics) {
  const ParameterTable experiment = common_experiment_table();
  read_top_level(root, {"experiment", "audit"}, experiment, diagnostics);
  study.resolved.push_back({.key = "schema", .value = "1", .given = true});
  const ParameterSet experiment_set = read_table(root, "experiment", experiment, diagnostics);
  study.experiment = values_of(experiment_set);
  append_resolved(study.resolved, "experiment.", experiment_set);
  const ParameterSet audit_set = read_table(root, "audit", audit_table(), diagnostics);
  append_resolved(study.resolved, "audit.", audit_set);
  diagnostics.throw_if_any();

  const Parameters audit = values_of(audit_set);
  choose_claims(audit, study);
  study.cases = audit.integer("cases");
  study.search.steps = audit.integer("steps");
  study.search.largest = {.keys = audit.integer("keys"), .channels = audit.integer("channels")};
  study.coverage = {.trials = audit.integer("trials"),
                    .left_out = audit.integer("left_out"),
                    .sample = audit.integer("sample"),
                    .probability = audit.real("probability"),
                    .confidence = audit.real("confidence")};
}

}  // namespace

AuditStudy read_audit_study(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  AuditStudy study;
  study.file = file;
  TomlDocument document = read_toml(file);
  study.text = std::move(document.text);
  Diagnostics diagnostics(file.string());
  apply_settings(document.root, settings, diagnostics);
  require_kind(document.root, "bound_audit", file.string());
  read_audit(*document.root.table(), study, diagnostics);
  return study;
}

}  // namespace lacuna
