// The summary of model_divergence: a line per path and swept value on the next-token distribution, over trials,
// sequences and positions; one on the judged rows of attention; and, by layer, one on the hidden states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/correlated_mean.hpp"
#include "analysis/summary_of_kind.hpp"
#include "core/base/error.hpp"

namespace lacuna {
namespace {

using Row = std::vector<TableCell>;

std::string share(double x) { return fmt::format("{:.4f}", x); }
std::string whole(double x) { return fmt::format("{:.0f}", x); }

void append(std::vector<TableColumn>& columns, const std::vector<TableColumn>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
}

/// The median error of the hidden states behind the last layer.
Estimate last_hidden_error(const RowCells& hidden, std::int64_t cell) {
  const std::vector<RowGroup> layers = hidden.group_by({"layer"});
  if (layers.empty()) return {};
  return median_and_p99(take(hidden.read("hidden_error_relative", cell), hidden.places(), layers.back(), {})).median;
}

/// Next tokens: KL, total variation, top-1 agreement, loss.
class TokenTable {
 public:
  TokenTable(const RowCells& first, const std::vector<std::string>& by) {
    using enum TableColumn::Detail;
    table_.title = "next token";
    table_.columns = key_columns(first, by);
    append(table_.columns, {{.name = "positions", .format = whole, .detail = full_only},
                            {.name = "KL p50", .format = above_rounding},
                            {.name = "KL p99", .format = above_rounding},
                            {.name = "KL mean", .format = above_rounding},
                            {.name = "TV p50", .format = above_rounding},
                            {.name = "TV mean", .format = above_rounding, .detail = full_only},
                            {.name = "top-1 agrees", .format = share, .detail = with_interval},
                            {.name = "loss difference", .format = signed_number, .detail = with_interval},
                            {.name = "se within", .detail = full_only},
                            {.name = "se across", .detail = full_only},
                            {.name = "block", .format = whole, .detail = full_only},
                            {.name = "hidden p50", .format = above_rounding}});
  }

  void add(const std::string& path, const RowCells& cells, const RowCells& hidden, std::int64_t cell,
           const std::vector<std::string>& by) {
    const std::vector<RowPlace> places = cells.places();
    const std::vector<double> kl = cells.read("kl_exact_approx", cell);
    const std::vector<double> variation = cells.read("total_variation", cell);
    const std::vector<double> agrees = cells.read("top_1_agrees", cell);
    std::vector<double> difference = cells.read("loss_approx", cell);
    const std::vector<double> loss = cells.read("loss", cell);
    for (std::size_t row = 0; row < loss.size(); ++row) difference[row] -= loss[row];
    const Estimate last_hidden = last_hidden_error(hidden, cell);

    for (const RowGroup& group : cells.group_by(by)) {
      const auto rows = [&](const std::vector<double>& values) { return take(values, places, group, {}); };
      Row row = key_cells(table_.columns, path, cells, cell, group);
      const MedianAndP99 kl_quantiles = median_and_p99(rows(kl));
      const MeasuredRows agreeing = rows(agrees);
      const MeasuredRows losses = rows(difference);
      const CorrelatedMean moved = correlated_mean(sum_per_position(losses.places, losses.values));
      row.insert(row.end(), {static_cast<double>(group.rows.size()), kl_quantiles.median, kl_quantiles.p99,
                             mean_of(rows(kl)), median_and_p99(rows(variation)).median, mean_of(rows(variation)),
                             correlated_rate(agreeing.places, agreeing.values), Estimate{moved.value, moved.interval},
                             moved.within, moved.across, static_cast<double>(moved.block), last_hidden});
      table_.rows.push_back(std::move(row));
    }
  }
  Table take_table() { return std::move(table_); }

