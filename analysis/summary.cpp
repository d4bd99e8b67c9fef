#include "analysis/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "analysis/statistics/quantile.hpp"
#include "analysis/results_reader.hpp"

namespace lacuna {
namespace {

// codes of the variable `status`, as read
constexpr double ok = 0;
constexpr double not_run = 1;
constexpr double failed = 2;
constexpr double violated = 3;
constexpr double no_visible_key = 4;
constexpr double below_radius = 5;

/// One path of the file, cell by cell; trials of a random path belong to one cell.
class PathCells {
 public:
  PathCells(const ResultsReader& reader, std::string path)
      : reader_(reader), group_("/path/" + path + "/"), dimensions_(reader.dimensions(group_ + "status")) {
    while (dimensions_[swept_].name != "trial" && dimensions_[swept_].name != "sequence") ++swept_;
    for (std::size_t d = 0; d < swept_; ++d) cells_ *= dimensions_[d].size();
  }
  std::int64_t cells() const { return cells_; }

  bool has(const std::string& variable) const { return reader_.has(group_ + variable); }
  std::vector<double> read(const std::string& variable, std::int64_t cell) const {
    std::vector<std::int64_t> start(dimensions_.size(), 0);
    std::vector<std::int64_t> count;
    for (const ReadDimension& dimension : dimensions_) count.push_back(dimension.size());
    for (std::size_t d = swept_; d-- > 0;) {
      start[d] = cell % dimensions_[d].size();
      count[d] = 1;
      cell /= dimensions_[d].size();
    }
    return reader_.read(group_ + variable, start, count);
  }
  std::string cell_name(std::int64_t cell) const {
    std::string name;
    for (std::size_t d = swept_; d-- > 0;) {
      const std::string part =
          fmt::format("{} = {}", dimensions_[d].name, dimensions_[d].labels[cell % dimensions_[d].size()]);
      name = name.empty() ? part : part + ", " + name;
      cell /= dimensions_[d].size();
    }
    return name;
  }
  /// "layer 18, head 5, position 2047"; the sequence only where there are several.
  std::string row_name(std::int64_t row) const {
    std::string name;
    for (std::size_t d = dimensions_.size(); d-- > swept_;) {
      const ReadDimension& dimension = dimensions_[d];
      const std::string& label = dimension.labels[row % dimension.size()];
      row /= dimension.size();
      if (dimension.size() == 1 && (dimension.name == "sequence" || dimension.name == "trial")) continue;
      name = fmt::format("{} {}{}{}", dimension.name == "query" && !has("query_position") ? "position" : dimension.name,
                         label, name.empty() ? "" : ", ", name);
    }
    return name;
  }
  std::int64_t sequences() const { return size_of("sequence"); }
  std::int64_t queries() const { return size_of("query"); }

 private:
  std::int64_t size_of(const std::string& name) const {
    for (const ReadDimension& dimension : dimensions_)
      if (dimension.name == name) return dimension.size();
    return 0;
  }

