#include "analysis/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/number_text.hpp"

namespace lacuna {
namespace {

constexpr double kLineHeight = 13;
constexpr double kLetter = 7.6;  // px: mean width of a bold letter

double label_width(const std::vector<Series>& labelled, const Extent& extent) {
  double width = 16;
  if (!extent.is_narrow())
    for (const Series& series : labelled)
      width = std::max(width, 14 + kLetter * static_cast<double>(series.label().size()));
  return width;
}

}  // namespace

std::string drawing(const Extent& extent, const std::string& alt, const std::string& body,
                    const std::string& attributes) {
  return fmt::format(
      "<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" tabindex=\"0\" aria-label=\"{}\"{}>{}</svg>\n",
      extent.is_narrow() ? "narrow" : "wide", coordinate(extent.width), coordinate(extent.height), escape_markup(alt),
      attributes.empty() ? "" : " " + attributes, body);
}

Plot::Plot(Extent extent, Axis x, Axis y, const std::vector<Series>& labelled)
    : extent_(extent),
      x_(std::move(x)),
      y_(std::move(y)),
      left_(52),
      right_(extent.width - label_width(labelled, extent)),
      top_(24),
      bottom_(extent.height - 40) {}

std::string Plot::axes() const {
  std::string text;
  const int most_x = static_cast<int>((right_ - left_) / 62);
  const int most_y = static_cast<int>((bottom_ - top_) / 38);
  for (const Tick& tick : x_.ticks(most_x)) {
    const std::string x = coordinate(px(tick.value));
    if (tick.label.empty()) {
      text += fmt::format("<path class=\"tick\" d=\"M{} {}v4\"/>", x, coordinate(bottom_));
      continue;
    }
    text += fmt::format("<path class=\"grid\" d=\"M{} {}V{}\"/>", x, coordinate(top_), coordinate(bottom_));
    text += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                        coordinate(bottom_ + 15), escape_markup(tick.label));
  }
  for (const Tick& tick : y_.ticks(most_y)) {
    const std::string y = coordinate(py(tick.value));
    if (tick.label.empty()) {
      text += fmt::format("<path class=\"tick\" d=\"M{} {}h-4\"/>", coordinate(left_), y);
      continue;
    }
    text += fmt::format("<path class=\"grid{}\" d=\"M{} {}H{}\"/>", y_.has_zero() && tick.value == 0 ? " zero" : "",
                        coordinate(left_), y, coordinate(right_));
    text += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", coordinate(left_ - 6),
                        coordinate(py(tick.value) + 4), escape_markup(tick.label));
  }
  text += fmt::format("<path class=\"axis\" d=\"M{} {}V{}H{}\"/>", coordinate(left_), coordinate(top_),
                      coordinate(bottom_), coordinate(right_));
  text += fmt::format("<text class=\"at\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                      coordinate((left_ + right_) / 2), coordinate(extent_.height - 6), escape_markup(x_.title()));
  text += fmt::format("<text class=\"at\" x=\"4\" y=\"13\">{}</text>", escape_markup(y_.title()));
  return text;
}

void Plot::diagonal(const std::string& name) {
  const double low = std::max(x_.low(), y_.low());
  const double high = std::min(x_.high(), y_.high());
  if (!(high > low)) return;
  body_ += fmt::format("<path class=\"diagonal\" d=\"M{} {}L{} {}\"/>", coordinate(px(low)), coordinate(py(low)),
                       coordinate(px(high)), coordinate(py(high)));
  const double middle = x_.is_logarithmic() ? std::pow(low, 0.82) * std::pow(high, 0.18) : low + 0.18 * (high - low);
  body_ += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\">{}</text>", coordinate(px(middle) + 12),
                       coordinate(py(middle) + 16), escape_markup(name));
}

void Plot::backdrop(const std::vector<Mark>& points) {
  std::string path;
  for (const Mark& point : points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(px(point.x)), coordinate(py(point.y)));
  if (points.size() > 1) body_ += fmt::format("<path class=\"frontier\" d=\"{}\"/>", path);
}

void Plot::line(const Series& series, const std::vector<Mark>& points) {
  std::string path;
  bool pen_down = false;
  for (const Mark& point : points) {
    if (std::isnan(point.x) || std::isnan(point.y)) {
      pen_down = false;
      continue;
    }
    path += fmt::format("{}{} {}", pen_down ? "L" : "M", coordinate(px(point.x)), coordinate(py(point.y)));
    pen_down = true;
  }
  body_ += fmt::format("<path class=\"line {}{}\" data-s=\"{}\" d=\"{}\"/>", series.colour(),
                       series.is_oracle ? " oracle" : "", series.index, path);
}

void Plot::marks(const Series& series, const std::vector<Mark>& points, bool small) {
  body_ += fmt::format("<g class=\"{}{}{}\" data-s=\"{}\">", series.colour(), series.is_oracle ? " oracle" : "",
                       small ? " small" : "", series.index);
  std::string bars;
  for (const Mark& point : points)
    if (std::isfinite(point.x) && point.y_high > point.y_low)
      bars +=
          fmt::format("M{} {}V{}", coordinate(px(point.x)), coordinate(py(point.y_low)), coordinate(py(point.y_high)));
  if (!bars.empty()) body_ += fmt::format("<path class=\"interval\" d=\"{}\"/>", bars);
  for (const Mark& point : points)
    if (std::isfinite(point.x) && std::isfinite(point.y))
      body_ += fmt::format("<use href=\"#{}{}\" x=\"{}\" y=\"{}\" data-r=\"{}\"/>", series.mark(), small ? "t" : "",
                           coordinate(px(point.x)), coordinate(py(point.y)), point.row);
  body_ += "</g>";
}

void Plot::label(const Series& series, const Mark& at) {
  if (extent_.is_narrow() || std::isnan(at.x) || std::isnan(at.y)) return;
  labels_.push_back({right_ + 8, py(at.y), series.label(), series.colour(), series.index});
}

std::string Plot::labels() const {
  std::vector<Label> sorted = labels_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  for (std::size_t i = 1; i < sorted.size(); ++i) sorted[i].y = std::max(sorted[i].y, sorted[i - 1].y + kLineHeight);
  double floor = bottom_ + 4;  // push what ran below the axes up again
  for (std::size_t i = sorted.size(); i-- > 0;) {
    sorted[i].y = std::min(sorted[i].y, floor);
    floor = sorted[i].y - kLineHeight;
  }
  std::string text;
  for (const Label& label : sorted)
    text += fmt::format("<text class=\"dl {}\" data-s=\"{}\" x=\"{}\" y=\"{}\">{}</text>", label.colour, label.index,
                        coordinate(label.x), coordinate(label.y + 4), escape_markup(label.text));
  return text;
}

std::string Plot::svg(const std::string& alt) const { return drawing(extent_, alt, axes() + body_ + labels()); }

}  // namespace lacuna
