// The results file of model_divergence: /exact for the exact run and /path/NAME for the approximate ones, which are
// alike up to their variables and the dimensions of what is swept.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/metrics/model/next_token.hpp"
#include "data/source/model.hpp"
#include "experiments/attention_error/cells.hpp"
#include "experiments/harness/run_group.hpp"
#include "experiments/model_divergence/attend_run.hpp"
#include "experiments/model_divergence/exact_rows.hpp"

namespace lacuna {

/// How far the hidden states of one layer moved, [position].
struct HiddenErrors {
  std::vector<double> norm;      ///< ||h~ - h||
  std::vector<double> relative;  ///< over ||h||
  std::vector<double> cosine;    ///< of the angle between h~ and h
};

class DivergenceRecording {
 public:
  DivergenceRecording(ResultsFile& file, const Study& study, const ModelSource& source,
                      const std::vector<PathPlan>& plans, Index compare_from);

  // [position]: those from compare_from on.

  void exact_hidden(Index source_cell, Index sequence, Index place, std::span<const double> norm);
  /// rows [h_q][judged]
  void exact_judged(Index source_cell, Index sequence, Index place, const std::vector<std::vector<ExactRunRow>>& rows);
  /// loss [position], NaN at the last one; entropy [position]
  void exact_tokens(Index source_cell, Index sequence, std::span<const double> loss, std::span<const double> entropy);

  /// `run` = cell x trial of the path; `leading` counts source cells x runs.
  void hidden(Index path, Index leading, Index sequence, Index place, const HiddenErrors& errors);
  /// rows [h_q][judged]
  void judged(Index path, Index leading, Index sequence, Index place, const std::vector<std::vector<JudgedRow>>& rows);
  /// errors [position]
  void tokens(Index path, Index leading, Index sequence, const std::vector<NextTokenError>& errors);

 private:
  std::vector<RunGroup> exact_;  // one
  std::vector<RunGroup> paths_;
};

}  // namespace lacuna
