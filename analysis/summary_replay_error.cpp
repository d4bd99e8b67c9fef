// The summary of replay_error: a line per length (and hit, and what is swept of the source) with the variants side by
// side; by layer or offset, one on the hidden states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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

/// A table with the numbers of each variant side by side.
class VariantTable {
 public:
  /// `numbers`: the columns of one variant; `by`: further dimensions that name a line.
  VariantTable(const std::string& title, const RowCells& replays, const std::vector<std::string>& by,
               const std::vector<TableColumn>& numbers)
      : width_(numbers.size()) {
    table_.title = title;
    for (const SweptValue& swept : replays.swept_values(0))
      if (swept.name != kVariant) table_.columns.push_back({.name = swept.name, .key = true});
    for (const std::string& dimension : by) table_.columns.push_back({.name = dimension, .key = true});
    for (std::int64_t cell = 0; cell < replays.cells(); ++cell) {
      const std::string variant = variant_of(replays, cell);
      if (!variants_.emplace(variant, table_.columns.size()).second) continue;
      for (TableColumn column : numbers) {
        column.group = variant;
        table_.columns.push_back(std::move(column));
      }
    }
  }

  /// `labels`: those of `by`.
  void add(const RowCells& replays, std::int64_t cell, const std::vector<std::string>& labels,
           const std::vector<TableCell>& numbers) {
    LACUNA_ASSERT(numbers.size() == width_);
    std::vector<std::string> keys;
    for (const SweptValue& swept : replays.swept_values(cell))
      if (swept.name != kVariant) keys.push_back(swept.value);
    keys.insert(keys.end(), labels.begin(), labels.end());
    const auto [line, is_first] = lines_.emplace(keys, table_.rows.size());
    if (is_first) {
      table_.rows.emplace_back(keys.begin(), keys.end());
      table_.rows.back().resize(table_.columns.size(), std::numeric_limits<double>::quiet_NaN());
    }
    const auto first = static_cast<std::ptrdiff_t>(variants_.at(variant_of(replays, cell)));
    std::ranges::copy(numbers, table_.rows[line->second].begin() + first);
  }
  Table take_table() { return std::move(table_); }

 private:
  static constexpr const char* kVariant = "variant";

  static std::string variant_of(const RowCells& replays, std::int64_t cell) {
    for (const SweptValue& swept : replays.swept_values(cell))
      if (swept.name == kVariant) return swept.value;
    return "";
  }

  Table table_;
  std::size_t width_ = 0;                                  // columns of a variant
  std::map<std::string, std::size_t> variants_;            // the first column of each
  std::map<std::vector<std::string>, std::size_t> lines_;  // by what is in the key columns
};

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
  const ReplayFacts facts(reader);
  const RowCells steps(reader, kGroup, "kl_exact_approx");
  const RowCells states(reader, kGroup, "state_exact");
  const RowCells sequences(reader, kGroup, "layer_tokens");
  const std::vector<RowPlace> places = steps.places();
  VariantTable table("replays, and the next tokens behind them", steps, {},
                     {{.name = "last hidden", .format = above_rounding},
                      {.name = "states exact", .format = share, .detail = full_only},
                      {.name = "KL p50", .format = above_rounding, .detail = full_only},
                      {.name = "KL max", .format = above_rounding},
                      {.name = "TV p50", .format = above_rounding, .detail = full_only},
                      {.name = "top-1 agrees", .format = share, .detail = full_only},
                      {.name = "greedy agrees", .format = share},
                      {.name = "layer-tokens", .format = whole, .detail = full_only},
                      {.name = "of a full prefill", .format = share}});
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
    table.add(steps, cell, {},
              {quantile(last_errors(states, cell), 0.5),
               exact_share(states.read("state_exact", cell), states.group_by({}).front()), median_and_p99(kl).median,
               largest(kl.values), median_and_p99(rows("total_variation")).median, mean_of(rows("top_1_agrees")).value,
               mean_of(rows("greedy_agrees")).value, formula, sequences.read("layer_tokens_share", cell).front()});
  }
  return table.take_table();
}

Table state_table(const ResultsReader& reader, const std::vector<std::string>& by) {
  const ReplayFacts facts(reader);
  const RowCells states(reader, kGroup, "state_exact");
  const std::vector<RowPlace> places = states.places();
  VariantTable table("hidden states that were run again", states, by,
                     {{.name = "states exact", .format = share},
                      {.name = "hidden p50", .format = above_rounding},
                      {.name = "hidden p99", .format = above_rounding}});
  for (std::int64_t cell = 0; cell < states.cells(); ++cell) {
    if (facts.repeats_another(cell)) continue;
    const std::vector<double> codes = states.read("state_exact", cell);
    const std::vector<double> error = states.read("hidden_error_relative", cell);
    for (const RowGroup& group : states.group_by(by)) {
      const MedianAndP99 found = median_and_p99(take(error, places, group, {}));
      table.add(states, cell, group.labels, {exact_share(codes, group), found.median, found.p99});
    }
  }
  return table.take_table();
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
      "last hidden: median relative error behind the last layer of the last token; KL is KL(exact || replay) of the\n"
      "next tokens, the exact run's own; greedy: each goes on with its own. <1e-15: rounding.\n"
      "{} replay(s) overwrote a row over the prefix or ran other tokens than the formulas say\n",
      summary.failures);
  return summary;
}

}  // namespace lacuna
