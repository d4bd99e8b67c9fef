// The table at the end of a run: a line per source cell, path and cell.
#pragma once

#include <string>
#include <vector>

#include "core/metrics/model/next_token.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/model_divergence/attend_run.hpp"
#include "experiments/model_divergence/exact_rows.hpp"

namespace lacuna {

/// What one cell of a path came to, over its trials, all sequences and positions.
struct CellDivergence {
  std::string name;                     ///< of the path, starred when it is an oracle, and its swept values
  std::vector<double> kl;               ///< KL(p || q), per position
  std::vector<double> loss_difference;  ///< per position that has a next token
  std::vector<double> hidden_relative;  ///< behind the last layer, per position
  std::vector<double> omitted_mass;     ///< per judged row that has one
  Index agreeing = 0;                   ///< positions with the same top token
  Index violations = 0;                 ///< judged rows whose bound was violated
  Index failures = 0;                   ///< judged rows that failed

  void add(const std::vector<NextTokenError>& errors);
  void add(const std::vector<std::vector<JudgedRow>>& rows);
};

/// What the exact run came to on its judged rows.
struct ExactRunReport {
  Index rows = 0;        ///< that see a key
  Index violations = 0;  ///< rows farther from the ruler than both radii allow
  double worst = 0;      ///< largest output_error over output_error_radius

  void add(const std::vector<std::vector<ExactRunRow>>& judged);
};

/// "pool k=64": the values of the sweep's axes in the cell, of the source's first.
std::string cell_name(const std::string& path, const Sweep& source, Index source_cell, const Sweep& sweep, Index cell);

/// The standard error of the loss difference takes positions for independent.
std::string format_divergence(const std::vector<CellDivergence>& cells, const ExactRunReport& exact);

}  // namespace lacuna
