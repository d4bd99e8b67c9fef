#include "analysis/report/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/number_text.hpp"

namespace lacuna {
namespace {

constexpr int kClasses = 9;
constexpr double kTop = 34;   // px: titles and column labels
constexpr double kLeft = 52;  // px: row title and labels

}  // namespace

std::vector<double> class_limits(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const double value : values)
    if (value > 0 && std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (high == 0) low = high = 1;
  low = std::max(low, high * 1e-6);  // what is a millionth of the largest is as good as 0
  std::vector<double> limits;
  for (int i = 1; i < kClasses; ++i) limits.push_back(low * std::pow(high / low, static_cast<double>(i) / kClasses));
  return limits;
}

int class_of(double value, const std::vector<double>& limits) {
  if (std::isnan(value)) return -1;
  return static_cast<int>(std::upper_bound(limits.begin(), limits.end(), value) - limits.begin());
}

double HeatMap::height(bool narrow) const {
  const double row =
      std::clamp(420.0 / static_cast<double>(std::max<std::size_t>(row_labels.size(), 1)), 5.0, narrow ? 24.0 : 28.0);
  return kTop + row * static_cast<double>(row_labels.size()) + 6;
}

std::string HeatMap::svg(const Extent& extent, const std::string& alt) const {
  const std::size_t rows = row_labels.size();
  const std::size_t columns = column_labels.size();
  const double cell_width = std::min((extent.width - kLeft - 6) / static_cast<double>(columns), 110.0);
  const double cell_height = (extent.height - kTop - 6) / static_cast<double>(rows);
  std::string body = fmt::format("<text class=\"at\" x=\"4\" y=\"12\">{} ↓  {} →</text>", escape_markup(row_title),
                                 escape_markup(column_title));
  const auto every = [](double size, double wanted) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(wanted / size)));
  };
  const std::size_t each_column = every(cell_width, 30);
  const std::size_t each_row = every(cell_height, 13);
  for (std::size_t c = 0; c < columns; c += each_column)
    body += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                        coordinate(kLeft + (static_cast<double>(c) + 0.5) * cell_width), coordinate(kTop - 6),
                        escape_markup(column_labels[c]));
  for (std::size_t r = 0; r < rows; ++r) {
    const double y = kTop + static_cast<double>(r) * cell_height;
    if (r % each_row == 0)
      body += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", coordinate(kLeft - 6),
                          coordinate(y + cell_height / 2 + 4), escape_markup(row_labels[r]));
    for (std::size_t c = 0; c < columns; ++c) {
      const int grade = class_of(values[r * columns + c], limits);
      body += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" data-r=\"{}\"/>",
                          grade < 0 ? "hx" : fmt::format("h{}", grade),
                          coordinate(kLeft + static_cast<double>(c) * cell_width), coordinate(y),
                          coordinate(cell_width - (cell_width > 6 ? 1 : 0)),
                          coordinate(cell_height - (cell_height > 6 ? 1 : 0)), first_row + r * columns + c);
    }
  }
  return drawing(extent, alt, body, "data-heat");
}

std::string heat_legend(const std::vector<double>& limits, const std::string& units) {
  std::string text = "<p class=\"scale\"><span>0</span>";
  for (int i = 0; i < kClasses; ++i) {
    text += fmt::format("<i class=\"h{}\"></i>", i);
    if (i + 1 < kClasses) text += fmt::format("<span>{}</span>", brief_number(limits[i]));
  }
  return text + fmt::format("<span>{}</span><i class=\"hx\"></i><span>not run</span></p>\n", escape_markup(units));
}

}  // namespace lacuna