 private:
  Table table_;
};

/// Judged rows of attention, given the run's own inputs.
class JudgedTable {
 public:
  JudgedTable(const RowCells& first, const std::vector<std::string>& by) {
    using enum TableColumn::Detail;
    table_.title = "judged rows of attention";
    table_.columns = key_columns(first, by);
    append(table_.columns, {{.name = "rows", .format = whole, .detail = full_only},
                            {.name = "omitted p50"},
                            {.name = "omitted p99"},
                            {.name = "omitted mean"},
                            {.name = "error p50"},
                            {.name = "accumulated p50", .format = above_rounding},
                            {.name = "bound/error"},
                            {.name = "violated", .format = whole, .detail = full_only},
                            {.name = "worst row", .left = true}});
  }

  void add(const std::string& path, const RowCells& cells, std::int64_t cell, const std::vector<std::string>& by,
           Summary& summary) {
    const std::vector<RowPlace> places = cells.places();
    const std::vector<double> status = cells.read("status", cell);
    std::vector<char> measured;
    for (const double code : status) measured.push_back(row_status::is_measured(code) ? 1 : 0);
    const std::vector<double> mass = cells.read("omitted_mass", cell);
    const std::vector<double> error = cells.read("output_error", cell);
    const std::vector<double> accumulated = cells.read("output_error_accumulated", cell);
    std::vector<double> ratio = cells.read("bound", cell);
    for (std::size_t row = 0; row < ratio.size(); ++row)
      ratio[row] = status[row] == row_status::below_error_radius || !(error[row] > 0)
                       ? std::numeric_limits<double>::quiet_NaN()
                       : ratio[row] / error[row];

    for (const RowGroup& group : cells.group_by(by)) {
      const auto rows = [&](const std::vector<double>& values) { return take(values, places, group, measured); };
      double violated = 0;
      std::int64_t worst = -1;
      for (const std::size_t row : group.rows) {
        violated += status[row] == row_status::bound_violated ? 1 : 0;
        summary.failures += status[row] == row_status::failed ? 1 : 0;
        if (error[row] > (worst < 0 ? 0 : error[static_cast<std::size_t>(worst)]))
          worst = static_cast<std::int64_t>(row);
      }
      summary.violations += static_cast<std::int64_t>(violated);
      const MedianAndP99 omitted = median_and_p99(rows(mass));
      Row row = key_cells(table_.columns, path, cells, cell, group);
      row.insert(row.end(),
                 {static_cast<double>(rows(error).values.size()), omitted.median, omitted.p99, mean_of(rows(mass)),
                  median_and_p99(rows(error)).median, median_and_p99(rows(accumulated)).median,
                  median_ratio(rows(ratio), rows(error).values.size()), violated,
                  worst < 0 ? "" : cells.row_place(cell, worst)});
      table_.rows.push_back(std::move(row));
    }
  }
  Table take_table() { return std::move(table_); }

 private:
  Table table_;
};

class HiddenTable {
 public:
  HiddenTable(const RowCells& first, const std::vector<std::string>& by) {
    table_.title = "hidden states, relative error behind the layer";
    table_.columns = key_columns(first, by);
    append(table_.columns,
           {{.name = "hidden p50", .format = above_rounding}, {.name = "hidden p99", .format = above_rounding}});
  }

  void add(const std::string& path, const RowCells& cells, std::int64_t cell, const std::vector<std::string>& by) {
    const std::vector<double> error = cells.read("hidden_error_relative", cell);
    const std::vector<RowPlace> places = cells.places();
    for (const RowGroup& group : cells.group_by(by)) {
      const MedianAndP99 found = median_and_p99(take(error, places, group, {}));
      Row row = key_cells(table_.columns, path, cells, cell, group);
      row.insert(row.end(), {found.median, found.p99});
      table_.rows.push_back(std::move(row));
    }
  }
  Table take_table() { return std::move(table_); }

