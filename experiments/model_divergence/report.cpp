#include "experiments/model_divergence/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/parameter.hpp"

namespace lacuna {
namespace {

using Line = std::array<std::string, 8>;

/// The value of nearest rank.
double quantile(std::vector<double> values, double q) {
  const auto rank =
      std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::ceil(q * static_cast<double>(values.size()))), 1);
  std::ranges::nth_element(values, values.begin() + (rank - 1));
  return values[static_cast<std::size_t>(rank - 1)];
}

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

Line line_of(const CellDivergence& cell) {
  const auto positions = static_cast<double>(cell.kl.size());
  return {cell.name,
          fmt::format("{:.3g}", quantile(cell.kl, 0.5)),
          fmt::format("{:.3g}", quantile(cell.kl, 0.99)),
          fmt::format("{:.4f}", static_cast<double>(cell.agreeing) / positions),
          cell.loss_difference.size() < 2
              ? "-"
              : fmt::format("{:+.4f} +- {:.4f}", mean(cell.loss_difference), standard_error(cell.loss_difference)),
          fmt::format("{:.3g}", quantile(cell.hidden_relative, 0.5)),
          cell.omitted_mass.empty() ? "-" : fmt::format("{:.3g}", mean(cell.omitted_mass)),
          fmt::format("{}", cell.violations + cell.failures)};
}

std::string axis_values(const Sweep& sweep, Index cell) {
  std::string text;
  for (std::size_t i = sweep.axes.size(); i-- > 0;) {
    const Axis::Coordinate& first = sweep.axes[i].coordinates.front();
    const Index size = sweep.axes[i].size();
    text = fmt::format(" {}={}", first.name, to_string(first.values[static_cast<std::size_t>(cell % size)])) + text;
    cell /= size;
  }
  return text;
}

}  // namespace

void CellDivergence::add(const std::vector<NextTokenError>& errors) {
  for (const NextTokenError& error : errors) {
    kl.push_back(error.kl_exact_approx);
    if (error.loss) loss_difference.push_back(*error.loss_approx - *error.loss);
    agreeing += error.top_1_agrees ? 1 : 0;
  }
}

void CellDivergence::add(const std::vector<std::vector<JudgedRow>>& rows) {
  for (const std::vector<JudgedRow>& head : rows)
    for (const JudgedRow& row : head) {
      if (!std::isnan(row.omitted_mass)) omitted_mass.push_back(row.omitted_mass);
      violations += row.status == RowStatus::bound_violated ? 1 : 0;
      failures += row.status == RowStatus::failed ? 1 : 0;
    }
}

void ExactRunReport::add(const std::vector<std::vector<ExactRunRow>>& judged) {
  for (const std::vector<ExactRunRow>& head : judged)
    for (const ExactRunRow& row : head) {
      if (std::isnan(row.output_error_radius)) continue;
      ++rows;
      violations += row.status == RowStatus::bound_violated ? 1 : 0;
      if (row.output_error_radius > 0) worst = std::max(worst, row.output_error / row.output_error_radius);
    }
}

std::string cell_name(const std::string& path, const Sweep& source, Index source_cell, const Sweep& sweep, Index cell) {
  return path + axis_values(source, source_cell) + axis_values(sweep, cell);
}

std::string format_divergence(const std::vector<CellDivergence>& cells, const ExactRunReport& exact) {
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
  text += fmt::format(
      "exact run: {} of {} judged rows are farther from the ruler than rounding allows; at most {:.2g} of it\n",
      exact.violations, exact.rows, exact.worst);
  return text;
}

}  // namespace lacuna
