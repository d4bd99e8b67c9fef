#include "analysis/divergence_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/results_reader.hpp"

namespace lacuna {
namespace {

using Line = std::array<std::string, 8>;
using Indices = std::vector<std::int64_t>;

// codes of the variable `status`, as read
constexpr double failed = 2;
constexpr double violated = 3;

/// One path of the file; its swept dimensions come first, and select a cell.
class PathReader {
 public:
  PathReader(const ResultsReader& reader, const std::string& path)
      : reader_(reader), group_("/path/" + path + "/"), swept_(reader.dimensions(group_ + "kl_exact_approx")) {
    const auto first = std::ranges::find_if(swept_, [](const ReadDimension& dimension) {
      return dimension.name == "trial" || dimension.name == "sequence";
    });
    swept_.erase(first, swept_.end());
  }
  std::int64_t cells() const {
    std::int64_t cells = 1;
    for (const ReadDimension& dimension : swept_) cells *= dimension.size();
    return cells;
  }
  /// " select_k=64"
  std::string values_of(std::int64_t cell) const {
    std::string text;
    const Indices index = index_of(cell);
    for (std::size_t d = 0; d < swept_.size(); ++d)
      text += fmt::format(" {}={}", swept_[d].name, swept_[d].labels[static_cast<std::size_t>(index[d])]);
    return text;
  }
  /// The cell's values; of the last layer alone where `last_layer`.
  std::vector<double> read(const std::string& variable, std::int64_t cell, bool last_layer = false) const {
    Indices start = index_of(cell);
    Indices count(start.size(), 1);
    const std::vector<ReadDimension> dimensions = reader_.dimensions(group_ + variable);
    for (std::size_t d = swept_.size(); d < dimensions.size(); ++d) {
      const bool last = last_layer && dimensions[d].name == "layer";
      start.push_back(last ? dimensions[d].size() - 1 : 0);
      count.push_back(last ? 1 : dimensions[d].size());
    }
    return reader_.read(group_ + variable, start, count);
  }

 private:
  Indices index_of(std::int64_t cell) const {
    Indices index(swept_.size());
    for (std::size_t d = swept_.size(); d-- > 0;) {
      index[d] = cell % swept_[d].size();
      cell /= swept_[d].size();
    }
    return index;
  }

  const ResultsReader& reader_;
  std::string group_;
  std::vector<ReadDimension> swept_;
};

/// The value of nearest rank.
double quantile(std::vector<double> values, double q) {
  const auto rank =
      std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::ceil(q * static_cast<double>(values.size()))), 1);
  std::ranges::nth_element(values, values.begin() + (rank - 1));
  return values[static_cast<std::size_t>(rank - 1)];
}

/// NaN of none.
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

/// Of the mean, from independent values.
double standard_error(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double x : values) squares += (x - centre) * (x - centre);
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1) / n);
}

std::vector<double> without_nan(std::vector<double> values) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  return values;
}

CellDivergence summarize_cell(const PathReader& path, std::int64_t cell) {
  CellDivergence line;
  const std::vector<double> kl = path.read("kl_exact_approx", cell);
  line.kl_median = quantile(kl, 0.5);
  line.kl_p99 = quantile(kl, 0.99);
  line.agreeing = mean(path.read("top_1_agrees", cell));
  std::vector<double> loss = path.read("loss_approx", cell);
  const std::vector<double> loss_exact = path.read("loss", cell);
  for (std::size_t i = 0; i < loss.size(); ++i) loss[i] -= loss_exact[i];
  loss = without_nan(std::move(loss));
  line.predictions = static_cast<std::int64_t>(loss.size());
  line.loss_difference = mean(loss);
  line.loss_difference_error = standard_error(loss);
  line.hidden_relative_median = quantile(path.read("hidden_error_relative", cell, true), 0.5);
  line.omitted_mass = mean(without_nan(path.read("omitted_mass", cell)));
  for (const double status : path.read("status", cell)) {
    line.violations += status == violated ? 1 : 0;
    line.failures += status == failed ? 1 : 0;
  }
  return line;
}

Line line_of(const CellDivergence& cell) {
  return {
      cell.name,
      fmt::format("{:.3g}", cell.kl_median),
      fmt::format("{:.3g}", cell.kl_p99),
      fmt::format("{:.4f}", cell.agreeing),
      cell.predictions < 2 ? "-" : fmt::format("{:+.4f} +- {:.4f}", cell.loss_difference, cell.loss_difference_error),
      fmt::format("{:.3g}", cell.hidden_relative_median),
      std::isnan(cell.omitted_mass) ? "-" : fmt::format("{:.3g}", cell.omitted_mass),
      fmt::format("{}", cell.violations + cell.failures)};
}

}  // namespace

std::vector<CellDivergence> summarize_divergence(const std::filesystem::path& file) {
  const ResultsReader reader(file);
  std::vector<CellDivergence> cells;
  for (const std::string& name : reader.names("/path")) {
    const PathReader path(reader, name);
    const bool is_oracle = reader.integer_attribute("/path/" + name, "oracle") != 0;
    for (std::int64_t cell = 0; cell < path.cells(); ++cell) {
      cells.push_back(summarize_cell(path, cell));
      cells.back().name = name + (is_oracle ? "*" : "") + path.values_of(cell);
    }
  }
  return cells;
}

std::string format_divergence(const std::vector<CellDivergence>& cells) {
  std::vector<Line> lines = {{"path", "KL median", "KL p99", "top-1 agrees", "loss difference", "hidden (median)",
                              "omitted mass (mean)", "violated"}};
  for (const CellDivergence& cell : cells) lines.push_back(line_of(cell));
  std::array<std::size_t, std::tuple_size_v<Line>> widths = {};
  for (const Line& line : lines)
    for (std::size_t column = 0; column < line.size(); ++column)
      widths[column] = std::max(widths[column], line[column].size());
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}", line[0], widths[0]);
    for (std::size_t column = 1; column < line.size(); ++column)
      text += fmt::format("  {:>{}}", line[column], widths[column]);
    text += '\n';
  }
  return text;
}

}  // namespace lacuna