 private:
  Table table_;
};

/// The exact run's judged rows against the ruler: a sentence, and rows farther from it than rounding allows.
std::string exact_rows(const ResultsReader& reader, Summary& summary) {
  const RowCells cells(reader, "/exact", "status");
  std::int64_t rows = 0;
  std::int64_t violated = 0;
  double worst = 0;
  for (std::int64_t cell = 0; cell < cells.cells(); ++cell) {
    const std::vector<double> status = cells.read("status", cell);
    const std::vector<double> error = cells.read("output_error", cell);
    const std::vector<double> radius = cells.read("output_error_radius", cell);
    for (std::size_t row = 0; row < status.size(); ++row) {
      summary.failures += status[row] == row_status::failed ? 1 : 0;
      if (std::isnan(radius[row])) continue;
      ++rows;
      violated += status[row] == row_status::bound_violated ? 1 : 0;
      if (radius[row] > 0) worst = std::max(worst, error[row] / radius[row]);
    }
  }
  summary.violations += violated;
  return fmt::format(
      "exact run: {} of {} judged rows are farther from the ruler than rounding allows; at most {:.2g} of it\n",
      violated, rows, worst);
}

}  // namespace

Summary summarize_model_divergence(const ResultsReader& reader, const std::vector<std::string>& by) {
  const std::vector<std::string> paths = reader.names("/path");
  if (paths.empty()) throw InputError("holds no path");
  const std::string first = "/path/" + paths.front();
  const RowCells first_tokens(reader, first, "kl_exact_approx");
  const RowCells first_judged(reader, first, "status");
  const RowCells first_hidden(reader, first, "hidden_error_relative");
  const std::vector<std::string> token_by = dimensions_of(first_tokens, by);
  const std::vector<std::string> judged_by = dimensions_of(first_judged, by);
  const std::vector<std::string> hidden_by = dimensions_of(first_hidden, by);
  for (const std::string& name : by)
    if (std::find(token_by.begin(), token_by.end(), name) == token_by.end() &&
        std::find(judged_by.begin(), judged_by.end(), name) == judged_by.end())
      throw UsageError(fmt::format("no rows have a dimension '{}'", name));

  Summary summary;
  TokenTable tokens(first_tokens, token_by);
  JudgedTable judged(first_judged, judged_by);
  HiddenTable hidden(first_hidden, hidden_by);
  std::int64_t sequences = 0;
  std::int64_t positions = 0;
  for (const std::string& name : paths) {
    const std::string group = "/path/" + name;
    const std::string shown = name + (reader.integer_attribute(group, "oracle") != 0 ? "*" : "");
    const RowCells of_tokens(reader, group, "kl_exact_approx");
    const RowCells of_rows(reader, group, "status");
    const RowCells of_hidden(reader, group, "hidden_error_relative");
    sequences = of_tokens.size_of("sequence");
    positions = of_tokens.size_of("position");
    for (std::int64_t cell = 0; cell < of_tokens.cells(); ++cell) {
      tokens.add(shown, of_tokens, of_hidden, cell, token_by);
      judged.add(shown, of_rows, cell, judged_by, summary);
      if (!hidden_by.empty()) hidden.add(shown, of_hidden, cell, hidden_by);
    }
  }
  summary.tables.push_back(tokens.take_table());
  summary.tables.push_back(judged.take_table());
  if (!hidden_by.empty()) summary.tables.push_back(hidden.take_table());
  const std::string exact = exact_rows(reader, summary);
  summary.footer =
      exact +
      fmt::format(
          "* reads every key to choose: an oracle. KL is KL(exact || path); the loss difference is the path's loss\n"
          "minus the exact one, per token. Numbers that only rounding makes differ from 0 are <1e-15. Worst rows are\n"
          "layer/head/position, with trial/ and sequence/ before them where there are several.\n"
          "Brackets are 95 % intervals that respect correlation between positions{}.\n"
          "{} sequence(s) of {} positions: {} bound violations, {} failed\n",
          sequences > 1 ? " and within sequences" : "; one sequence says nothing of other texts", sequences, positions,
          summary.violations, summary.failures);
  return summary;
}

}  // namespace lacuna