  const ResultsReader& reader_;
  std::string group_;
  std::vector<ReadDimension> dimensions_;
  std::size_t swept_ = 0;  // dimensions before `trial` and `sequence`
  std::int64_t cells_ = 1;
};

/// The values whose row was measured.
std::vector<double> measured(const std::vector<double>& values, const std::vector<double>& status) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (status[i] == ok || status[i] == violated || status[i] == below_radius) result.push_back(values[i]);
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(values.size());
}

SummaryLine summarize_cell(const PathCells& path, std::int64_t cell, const std::vector<double>& status) {
  SummaryLine line;
  line.cell = path.cell_name(cell);
  const auto values = [&](const std::string& variable) {  // none where the path does not have the variable
    return path.has(variable) ? measured(path.read(variable, cell), status) : std::vector<double>();
  };

  const std::vector<double> attended = values("keys_attended");
  line.rows = static_cast<std::int64_t>(attended.size());
  line.keys_attended = mean(attended);
  const std::vector<double> mass = values("omitted_mass");
  line.bytes_read = mean(values("bytes_read_main"));
  for (const char* more : {"bytes_read_summary", "bytes_read_index"})
    if (path.has(more) && line.rows > 0) line.bytes_read += mean(values(more));
  line.bytes_per_key = mean(values("bytes_stored_per_key"));
  line.omitted_mass_median = quantile(mass, 0.5);
  line.omitted_mass_p99 = quantile(mass, 0.99);
  const std::vector<double> relative_error = values("output_error_relative");
  line.relative_error_median = quantile(relative_error, 0.5);
  line.relative_error_p99 = quantile(relative_error, 0.99);

  const std::vector<double> error = values("output_error");
  const std::vector<double> radius = values("error_radius");
  const std::vector<double> bound = values("bound");
  std::vector<double> ratio;
  for (std::size_t i = 0; i < bound.size(); ++i)
    if (error[i] > 0 && error[i] >= radius[i]) ratio.push_back(bound[i] / error[i]);
  line.tightness = quantile(ratio, 0.5);

  const std::vector<double> relative = path.read("output_error_relative", cell);  // all rows, to know which one it is
  std::int64_t worst = -1;
  for (std::size_t i = 0; i < relative.size(); ++i)
    if (relative[i] > (worst < 0 ? 0 : relative[worst])) worst = static_cast<std::int64_t>(i);
  if (worst >= 0) line.worst = path.row_name(worst);
  return line;
}

std::string bytes(double count) {
  if (std::isnan(count)) return "-";
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  while (count >= 9999.5 && unit < 3) {
    count /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", count, units[unit]);
}

std::string number(double x) { return std::isnan(x) ? "-" : x == 0 ? "0" : fmt::format("{:.3g}", x); }

}  // namespace

Summary summarize(const std::filesystem::path& file) {
  const ResultsReader reader(file);
  Summary summary;
  for (const std::string& name : reader.names("/path")) {
    const PathCells path(reader, name);
    summary.sequences = path.sequences();
    summary.queries = path.queries();
    const bool is_oracle = reader.integer_attribute("/path/" + name, "oracle") != 0;
    for (std::int64_t cell = 0; cell < path.cells(); ++cell) {
      const std::vector<double> status = path.read("status", cell);
      for (const double code : status) {
        summary.not_run += code == not_run ? 1 : 0;
        summary.failures += code == failed ? 1 : 0;
        summary.violations += code == violated ? 1 : 0;
        summary.no_visible_key += code == no_visible_key ? 1 : 0;
        summary.below_error_radius += code == below_radius ? 1 : 0;
      }
      summary.rows += static_cast<std::int64_t>(status.size());
      summary.lines.push_back(summarize_cell(path, cell, status));
      summary.lines.back().path = name;
      summary.lines.back().is_oracle = is_oracle;
    }
  }
  return summary;
}

std::string format_table(const Summary& summary) {
  using Column = std::pair<std::string, std::function<std::string(const SummaryLine&)>>;
  const std::vector<Column> columns = {
      {"path", [](const SummaryLine& l) { return l.path + (l.is_oracle ? "*" : ""); }},
      {"swept", [](const SummaryLine& l) { return l.cell; }},
      {"keys read",
       [](const SummaryLine& l) { return std::isnan(l.keys_attended) ? "-" : fmt::format("{:.1f}", l.keys_attended); }},
      {"bytes read", [](const SummaryLine& l) { return bytes(l.bytes_read); }},
      {"bytes/key", [](const SummaryLine& l) { return number(l.bytes_per_key); }},
      {"omitted p50", [](const SummaryLine& l) { return number(l.omitted_mass_median); }},
      {"omitted p99", [](const SummaryLine& l) { return number(l.omitted_mass_p99); }},
      {"error p50", [](const SummaryLine& l) { return number(l.relative_error_median); }},
      {"error p99", [](const SummaryLine& l) { return number(l.relative_error_p99); }},
      {"bound/error", [](const SummaryLine& l) { return number(l.tightness); }},
      {"worst row", [](const SummaryLine& l) { return l.worst; }},
  };
  std::string table;
  std::vector<std::vector<std::string>> cells = {{}};
  for (const Column& column : columns) cells.front().push_back(column.first);
  for (const SummaryLine& line : summary.lines) {
    cells.emplace_back();
    for (const Column& column : columns) cells.back().push_back(column.second(line));
  }
  std::vector<std::size_t> width(columns.size(), 0);
  for (const auto& row : cells)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  for (const auto& row : cells) {
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool left = c < 2 || c + 1 == row.size();
      text += left ? fmt::format("{:<{}}  ", row[c], width[c]) : fmt::format("{:>{}}  ", row[c], width[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    table += text + "\n";
  }
  table += fmt::format(
      "\n* reads every key to choose: an oracle.  Keys and bytes are means per query; bytes are K, V and summaries per "
      "KV head;\n"
      "bytes/key is what is stored. Errors are relative to the norm of the exact output.\n"
      "{} sequence(s) of {} queries, {} rows: {} bound violations, {} failed, {} not run, {} without a visible key, "
      "{} below their error radius\n",
      summary.sequences, summary.queries, summary.rows, summary.violations, summary.failures, summary.not_run,
      summary.no_visible_key, summary.below_error_radius);
  return table;
}

}  // namespace lacuna
