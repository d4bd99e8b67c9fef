#include "analysis/summary_against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/mean.hpp"
#include "analysis/statistics/paired_comparison.hpp"
#include "core/base/error.hpp"

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string tenths(double x) { return fmt::format("{:.1f}", x); }
std::string share(double x) { return fmt::format("{:.3f}", x); }
std::string signed_digits(double x) { return x == 0 ? "0" : fmt::format("{:+.3g}", x); }

/// "top_k:select_k=64,window=4" in its parts.
struct Opponent {
  std::string path;
  std::vector<std::pair<std::string, std::string>> values;

  Opponent(const ResultsReader& reader, const std::string& text) : path(text.substr(0, text.find(':'))) {
    const std::vector<std::string> paths = reader.names("/path");
    if (std::find(paths.begin(), paths.end(), path) == paths.end())
      throw UsageError(
          fmt::format("--against {}: there is no path '{}'; there are {}", text, path, fmt::join(paths, ", ")));
    std::string rest = path.size() < text.size() ? text.substr(path.size() + 1) : "";
    while (!rest.empty()) {
      const std::string one = rest.substr(0, rest.find(','));
      rest.erase(0, one.size() + 1);
      const std::size_t sign = one.find('=');
      if (sign == std::string::npos) throw UsageError(fmt::format("--against {}: '{}' is not KEY=VALUE", text, one));
      values.emplace_back(one.substr(0, sign), one.substr(sign + 1));
    }
  }

  bool holds(const RowCells& cells, std::int64_t cell) const {
    const std::vector<SweptValue> swept = cells.swept_values(cell);
    return std::all_of(values.begin(), values.end(), [&](const auto& wanted) {
      return std::any_of(swept.begin(), swept.end(), [&](const SweptValue& value) {
        return value.name == wanted.first && value.value == wanted.second;
      });
    });
  }

  /// The cells that hold its values. Throws UsageError where there is none.
  std::vector<std::int64_t> cells_of(const RowCells& cells) const {
    std::vector<std::int64_t> found;
    for (std::int64_t cell = 0; cell < cells.cells(); ++cell)
      if (holds(cells, cell)) found.push_back(cell);
    if (found.empty()) {
      std::vector<std::string> names;
      for (std::int64_t cell = 0; cell < cells.cells(); ++cell) names.push_back(cells.path_name(cell));
      throw UsageError(
          fmt::format("--against {}: it has no such swept value; there are {}", path, fmt::join(names, "; ")));
    }
    return found;
  }
};

[[noreturn]] void ask_for_a_value(const Opponent& opponent, const RowCells& cells, const char* why) {
  std::string example = cells.path_name(0);
  example.erase(std::remove(example.begin(), example.end(), ' '), example.end());
  throw UsageError(fmt::format("--against {0}: {1}; name one, such as {0}:{2}", opponent.path, why, example));
}

/// [sequence, ..., query] of values with trials in front: their mean over trials.
std::vector<double> over_trials(const RowCells& cells, const std::vector<double>& values) {
  const auto trials = static_cast<std::size_t>(std::max<std::int64_t>(cells.size_of("trial"), 1));
  const std::size_t rows = values.size() / trials;
  std::vector<double> result(rows, 0);
  for (std::size_t i = 0; i < values.size(); ++i) result[i % rows] += values[i] / static_cast<double>(trials);
  return result;
}

/// The rows of the first trial, which stand for all: places and groups of what over_trials gives.
struct RowsOfPath {
  std::vector<RowPlace> places;
  std::vector<RowGroup> groups;

  RowsOfPath(const RowCells& cells, const std::vector<std::string>& by)
      : places(cells.places()), groups(cells.group_by(by)) {
    const auto trials = static_cast<std::size_t>(std::max<std::int64_t>(cells.size_of("trial"), 1));
    places.resize(places.size() / trials);
    for (RowGroup& group : groups) std::erase_if(group.rows, [&](std::size_t row) { return row >= places.size(); });
  }
};

