// The summary of attention_error: a line per path and swept value, over trials, sequences, layers, heads and queries.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/statistics/correlated_quantile.hpp"
#include "analysis/statistics/rank_correlation.hpp"
#include "analysis/summary_exact.hpp"
#include "analysis/summary_of_kind.hpp"
#include "analysis/summary_warnings.hpp"
#include "core/base/error.hpp"

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string whole(double x) { return fmt::format("{:.0f}", x); }
std::string tenths(double x) { return fmt::format("{:.1f}", x); }
std::string four_digits(double x) { return fmt::format("{:.4g}", x); }

std::vector<TableColumn> columns(const RowCells& exact, const std::vector<std::string>& by) {
  using enum TableColumn::Detail;
  std::vector<TableColumn> result = key_columns(exact, by);
  const std::vector<TableColumn> numbers = {{.name = "rows", .format = whole, .detail = full_only},
                                            {.name = "keys read", .format = tenths},
                                            {.name = "bytes read", .format = binary_bytes},
                                            {.name = "bytes/key", .format = four_digits},
                                            {.name = "omitted p50"},
                                            {.name = "omitted p99"},
                                            {.name = "certified p50", .detail = full_only},
                                            {.name = "error p50"},
                                            {.name = "error p99"},
                                            {.name = "mass/error rank corr.", .detail = full_only},
                                            {.name = "TV p50", .detail = full_only},
                                            {.name = "KL p50", .detail = full_only},
                                            {.name = "bound/error"},
                                            {.name = "violated", .detail = full_only},
                                            {.name = "below radius", .detail = full_only},
                                            {.name = "worst error", .detail = full_only},
                                            {.name = "worst row", .left = true}};
  result.insert(result.end(), numbers.begin(), numbers.end());
  return result;
}

/// One path: its lines, cell by cell, and what they add to the summary.
class PathSummary {
 public:
  PathSummary(const ResultsReader& reader, const std::string& name, const std::vector<std::string>& by)
      : cells_(reader, "/path/" + name, "status"),
        shown_(name + (reader.integer_attribute("/path/" + name, "oracle") != 0 ? "*" : "")),
        name_(name),
        places_(cells_.places()),
        groups_(cells_.group_by(by)) {}

  void add_to(Table& table) {
    for (cell_ = 0; cell_ < cells_.cells(); ++cell_) {
      status_ = cells_.read("status", cell_);
      measured_.clear();
      for (const double code : status_) measured_.push_back(row_status::is_measured(code) ? 1 : 0);
      add_lines(table.columns, table.rows);
    }
  }

