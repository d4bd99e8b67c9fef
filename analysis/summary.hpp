// What a results file of attention_error says, in one table: a line per path and swept value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lacuna {

struct SummaryLine {
  std::string path;
  bool is_oracle = false;
  std::string cell;          ///< "select_k = 64", empty when nothing is swept
  std::int64_t rows = 0;     ///< rows that were measured (status 0, 3 or 5)
  double keys_attended = 0;  ///< mean
  double bytes_read = 0;     ///< mean per query and KV head: K and V rows and summaries
  double bytes_per_key = 0;  ///< mean stored bytes per visible key and KV head
  double omitted_mass_median = 0;
  double omitted_mass_p99 = 0;
  double relative_error_median = 0;
  double relative_error_p99 = 0;
  double tightness = 0;  ///< median of bound / output_error over the rows with an error above its radius
  std::string worst;     ///< the row of the largest relative error: "layer 18, head 5, position 2047"
};

struct Summary {
  std::vector<SummaryLine> lines;  ///< in the order of the study
  std::int64_t sequences = 0;
  std::int64_t queries = 0;  ///< per sequence
  std::int64_t rows = 0;     ///< of all paths, cells and trials
  std::int64_t not_run = 0;
  std::int64_t failures = 0;
  std::int64_t violations = 0;
  std::int64_t no_visible_key = 0;
  std::int64_t below_error_radius = 0;
};

/// Reads the file cell by cell. Throws as ResultsReader does.
Summary summarize(const std::filesystem::path& file);

/// The table with its footer, for a terminal; oracle paths are starred.
std::string format_table(const Summary& summary);

}  // namespace lacuna
