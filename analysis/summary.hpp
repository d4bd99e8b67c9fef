// What a results file says, computed from the file alone: tables, and notes on how far to trust them.
//
// Intervals hold 95 % and respect that rows are not independent (statistics/correlated_mean.hpp): with one sequence
// they are about more text like it at the same places, with several about further sequences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/table.hpp"

namespace lacuna {

struct Summary {
  std::vector<Table> tables;
  std::vector<std::string> warnings;  ///< where one number of a table would mislead
  std::string footer;                 ///< what the columns mean, and counts of rows
  std::int64_t violations = 0;        ///< rows whose bound was violated
  std::int64_t failures = 0;          ///< rows that failed

  bool sound() const { return violations + failures == 0; }
};

/// Any results file; its root attribute `experiment` says of what. `by` names dimensions of rows ("layer", "head"): a
/// line for each of their labels. `against` names a path of attention_error or model_divergence (summary_against.hpp):
/// a further table sets every other path against it. Reads one variable of one path and swept value at a time. Throws
/// as ResultsReader does; InputError for an experiment that has no summary, UsageError where a name in `by` is no
/// dimension of the file's rows, or names one twice.
Summary summarize(const std::filesystem::path& file, const std::vector<std::string>& by = {},
                  const std::string& against = "");

/// Tables, warnings and footer; in CSV the tables alone.
std::string format_summary(const Summary& summary, TableStyle style);

}  // namespace lacuna
