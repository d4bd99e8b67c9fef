// A study of bound_audit: which claims, and how hard they are tried.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/bound_audit/coverage.hpp"
#include "experiments/bound_audit/search.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

struct AuditStudy : StudyRecord {
  std::vector<AuditedClaim> claims;              ///< to search
  std::vector<const GuaranteeKind*> guarantees;  ///< to try
  Index cases = 0;                               ///< of each claim
  SearchSettings search;
  CoverageSettings coverage;

  std::uint64_t seed() const { return static_cast<std::uint64_t>(experiment.integer("seed")); }
};

/// As read_study().
AuditStudy read_audit_study(const std::filesystem::path& file, const std::vector<std::string>& settings);

}  // namespace lacuna
