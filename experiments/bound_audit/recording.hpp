// The results file of bound_audit: /audit/<name> [case] of every claim and guarantee.
#pragma once

#include <vector>

#include "experiments/bound_audit/audit_study.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/harness/run_group.hpp"

namespace lacuna {

class AuditRecording {
 public:
  AuditRecording(ResultsFile& file, const AuditStudy& study);

  /// `claim` and `guarantee` by their place in the study. [cases], [populations]
  void searched(Index claim, const std::vector<WorstCase>& cases);
  void covered(Index guarantee, const std::vector<Coverage>& cases);

 private:
  const AuditStudy& study_;
  std::vector<RunGroup> claims_;
  std::vector<RunGroup> guarantees_;
};

}  // namespace lacuna
