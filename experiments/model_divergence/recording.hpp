// The results file of model_divergence: /exact for the exact run and /path/NAME for the approximate ones, which are
// alike up to their variables and the dimensions of what is swept.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/model/next_token.hpp"
#include "data/source/model.hpp"
#include "experiments/attention_error/cells.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/model_divergence/attend_run.hpp"
#include "experiments/model_divergence/exact_rows.hpp"

namespace lacuna {

/// One group: some leading dimensions, written one index of them at a time, then sequence, layer, head, position,
/// judged.
class RunGroup {
 public:
  RunGroup(ResultsGroup group, std::vector<Dimension> leading, const std::vector<Dimension>& own);
  ResultsGroup& group() { return group_; }
  /// spec.dimensions: those behind the leading ones.
  void variable(VariableSpec spec);
  /// `values` of the last dimensions; `at` are the indices of those before them, behind the leading ones.
  template <class T>
  void write(const std::string& name, Index leading_index, const std::vector<Index>& at, std::span<const T> values) {
    const auto [start, count] = place(name, leading_index, at);
    variables_.at(name).write(start, count, values);
  }

 private:
  using Numbers = std::vector<std::int64_t>;
  std::pair<Numbers, Numbers> place(const std::string& name, Index leading_index, const std::vector<Index>& at) const;

  ResultsGroup group_;
  std::vector<Dimension> leading_;
  std::map<std::string, Index> extent_;
  std::map<std::string, Numbers> extents_;  // of the variables, behind the leading dimensions
  std::map<std::string, ResultsVariable> variables_;
};

/// How far the hidden states of one layer moved, [position].
struct HiddenErrors {
  std::vector<double> norm;      ///< ||h~ - h||
  std::vector<double> relative;  ///< over ||h||
  std::vector<double> cosine;    ///< of the angle between h~ and h
};

class DivergenceRecording {
 public:
  DivergenceRecording(ResultsFile& file, const Study& study, const ModelSource& source,
                      const std::vector<PathPlan>& plans);

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
