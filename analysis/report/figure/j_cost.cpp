// What a context costs in each architecture: bytes and work against its length.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"

namespace lacuna {
namespace {

constexpr std::array<const char*, 4> kNumbers = {"bytes_stored", "bytes_read", "positions_scored", "operations"};

struct Architecture {
  Series series;
  std::vector<double> context;
  std::array<std::vector<double>, 4> numbers;  // of kNumbers
  std::size_t row = 0;                         // of the first context
};

/// [context], the sum over what follows it.
std::vector<double> summed(const ResultsReader& reader, const std::string& variable) {
  const std::vector<std::int64_t> extents = reader.extents(variable);
  const std::vector<double> values = reader.read(variable, std::vector<std::int64_t>(extents.size(), 0), extents);
  std::vector<double> sums(static_cast<std::size_t>(extents[0]), 0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / (values.size() / sums.size())] += values[i];
  return sums;
}

Figure make(const ReportInput& input) {
  Figure figure;
  figure.title = "Cost against context length";
  figure.table =
      FigureTable({{"architecture"},
                   {"context", "token", "context", "value"},
                   {"bytes_stored", "byte", "bytes_stored", "value"},
                   {"bytes_read", "byte", "bytes_read", "sum"},
                   {"positions_scored", "1", "main_keys_scored + local_keys_scored + index_keys_scored", "sum"},
                   {"operations", "1", "operations", "sum"}});
  std::vector<Architecture> all;
  std::vector<double> contexts;
  std::array<std::vector<double>, 4> values;
  for (const std::string& name : input.reader.names("/cost")) {
    const std::string group = "/cost/" + name + "/";
    Architecture one{input.palette.series(name, false), {}, {}, figure.table.rows()};
    one.context = summed(input.reader, group + "context");
    one.numbers = {summed(input.reader, group + "bytes_stored"), summed(input.reader, group + "bytes_read"),
                   summed(input.reader, group + "main_keys_scored"), summed(input.reader, group + "operations")};
    for (const char* more : {"local_keys_scored", "index_keys_scored"}) {
      const std::vector<double> counts = summed(input.reader, group + more);
      for (std::size_t i = 0; i < counts.size(); ++i) one.numbers[2][i] += counts[i];
    }
    for (std::size_t i = 0; i < one.context.size(); ++i)
      figure.table.add(
          {name, one.context[i], one.numbers[0][i], one.numbers[1][i], one.numbers[2][i], one.numbers[3][i]});
    contexts.insert(contexts.end(), one.context.begin(), one.context.end());
    for (std::size_t n = 0; n < kNumbers.size(); ++n)
      values[n].insert(values[n].end(), one.numbers[n].begin(), one.numbers[n].end());
    figure.legend.push_back(one.series);
    all.push_back(std::move(one));
  }
  const auto by_stored = [](const Architecture& a, const Architecture& b) {
    return a.numbers[0].back() < b.numbers[0].back();
  };
  const auto [least, most] = std::minmax_element(all.begin(), all.end(), by_stored);
  if (!all.empty())
    figure.sentence = fmt::format(
        "At {} tokens {} stores {} and {} {}, {} times as much.", brief_number(least->context.back()),
        least->series.name, brief_bytes(least->numbers[0].back()), most->series.name,
        brief_bytes(most->numbers[0].back()), brief_number(most->numbers[0].back() / least->numbers[0].back()));
  figure.note = "Of a whole model and one sequence; bytes read, positions scored and operations are per decoded token.";
  const std::array<std::string, 4> titles = {"bytes stored", "bytes read per token", "positions scored per token",
                                             "operations per token"};
  for (std::size_t n = 0; n < kNumbers.size(); ++n) {
    const auto draw = [=, legend = figure.legend](const Extent& extent) {
      Plot plot(extent, Axis::logarithmic("context, tokens", contexts, 2),
                Axis::logarithmic(titles[n], values[n], n < 2 ? 2 : 10, n < 2 ? TickText::bytes : TickText::number),
                legend);
      for (const Architecture& one : all) {
        std::vector<Mark> marks;
        for (std::size_t i = 0; i < one.context.size(); ++i)
          marks.push_back({one.context[i], one.numbers[n][i], one.row + i});
        plot.line(one.series, marks);
        plot.marks(one.series, marks);
        plot.label(one.series, marks.back());
      }
      return plot.svg(titles[n] + " against context length, both logarithmic, a line per architecture.");
    };
    figure.panels.push_back({titles[n], "", draw, 0, 0});
  }
  return figure;
}

const bool registered = FigureRegistry::instance().add(
    {"j_cost", [](const ReportInput& input) { return input.experiment == "cache_cost"; }, make});

}  // namespace
}  // namespace lacuna
