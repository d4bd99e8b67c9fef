// The summary of replay_error: a line per replay (its variant, length and hit, and what is swept of the source), and,
// by layer or offset, one on the hidden states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "analysis/statistics/quantile.hpp"
#include "analysis/summary_of_kind.hpp"
#include "core/base/error.hpp"

namespace lacuna {
namespace {

const std::string kGroup = "/replay";
constexpr double equal = 1;  // codes of the variable `state_exact`, as read
constexpr double not_run = 2;

std::string share(double x) { return fmt::format("{:.4f}", x); }
std::string whole(double x) { return fmt::format("{:.0f}", x); }

/// Numbers of a replay that are the same in every sequence.
class ReplayFacts {
 public:
  explicit ReplayFacts(const ResultsReader& reader)
      : reader_(reader), dimensions_(reader.dimensions(kGroup + "/hit_tokens")) {}

  double number(const std::string& variable, std::int64_t cell) const {
    const std::vector<std::int64_t> at = index_of(cell);
    return reader_.read(kGroup + "/" + variable, at, std::vector<std::int64_t>(at.size(), 1)).front();
  }
  /// A variant without a hit is the same replay at every hit: only the first of them is one.
  bool repeats_another(std::int64_t cell) const {
    const std::vector<std::int64_t> at = index_of(cell);
    for (std::size_t d = 0; d < at.size(); ++d)
      if (dimensions_[d].name == "hit") return at[d] > 0 && number("hit_tokens", cell) == 0;
    return false;
  }

 private:
  std::vector<std::int64_t> index_of(std::int64_t cell) const {
    std::vector<std::int64_t> at(dimensions_.size());
    for (std::size_t d = at.size(); d-- > 0; cell /= dimensions_[d].size()) at[d] = cell % dimensions_[d].size();
    return at;
  }

  const ResultsReader& reader_;
  std::vector<ReadDimension> dimensions_;
};

/// The share of states that are exact, of those that were run again.
double exact_share(const std::vector<double>& codes, const RowGroup& group) {
  double exact = 0;
  double run = 0;
  for (const std::size_t row : group.rows) {
    exact += codes[row] == equal ? 1 : 0;
    run += codes[row] == not_run ? 0 : 1;
  }
  return run > 0 ? exact / run : std::numeric_limits<double>::quiet_NaN();
}

/// Relative errors behind the last layer of each sequence's last token.
std::vector<double> last_errors(const RowCells& states, std::int64_t cell) {
  const std::vector<double> error = states.read("hidden_error_relative", cell);
  std::vector<double> last;
  for (const RowGroup& sequence : states.group_by({"sequence"})) {
    const auto offsets = static_cast<std::ptrdiff_t>(states.size_of("offset"));
    const auto tail = std::span(sequence.rows).last(static_cast<std::size_t>(offsets));
    const auto run =
        std::ranges::find_if(tail.rbegin(), tail.rend(), [&](std::size_t r) { return !std::isnan(error[r]); });
    if (run != tail.rend()) last.push_back(error[*run]);
  }
  return last;
}

/// NaN of none.
double largest(const std::vector<double>& values) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : *std::ranges::max_element(values);
}

Table replay_table(const ResultsReader& reader, Summary& summary) {
  using enum TableColumn::Detail;
  Table table;
  table.title = "replays, and the next tokens behind them";
  table.columns = {{.name = "replay", .left = true},
                   {.name = "last hidden p50"},
                   {.name = "states exact", .format = share},
                   {.name = "KL p50"},
                   {.name = "KL max"},
                   {.name = "TV p50", .detail = full_only},
                   {.name = "top-1 agrees", .format = share},
                   {.name = "greedy agrees", .format = share},
                   {.name = "layer-tokens", .format = whole},
                   {.name = "of a full prefill", .format = share}};
  const ReplayFacts facts(reader);
  const RowCells steps(reader, kGroup, "kl_exact_approx");
  const RowCells states(reader, kGroup, "state_exact");
  const RowCells sequences(reader, kGroup, "layer_tokens");
  const std::vector<RowPlace> places = steps.places();
  for (std::int64_t cell = 0; cell < steps.cells(); ++cell) {
    const std::vector<double> unchanged = sequences.read("global_rows_unchanged", cell);
    const std::vector<double> layer_tokens = sequences.read("layer_tokens", cell);
    const double formula = facts.number("layer_tokens_formula", cell);
    for (std::size_t s = 0; s < unchanged.size(); ++s)
      summary.failures += unchanged[s] != 1 || layer_tokens[s] != formula ? 1 : 0;
    if (facts.repeats_another(cell)) continue;
    const RowGroup all = steps.group_by({}).front();
    const auto rows = [&](const char* variable) { return take(steps.read(variable, cell), places, all, {}); };
    const MeasuredRows kl = rows("kl_exact_approx");
    table.rows.push_back({steps.cell_name(cell), quantile(last_errors(states, cell), 0.5),
                          exact_share(states.read("state_exact", cell), states.group_by({}).front()),
                          median_and_p99(kl).median, largest(kl.values), median_and_p99(rows("total_variation")).median,
                          mean_of(rows("top_1_agrees")).value, mean_of(rows("greedy_agrees")).value, formula,
                          sequences.read("layer_tokens_share", cell).front()});
  }
  return table;
}

Table state_table(const ResultsReader& reader, const std::vector<std::string>& by) {
  Table table;
  table.title = "hidden states that were run again";
  table.columns = {{.name = "replay", .left = true}};
  for (const std::string& dimension : by) table.columns.push_back({.name = dimension, .left = true});
  for (const TableColumn& column : std::vector<TableColumn>{
           {.name = "states exact", .format = share}, {.name = "hidden p50"}, {.name = "hidden p99"}})
    table.columns.push_back(column);
  const ReplayFacts facts(reader);
  const RowCells states(reader, kGroup, "state_exact");
  const std::vector<RowPlace> places = states.places();
  for (std::int64_t cell = 0; cell < states.cells(); ++cell) {
    if (facts.repeats_another(cell)) continue;
    const std::vector<double> codes = states.read("state_exact", cell);
    const std::vector<double> error = states.read("hidden_error_relative", cell);
    for (const RowGroup& group : states.group_by(by)) {
      const MedianAndP99 found = median_and_p99(take(error, places, group, {}));
      std::vector<TableCell> row = {states.cell_name(cell)};
      row.insert(row.end(), group.labels.begin(), group.labels.end());
      row.insert(row.end(), {exact_share(codes, group), found.median, found.p99});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

Summary summarize_replay_error(const ResultsReader& reader, const std::vector<std::string>& by) {
  const RowCells states(reader, kGroup, "state_exact");
  for (const std::string& name : by)
    if (!states.has_dimension(name)) throw UsageError(fmt::format("no rows have a dimension '{}'", name));
  Summary summary;
  summary.tables.push_back(replay_table(reader, summary));
  if (!by.empty()) summary.tables.push_back(state_table(reader, by));
  summary.footer = fmt::format(
      "last hidden: relative error behind the last layer of the last token; KL is KL(exact || replay) of the next "
      "tokens, the exact run's own;\ngreedy: each goes on with its own. {} replay(s) overwrote a row over the prefix "
      "or "
      "ran other tokens than the formulas say\n",
      summary.failures);
  return summary;
}

}  // namespace lacuna
