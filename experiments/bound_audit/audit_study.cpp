#include "experiments/bound_audit/audit_study.hpp"

#include <algorithm>

#include "experiments/bound_audit/parameters.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/study_file.hpp"

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

void take_audit(const Parameters& audit, AuditStudy& study) {
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
  const StudyTables tables{.program = "bound_audit", .experiment = common_experiment_table(), .others = {"audit"}};
  read_study_file(study, file, settings, tables, [&](const TomlNode::Table& root, Diagnostics& diagnostics) {
    const ParameterSet audit = read_table(root, "audit", audit_table(), diagnostics);
    record_table(study, "audit", audit);
    if (diagnostics.count() == 0) take_audit(values_of(audit), study);
  });
  return study;
}

}  // namespace lacuna
