// Two results files, dataset by dataset: whether a change of the program, the machine or the compiler changed results.
//
// Inside: every dataset and attribute, and the metric version, but for what says how, not what: /provenance/run, the
// facts of the build, the digest of the bits (data_sha256), and the parameter file as it was typed (its resolved
// parameters count). Numbers go by Tolerance; coordinates (dimension scales), integers and texts must be equal. A
// dataset or attribute that one file lacks, another type, shape or order of dimensions is a difference. What is of a
// type that results files do not hold in both is not compared, and named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/compare/value_comparison.hpp"

namespace lacuna {

struct ComparisonOptions {
  Tolerance tolerance;
  /// Left out: datasets and attributes of these names ("bound"), or everything at or below these paths ("/path/top_k").
  std::vector<std::string> ignore;
};

struct Comparison {
  /// One sentence each: "/path/top_k/bound: 3 of 4608 values differ; worst at layer=18 head=5 query=2047: 1 against 2".
  std::vector<std::string> differences;
  /// What both files hold in a form that cannot be compared: "attribute 'axes' of /path/top_k", "/path/top_k/table".
  std::vector<std::string> not_compared;
  std::int64_t datasets = 0;  ///< compared
  std::int64_t values = 0;
  std::int64_t ignored = 0;  ///< datasets that `ignore` left out

  bool equal() const { return differences.empty(); }
};

/// Reads 8 MiB of a dataset at a time. Throws InputError naming the file that is not a complete results file,
/// EnvironmentError where one cannot be read, UsageError for a name in `ignore` that neither file has.
Comparison compare_results(const std::filesystem::path& a, const std::filesystem::path& b,
                           const ComparisonOptions& options);

}  // namespace lacuna
