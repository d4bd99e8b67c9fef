// What a results file of model_divergence says, in one table: a line per path and swept value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lacuna {

/// What one cell of a path came to, over its trials, all sequences and positions.
struct CellDivergence {
  std::string name;      ///< of the path, starred when it is an oracle, and its swept values
  double kl_median = 0;  ///< of KL(p || q) over positions, nearest rank
  double kl_p99 = 0;
  double agreeing = 0;                ///< share of positions with the same top token
  std::int64_t predictions = 0;       ///< positions that have a next token
  double loss_difference = 0;         ///< mean over those
  double loss_difference_error = 0;   ///< standard error of that mean; takes positions for independent
  double hidden_relative_median = 0;  ///< behind the last layer
  double omitted_mass = 0;            ///< mean over the judged rows that have one; NaN where none has
  std::int64_t violations = 0;        ///< judged rows whose bound was violated
  std::int64_t failures = 0;          ///< judged rows that failed
};

/// Reads the file cell by cell: in the order of the paths, then of the swept values, the source's first. Throws as
/// ResultsReader does.
std::vector<CellDivergence> summarize_divergence(const std::filesystem::path& file);

/// The table, for a terminal.
std::string format_divergence(const std::vector<CellDivergence>& cells);

}  // namespace lacuna
