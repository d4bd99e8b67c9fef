#include "analysis/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/results_reader.hpp"
#include "analysis/statistics/correlated_mean.hpp"
#include "analysis/summary_of_kind.hpp"
#include "core/base/error.hpp"

namespace lacuna {

std::vector<std::string> dimensions_of(const RowCells& cells, const std::vector<std::string>& by) {
  std::vector<std::string> found;
  std::copy_if(by.begin(), by.end(), std::back_inserter(found),
               [&](const std::string& name) { return name != "trial" && cells.has_dimension(name); });
  return found;
}

MeasuredRows take(const std::vector<double>& values, const std::vector<RowPlace>& places, const RowGroup& group,
                  const std::vector<char>& keep) {
  MeasuredRows rows;
  for (const std::size_t row : group.rows) {
    if ((!keep.empty() && keep[row] == 0) || std::isnan(values[row])) continue;
    rows.values.push_back(values[row]);
    rows.places.push_back(places[row]);
  }
  return rows;
}

MedianAndP99 median_and_p99(const MeasuredRows& rows) {
  const std::vector<Estimate> found = correlated_quantiles(rows.places, rows.values, {0.5, 0.99});
  return {found[0], found[1]};
}

Estimate median_ratio(const MeasuredRows& ratio, std::size_t measured) {
  return 2 * ratio.values.size() < measured ? Estimate{} : median_and_p99(ratio).median;
}

Estimate mean_of(const MeasuredRows& rows) {
  const CorrelatedMean found = correlated_mean(sum_per_position(rows.places, rows.values));
  return {found.value, found.interval};
}

Summary summarize(const std::filesystem::path& file, const std::vector<std::string>& by) try {
  const ResultsReader reader(file);
  const std::string kind = reader.text_attribute("/", "experiment");
  if (kind == "attention_error") return summarize_attention_error(reader, by);
  if (kind == "model_divergence") return summarize_model_divergence(reader, by);
  if (kind == "replay_error") return summarize_replay_error(reader, by);
  if (kind == "cache_cost") {
    if (!by.empty()) throw UsageError(fmt::format("a file of cache_cost has no rows to group by '{}'", by.front()));
    return summarize_cache_cost(reader);
  }
  if (kind == "bound_audit") {
    if (!by.empty()) throw UsageError(fmt::format("a file of bound_audit has no rows to group by '{}'", by.front()));
    return summarize_bound_audit(reader);
  }
  throw InputError(fmt::format("holds results of '{}', which have no summary", kind));
} catch (const UsageError& error) {
  throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}", file.string(), error.what()));
}

std::string format_summary(const Summary& summary, TableStyle style) {
  std::string text;
  for (const Table& table : summary.tables) {
    if (!text.empty()) text += '\n';
    text += format_table(table, style);
  }
  if (style == TableStyle::csv) return text;
  const char* item = style == TableStyle::markdown ? "- " : "";
  if (!summary.warnings.empty()) text += "\n";
  for (const std::string& warning : summary.warnings) text += fmt::format("{}warning: {}\n", item, warning);
  if (!summary.footer.empty()) text += "\n" + summary.footer;
  return text;
}

}  // namespace lacuna
