// The results file of attention_error: its groups, dimensions and variables, and writing a block of rows into them.
#pragma once

#include <string>
#include <vector>

#include "data/problem_source.hpp"
#include "experiments/attention_error/measure.hpp"
#include "experiments/harness/results_file.hpp"

namespace lacuna {

class Recording {
 public:
  /// `shapes` [source cells]: equal but for keys and query positions. Creates every group and variable.
  Recording(ResultsFile& file, const Study& study, const std::vector<SourceShape>& shapes,
            const std::vector<PathPlan>& plans, const std::vector<std::vector<std::int64_t>>& exact_coordinates);

  /// Rows of queries [first, first + count) of one source cell, sequence and layer.
  void write(Index source_cell, Index sequence, Index layer, Index first, Index count, const BlockTables& tables);

 private:
  /// A group's variables in the order of its tables, and its dimensions before `sequence`.
  struct Group {
    std::vector<Index> leading;
    std::vector<ResultsVariable> variables;
    std::vector<ResultsVariable> status;  // one, or none for /exact
  };
  Group create(ResultsGroup group, const std::vector<RowVariable>& variables, const std::vector<Dimension>& leading,
               const std::vector<Dimension>& further, bool with_status) const;
  void write_rows(Group& group, Index leading_index, Index sequence, Index layer, Index first, Index count,
                  const RowTable& table) const;

  std::vector<Dimension> source_dimensions_;
  std::vector<Dimension> row_dimensions_;  // sequence, layer, head, query
  std::vector<std::int64_t> kv_head_;
  std::vector<std::int64_t> query_position_;  // [source cells, query], when the source is swept
  Index source_cells_ = 1;
  Group exact_;
  std::vector<Group> paths_;
};

}  // namespace lacuna
