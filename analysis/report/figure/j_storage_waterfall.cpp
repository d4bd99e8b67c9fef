// Bytes per token from one architecture to the next, in the order of the study, and what they are made of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/bars.hpp"
#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/ranges.hpp"

namespace lacuna {
namespace {

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Storage, one architecture to the next";
  figure.table = FigureTable({{"architecture"}, {"kind"}, {"bytes_per_token", "byte", "bytes_per_token", "value"}});
  std::vector<Range> steps;
  std::vector<Bar> shares;
  std::vector<double> totals;
  std::vector<std::string> kinds;
  std::string largest;
  double largest_factor = 1;
  for (const std::string& name : input.reader.names("/cost")) {
    const std::string variable = "/cost/" + name + "/bytes_per_token";
    kinds = input.reader.dimensions(variable).front().labels;
    const std::vector<double> bytes = input.reader.read(variable, {0}, {static_cast<std::int64_t>(kinds.size())});
    double total = 0;
    for (const double part : bytes) total += part;
    const double before = totals.empty() ? total : totals.back();
    const Series series = input.palette.series(name, false);
    Bar share;
    share.label = name;
    share.series = series.index;
    share.text = long_number(total) + " B";
    const std::size_t row = figure.table.rows();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      figure.table.add({name, kinds[k], bytes[k]});
      share.segments.push_back({total > 0 ? 100 * bytes[k] / total : 0, fmt::format("k{}", k % 6), row + k});
    }
    shares.push_back(std::move(share));
    const double factor = total / before;
    const std::string text =
        totals.empty() ? long_number(total) + " B" : fmt::format("{} B, ×{:.3g}", long_number(total), factor);
    steps.push_back(
        {name, series, total, std::nan(""), std::nan(""), std::min(before, total), std::max(before, total), text, row});
    if (factor < largest_factor && factor > 0) {
      largest_factor = factor;
      largest = name;
    }
    totals.push_back(total);
  }
  figure.sentence =
      largest.empty()
          ? fmt::format("No step takes bytes off the first architecture's {} B a token.",
                        long_number(totals.empty() ? 0 : totals.front()))
          : fmt::format("From {} to {} B a token; the largest single saving is the step to {}: {:.3g} times less.",
                        long_number(totals.front()), long_number(totals.back()), largest, 1 / largest_factor);
  figure.note =
      "Growth of the cache per token. A bar leads from the architecture above to this one; its end is this one's "
      "bytes.";
  const Ranges waterfall(Axis::logarithmic("bytes per token", totals, 2, TickText::bytes), steps);
  const Bars parts("share of the bytes, %", shares);
  std::vector<Kind> legend;
  for (std::size_t k = 0; k < kinds.size(); ++k) legend.push_back({kinds[k], fmt::format("k{}", k % 6)});
  figure.further_legend = kind_legend(legend);
  figure.panels = {
      {"bytes per token", "",
       [waterfall](const Extent& e) { return waterfall.svg(e, "Waterfall of bytes per token on a logarithmic axis."); },
       waterfall.height(false), waterfall.height(true)},
      {"what they are made of", "",
       [parts](const Extent& e) {
         return parts.svg(e, "Stacked bars: share of each kind of tensor in the bytes per token.");
       },
       parts.height(false), parts.height(true)}};
  return figure;
}

const bool registered = FigureRegistry::instance().add(
    {"j_storage_waterfall", [](const ReportInput& input) { return input.experiment == "cache_cost"; }, make});

}  // namespace
}  // namespace lacuna
