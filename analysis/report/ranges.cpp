#include "analysis/report/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/number_text.hpp"

namespace lacuna {
namespace {

constexpr double kLetter = 7;  // px: mean width of a letter
constexpr double kTop = 8;
constexpr double kBottom = 40;

double row_height(bool narrow) { return narrow ? 36 : 23; }

}  // namespace

Ranges::Ranges(Axis axis, std::vector<Range> ranges) : axis_(std::move(axis)), ranges_(std::move(ranges)) {}

double Ranges::height(bool narrow) const {
  return kTop + row_height(narrow) * static_cast<double>(ranges_.size()) + kBottom;
}

std::string Ranges::svg(const Extent& extent, const std::string& alt) const {
  const bool narrow = extent.is_narrow();
  double label_width = 0;
  double text_width = 8;
  for (const Range& range : ranges_) {
    label_width = std::max(label_width, kLetter * static_cast<double>(range.label.size()));
    text_width = std::max(text_width, kLetter * static_cast<double>(range.text.size()) + 8);
  }
  const double left = narrow ? 20 : std::min(label_width + 12, 0.42 * extent.width);
  const double right = extent.width - text_width - 8;
  const double bottom = kTop + row_height(narrow) * static_cast<double>(ranges_.size());
  const auto px = [&](double value) { return left + axis_.place(value) * (right - left); };
  std::string body;
  for (const Tick& tick : axis_.ticks(static_cast<int>((right - left) / 62))) {
    const std::string x = coordinate(px(tick.value));
    if (tick.label.empty()) {
      body += fmt::format("<path class=\"tick\" d=\"M{} {}v4\"/>", x, coordinate(bottom));
      continue;
    }
    body += fmt::format("<path class=\"grid\" d=\"M{} {}V{}\"/>", x, coordinate(kTop), coordinate(bottom));
    body += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                        coordinate(bottom + 15), escape_markup(tick.label));
  }
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const Range& range = ranges_[i];
    const double y = kTop + row_height(narrow) * (static_cast<double>(i) + 0.5) + (narrow ? 6 : 0);
    body += fmt::format("<g class=\"{}{}\" data-s=\"{}\">", range.series.colour(),
                        range.series.is_oracle ? " oracle" : "", range.series.index);
    if (narrow)
      body += fmt::format("<text class=\"bl\" x=\"{}\" y=\"{}\">{}</text>", coordinate(left), coordinate(y - 10),
                          escape_markup(range.label));
    else
      body += fmt::format("<text class=\"bl\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", coordinate(left - 8),
                          coordinate(y + 4), escape_markup(range.label));
    const auto stroke = [&](double low, double high, const char* width) {
      if (high > low)
        body += fmt::format("<path class=\"range\" stroke-width=\"{}\" d=\"M{} {}H{}\"/>", width, coordinate(px(low)),
                            coordinate(y), coordinate(px(high)));
    };
    stroke(range.low, range.high, "1.5");
    stroke(range.box_low, range.box_high, "7");
    body += fmt::format("<use href=\"#{}\" x=\"{}\" y=\"{}\" data-r=\"{}\"/>", range.series.mark(),
                        coordinate(px(range.mark)), coordinate(y), range.row);
    body += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\">{}</text></g>", coordinate(right + 8), coordinate(y + 4),
                        escape_markup(range.text));
  }
  body +=
      fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>", coordinate(left), coordinate(bottom), coordinate(right));
  body += fmt::format("<text class=\"at\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                      coordinate((left + right) / 2), coordinate(bottom + 33), escape_markup(axis_.title()));
  return drawing(extent, alt, body);
}

}  // namespace lacuna