/// One cell's loss and keys read, NaN in rows that were not measured.
struct CellRows {
  std::vector<double> loss;
  std::vector<double> keys;
};

CellRows attention_rows(const RowCells& cells, std::int64_t cell) {
  CellRows rows{cells.read("output_error_relative", cell), cells.read("keys_attended", cell)};
  const std::vector<double> status = cells.read("status", cell);
  for (std::size_t row = 0; row < status.size(); ++row)
    if (!row_status::is_measured(status[row])) rows.loss[row] = rows.keys[row] = kNan;
  return {over_trials(cells, rows.loss), over_trials(cells, rows.keys)};
}

/// The rows of a group in which all of `cells` were measured.
std::vector<std::size_t> common_rows(const RowGroup& group, const CellRows& first,
                                     const std::vector<const CellRows*>& others) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : group.rows)
    if (!std::isnan(first.loss[row]) &&
        std::none_of(others.begin(), others.end(), [&](const CellRows* other) { return std::isnan(other->loss[row]); }))
      rows.push_back(row);
  return rows;
}

template <class T>
std::vector<T> at(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> result;
  for (const std::size_t row : rows) result.push_back(values[row]);
  return result;
}

Estimate estimate_of(const CorrelatedMean& mean) { return {mean.value, mean.interval}; }

}  // namespace

Table attention_against(const ResultsReader& reader, const std::vector<std::string>& by, const std::string& against) {
  const Opponent opponent(reader, against);
  const RowCells of_opponent(reader, "/path/" + opponent.path, "status");
  const std::vector<std::int64_t> chosen = opponent.cells_of(of_opponent);
  std::vector<CellRows> opponents;
  for (const std::int64_t cell : chosen) opponents.push_back(attention_rows(of_opponent, cell));

  const std::vector<std::string> row_by = dimensions_of(of_opponent, by);
  Table table;
  table.columns = key_columns(of_opponent, row_by);
  for (const TableColumn& column : std::vector<TableColumn>{
           {.name = "keys read", .format = tenths},
           {.name = "its keys", .format = tenths},
           {.name = "error difference", .format = signed_digits, .detail = TableColumn::Detail::with_interval},
           {.name = "lower in", .format = share, .detail = TableColumn::Detail::with_interval}})
    table.columns.push_back(column);
  bool at_as_many_keys = false;
  for (const std::string& name : reader.names("/path")) {
    const RowCells cells(reader, "/path/" + name, "status");
    if (cells.rows() / std::max<std::int64_t>(cells.size_of("trial"), 1) !=
        of_opponent.rows() / std::max<std::int64_t>(of_opponent.size_of("trial"), 1))
      throw InputError(fmt::format("/path/{} has other rows than /path/{}", name, opponent.path));
    const RowsOfPath rows_of_path(cells, row_by);
    const std::string shown = name + (reader.integer_attribute("/path/" + name, "oracle") != 0 ? "*" : "");
    for (std::int64_t cell = 0; cell < cells.cells(); ++cell) {
      std::vector<const CellRows*> others;
      bool is_itself = false;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (of_opponent.source_name(chosen[i]) != cells.source_name(cell)) continue;
        others.push_back(&opponents[i]);
        is_itself = is_itself || (name == opponent.path && chosen[i] == cell);
      }
      if (is_itself || others.empty()) continue;
      const CellRows own = attention_rows(cells, cell);
      for (const RowGroup& group : rows_of_path.groups) {
        std::vector<TableCell> line = key_cells(table.columns, shown, cells, cell, group);
        const std::vector<std::size_t> rows = common_rows(group, own, others);
        const double keys = mean(at(own.keys, rows));
        Frontier frontier;
        for (const CellRows* other : others) {
          frontier.cost.push_back(mean(at(other->keys, rows)));
          frontier.value.push_back(at(other->loss, rows));
        }
        const auto [least, most] = std::minmax_element(frontier.cost.begin(), frontier.cost.end());
        if (others.size() > 1 && !rows.empty() && *most - *least <= 1e-9 * *most)
          ask_for_a_value(opponent, of_opponent, "its swept values all read as many keys");
        at_as_many_keys = at_as_many_keys || others.size() > 1;
        PairedComparison found;
        if (!rows.empty())
          found =
              compare_rows(at(own.loss, rows), others.size() == 1 ? frontier.value.front() : at_cost(frontier, keys),
                           at(rows_of_path.places, rows));
        const double its_keys = others.size() == 1 ? frontier.cost.front() : keys;
        line.insert(line.end(), {keys, std::isnan(found.difference.value) ? kNan : its_keys,
                                 estimate_of(found.difference), found.first_is_lower});
        table.rows.push_back(std::move(line));
      }
    }
  }
  table.title = fmt::format("against {}{}: relative output error, row by row", against,
                            at_as_many_keys ? " at as many keys read" : "");
  return table;
}

