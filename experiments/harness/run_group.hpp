// A group of a results file whose variables share leading dimensions, such as those of what is swept.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/harness/results_file.hpp"

namespace lacuna {

/// 0, 1, ..., count - 1: the labels of a dimension that counts.
std::vector<std::int64_t> counting(std::int64_t count);

/// Some leading dimensions, written one index of them at a time, then the group's own.
class RunGroup {
 public:
  RunGroup(ResultsGroup group, std::vector<Dimension> leading, const std::vector<Dimension>& own);
  ResultsGroup& group() { return group_; }
  /// spec.dimensions: those behind the leading ones.
  void variable(VariableSpec spec);
  /// `values` of the last dimensions; `at` are the indices of those before them, behind the leading ones.
  template <class T>
  void write(const std::string& name, std::int64_t leading_index, const std::vector<std::int64_t>& at,
             std::span<const T> values) {
    const auto [start, count] = place(name, leading_index, at);
    variables_.at(name).write(start, count, values);
  }

 private:
  using Numbers = std::vector<std::int64_t>;
  std::pair<Numbers, Numbers> place(const std::string& name, std::int64_t leading_index,
                                    const std::vector<std::int64_t>& at) const;

  ResultsGroup group_;
  std::vector<Dimension> leading_;
  std::map<std::string, std::int64_t> extent_;
  std::map<std::string, Numbers> extents_;  // of the variables, behind the leading dimensions
  std::map<std::string, ResultsVariable> variables_;
};

}  // namespace lacuna