  const RowCells& cells() const { return cells_; }
  const std::vector<LineFacts>& facts() const { return facts_; }
  const std::vector<TailFacts>& tails() const { return tails_; }
  std::int64_t count(double code) const {
    const auto found = counts_.find(code);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  using Numbers = std::vector<TableCell>;  // one per group

  /// `statistic` of the measured rows of each group; NaN where the path does not have the variable.
  template <class Statistic>
  Numbers per_group(const std::vector<double>& values, const Statistic& statistic) const {
    Numbers numbers;
    for (const RowGroup& group : groups_) {
      if (values.empty())
        numbers.emplace_back(kNan);
      else
        numbers.emplace_back(statistic(take(values, places_, group, measured_)));
    }
    return numbers;
  }
  std::vector<double> values_of(const std::string& variable) const {
    return cells_.has(variable) ? cells_.read(variable, cell_) : std::vector<double>();
  }
  static double plain_mean(const MeasuredRows& rows) { return mean_of(rows).value; }

  struct Pair {
    Numbers median;
    Numbers p99;
  };
  Pair quantiles_of(const std::vector<double>& values) const {
    Pair pair;
    for (const RowGroup& group : groups_) {
      const MedianAndP99 found =
          values.empty() ? MedianAndP99{} : median_and_p99(take(values, places_, group, measured_));
      pair.median.emplace_back(found.median);
      pair.p99.emplace_back(found.p99);
    }
    return pair;
  }

  std::vector<double> bytes_read() const {
    std::vector<double> bytes = values_of("bytes_read_main");
    for (const char* more : {"bytes_read_summary", "bytes_read_index"}) {
      const std::vector<double> added = values_of(more);
      for (std::size_t row = 0; row < added.size(); ++row) bytes[row] += added[row];
    }
    return bytes;
  }
  /// What was certified of the omitted mass from what was read alone.
  std::vector<double> certified_mass() const {
    const std::vector<double> upper = values_of("certificate_omitted_mass_upper");
    return upper.empty() ? values_of("certificate_omitted_mass_next_score") : upper;
  }
  /// NaN where the error is no larger than its own error: there is nothing to compare a bound with.
  std::vector<double> bound_over_error() const {
    std::vector<double> ratio = values_of("bound");
    if (ratio.empty()) return ratio;
    const std::vector<double> error = cells_.read("output_error", cell_);
    for (std::size_t row = 0; row < ratio.size(); ++row)
      ratio[row] = error[row] > 0 && status_[row] != row_status::below_error_radius ? ratio[row] / error[row] : kNan;
    return ratio;
  }

  void add_lines(const std::vector<TableColumn>& columns, std::vector<std::vector<TableCell>>& rows) {
    std::vector<std::vector<TableCell>> lines;
    for (const RowGroup& group : groups_) {
      lines.push_back(key_cells(columns, shown_, cells_, cell_, group));
      double measured = 0;
      for (const std::size_t row : group.rows) measured += measured_[row];
      lines.back().push_back(measured);
    }
    const std::size_t first = lines.front().size() - 1;  // the number of measured rows
    const auto add = [&](const Numbers& numbers) {
      for (std::size_t g = 0; g < groups_.size(); ++g) lines[g].push_back(numbers[g]);
    };
    add(per_group(values_of("keys_attended"), plain_mean));
    add(per_group(bytes_read(), plain_mean));
    add(per_group(values_of("bytes_stored_per_key"), plain_mean));
    const Pair omitted = quantiles_of(values_of("omitted_mass"));
    add(omitted.median);
    add(omitted.p99);
    add(quantiles_of(certified_mass()).median);
    const std::vector<double> relative = cells_.read("output_error_relative", cell_);
    const Pair error = quantiles_of(relative);
    add(error.median);
    add(error.p99);
    add(rank_correlations(values_of("omitted_mass"), relative));
    const Pair variation = quantiles_of(values_of("total_variation"));
    add(variation.median);
    const Pair divergence = quantiles_of(values_of("kl_approx_exact"));
    add(divergence.median);
    const std::vector<double> ratio = bound_over_error();
    for (std::size_t g = 0; g < groups_.size(); ++g)
      lines[g].push_back(ratio.empty() ? Estimate{}
                                       : median_ratio(take(ratio, places_, groups_[g], measured_),
                                                      static_cast<std::size_t>(lines[g][first].estimate.value)));
    add(rates_of(row_status::bound_violated));
    add(rates_of(row_status::below_error_radius));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::int64_t worst = worst_row(relative, groups_[g]);
      lines[g].push_back(worst < 0 ? kNan : relative[static_cast<std::size_t>(worst)]);
      lines[g].push_back(worst < 0 ? "" : cells_.row_place(cell_, worst));
      note_facts(g, error.median[g], variation.median[g], divergence.median[g], relative);
    }
    for (const double code : status_) ++counts_[code];
    rows.insert(rows.end(), lines.begin(), lines.end());
  }

  /// Whether rows that omit more mass also have the larger error.
  Numbers rank_correlations(const std::vector<double>& mass, const std::vector<double>& error) const {
    Numbers numbers;
    for (const RowGroup& group : groups_) {
      std::vector<double> x;
      std::vector<double> y;
      for (const std::size_t row : group.rows) {
        if (mass.empty() || measured_[row] == 0 || std::isnan(mass[row]) || std::isnan(error[row])) continue;
        x.push_back(mass[row]);
        y.push_back(error[row]);
      }
      numbers.emplace_back(spearman(x, y));
    }
    return numbers;
  }

  Numbers rates_of(double code) const {
    std::vector<double> events;
    for (const double status : status_) events.push_back(status == code ? 1 : 0);
    return per_group(events, [](const MeasuredRows& rows) { return correlated_rate(rows.places, rows.values); });
  }