Table divergence_against(const ResultsReader& reader, const std::vector<std::string>& by, const std::string& against) {
  const Opponent opponent(reader, against);
  const RowCells of_opponent(reader, "/path/" + opponent.path, "kl_exact_approx");
  const std::vector<std::int64_t> chosen = opponent.cells_of(of_opponent);
  const auto tokens_of = [](const RowCells& cells, const char* variable, std::int64_t cell) {
    return over_trials(cells, cells.read(variable, cell));
  };
  Table table;
  table.title = fmt::format("against {}: next tokens, position by position", against);
  const std::vector<std::string> row_by = dimensions_of(of_opponent, by);
  table.columns = key_columns(of_opponent, row_by);
  for (const TableColumn& column : std::vector<TableColumn>{
           {.name = "KL difference", .format = signed_digits, .detail = TableColumn::Detail::with_interval},
           {.name = "lower in", .format = share, .detail = TableColumn::Detail::with_interval},
           {.name = "loss difference", .format = signed_number, .detail = TableColumn::Detail::with_interval}})
    table.columns.push_back(column);
  for (const std::string& name : reader.names("/path")) {
    const RowCells cells(reader, "/path/" + name, "kl_exact_approx");
    const RowsOfPath rows_of_path(cells, row_by);
    const std::string shown = name + (reader.integer_attribute("/path/" + name, "oracle") != 0 ? "*" : "");
    for (std::int64_t cell = 0; cell < cells.cells(); ++cell) {
      std::vector<std::int64_t> same_source;
      std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(same_source),
                   [&](std::int64_t other) { return of_opponent.source_name(other) == cells.source_name(cell); });
      if (same_source.size() > 1) ask_for_a_value(opponent, of_opponent, "it has several swept values");
      if (same_source.empty() || (name == opponent.path && same_source.front() == cell)) continue;
      const auto compare = [&](const char* variable, const RowGroup& group) {
        const std::vector<double> own = tokens_of(cells, variable, cell);
        const std::vector<double> other = tokens_of(of_opponent, variable, same_source.front());
        if (own.size() != other.size())
          throw InputError(fmt::format("/path/{} has other rows than /path/{}", name, opponent.path));
        return compare_rows(at(own, group.rows), at(other, group.rows), at(rows_of_path.places, group.rows));
      };
      for (const RowGroup& group : rows_of_path.groups) {
        const PairedComparison kl = compare("kl_exact_approx", group);
        const PairedComparison loss = compare("loss_approx", group);
        std::vector<TableCell> line = key_cells(table.columns, shown, cells, cell, group);
        line.insert(line.end(), {estimate_of(kl.difference), kl.first_is_lower, estimate_of(loss.difference)});
        table.rows.push_back(std::move(line));
      }
    }
  }
  return table;
}

std::string against_footer() {
  return "Against another path: means over rows that both ran of this path's number minus the other's, below 0 where\n"
         "this one is better, and the share of rows in which it is (equal ones count half). Trials enter as their "
         "mean.\n";
}

}  // namespace lacuna
