#include "analysis/report/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/number_text.hpp"

namespace lacuna {
namespace {

constexpr double kLetter = 7;  // px: mean width of a letter
constexpr double kBottom = 40;
constexpr double kTop = 8;

double row_height(bool narrow) { return narrow ? 38 : 24; }

}  // namespace

Bars::Bars(std::string title, std::vector<Bar> bars) : title_(std::move(title)), bars_(std::move(bars)) {}

double Bars::height(bool narrow) const {
  return kTop + row_height(narrow) * static_cast<double>(bars_.size()) + kBottom;
}

std::string Bars::svg(const Extent& extent, const std::string& alt) const {
  const bool narrow = extent.is_narrow();
  double label_width = 0;
  double text_width = 0;
  double longest = 0;
  for (const Bar& bar : bars_) {
    label_width = std::max(label_width, kLetter * static_cast<double>(bar.label.size()));
    text_width = std::max(text_width, kLetter * static_cast<double>(bar.text.size()));
    double length = 0;
    for (const BarSegment& segment : bar.segments) length += segment.length;
    longest = std::max({longest, length, std::isnan(bar.high) ? 0 : bar.high});
  }
  const Axis axis = Axis::linear(title_, 0, longest);
  const double left = narrow ? 8 : std::min(label_width + 12, 0.42 * extent.width);
  const double right = extent.width - std::max(text_width + 8, 14.0);
  const double bottom = kTop + row_height(narrow) * static_cast<double>(bars_.size());
  const auto px = [&](double length) { return left + axis.place(length) * (right - left); };

  std::string body;
  for (const Tick& tick : axis.ticks(static_cast<int>((right - left) / 62))) {
    const std::string x = coordinate(px(tick.value));
    body += fmt::format("<path class=\"grid\" d=\"M{} {}V{}\"/>", x, coordinate(kTop), coordinate(bottom));
    body += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                        coordinate(bottom + 15), escape_markup(tick.label));
  }
  for (std::size_t i = 0; i < bars_.size(); ++i) {
    const Bar& bar = bars_[i];
    const double y = kTop + row_height(narrow) * static_cast<double>(i) + (narrow ? 16 : 3);
    const std::string mark = bar.series < 0 ? "" : fmt::format(" data-s=\"{}\"", bar.series);
    body += fmt::format("<g{}>", mark);
    if (narrow)
      body += fmt::format("<text class=\"bl\" x=\"{}\" y=\"{}\">{}</text>", coordinate(left + 3), coordinate(y - 4),
                          escape_markup(bar.label));
    else
      body += fmt::format("<text class=\"bl\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", coordinate(left - 8),
                          coordinate(y + 13), escape_markup(bar.label));
    double length = 0;
    for (const BarSegment& segment : bar.segments) {
      const double from = px(length);
      length += segment.length;
      const double width = px(length) - from;
      if (width > 0)
        body += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"17\" data-r=\"{}\"/>",
                            segment.colour, coordinate(from), coordinate(y),
                            coordinate(width > 2 ? width - 0.5 : width), segment.row);
    }
    if (bar.high > bar.low)
      body += fmt::format("<path class=\"whisker\" d=\"M{} {}H{}\"/>", coordinate(px(std::max(bar.low, 0.0))),
                          coordinate(y + 8.5), coordinate(px(bar.high)));
    const double end = bar.high > bar.low ? std::max(px(bar.high), px(length)) : px(length);
    body += fmt::format("<text class=\"tl\" x=\"{}\" y=\"{}\">{}</text></g>", coordinate(end + 6), coordinate(y + 13),
                        escape_markup(bar.text));
  }
  body += fmt::format("<path class=\"axis\" d=\"M{} {}V{}\"/>", coordinate(left), coordinate(kTop), coordinate(bottom));
  body += fmt::format("<text class=\"at\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                      coordinate((left + right) / 2), coordinate(bottom + 33), escape_markup(title_));
  return drawing(extent, alt, body);
}

std::string kind_legend(const std::vector<Kind>& kinds) {
  std::string text = "<p class=\"kinds\">";
  for (const Kind& kind : kinds)
    text += fmt::format("<span><i class=\"{}\"></i>{}</span>", kind.colour, escape_markup(kind.name));
  return text + "</p>\n";
}

}  // namespace lacuna