  /// The row of the largest value above 0; -1 where there is none.
  static std::int64_t worst_row(const std::vector<double>& values, const RowGroup& group) {
    std::int64_t worst = -1;
    double largest = 0;
    for (const std::size_t row : group.rows)
      if (values[row] > largest) {
        largest = values[row];
        worst = static_cast<std::int64_t>(row);
      }
    return worst;
  }

  void note_facts(std::size_t g, const TableCell& error, const TableCell& variation, const TableCell& divergence,
                  const std::vector<double>& relative) {
    const std::string labels = fmt::format("{}", fmt::join(groups_[g].labels, ", "));
    const std::string swept = cells_.cell_name(cell_);
    const std::string name = fmt::format("{}{}{}{}", name_, swept.empty() ? "" : fmt::format(" ({})", swept),
                                         labels.empty() ? "" : " at ", labels);
    const auto& median = error.estimate;
    facts_.push_back(
        {name_,
         name,
         cells_.source_name(cell_) + ";" + labels,
         {{"output error", median}, {"total variation", variation.estimate}, {"KL divergence", divergence.estimate}}});
    tails_.push_back(tail_facts(name, take(relative, places_, groups_[g], measured_).values, median.value));
  }

  RowCells cells_;
  std::string shown_;  // with its star
  std::string name_;
  std::vector<RowPlace> places_;
  std::vector<RowGroup> groups_;
  std::int64_t cell_ = 0;
  std::vector<double> status_;  // of the cell
  std::vector<char> measured_;
  std::map<double, std::int64_t> counts_;  // by status
  std::vector<LineFacts> facts_;
  std::vector<TailFacts> tails_;
};

}  // namespace

Summary summarize_attention_error(const ResultsReader& reader, const std::vector<std::string>& by) {
  const RowCells exact(reader, "/exact", "visible_keys");
  for (const std::string& name : by)
    if (dimensions_of(exact, {name}).empty())
      throw UsageError(fmt::format("rows have no dimension '{}'; there are sequence, layer, head and query", name));

  Summary summary;
  if (exact.cells() > 1 || !by.empty()) summary.tables.push_back(exact_table(reader, by));
  Table table{.title = summary.tables.empty() ? "" : "paths", .columns = columns(exact, by), .rows = {}};
  std::vector<LineFacts> facts;
  std::vector<TailFacts> tails;
  std::int64_t not_run = 0;
  std::int64_t without_key = 0;
  std::int64_t below_radius = 0;
  std::int64_t rows = 0;
  for (const std::string& name : reader.names("/path")) {
    PathSummary path(reader, name, by);
    path.add_to(table);
    facts.insert(facts.end(), path.facts().begin(), path.facts().end());
    tails.insert(tails.end(), path.tails().begin(), path.tails().end());
    summary.violations += path.count(row_status::bound_violated);
    summary.failures += path.count(row_status::failed);
    not_run += path.count(row_status::not_run);
    without_key += path.count(row_status::no_visible_key);
    below_radius += path.count(row_status::below_error_radius);
    rows += path.cells().rows() * path.cells().cells();
  }
  summary.tables.push_back(std::move(table));
  summary.warnings = conflicting_orders(facts);
  if (const std::string heavy = heavy_tails("relative output error", tails); !heavy.empty())
    summary.warnings.push_back(heavy);
  summary.footer = fmt::format(
      "* reads every key to choose: an oracle.  Keys and bytes are means per query; bytes are K, V and summaries per "
      "KV head;\n"
      "bytes/key is what is stored. Errors are relative to the norm of the exact output; the worst row is that of the\n"
      "largest, as layer/head/position, with trial/ and sequence/ before them where there are several.\n"
      "{} sequence(s) of {} queries, {} rows: {} bound violations, {} failed, {} not run, {} without a visible key,\n"
      "{} below their error radius\n",
      exact.size_of("sequence"), exact.size_of("query"), rows, summary.violations, summary.failures, not_run,
      without_key, below_radius);
  return summary;
}

}  // namespace lacuna
