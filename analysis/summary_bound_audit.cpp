// The summary of bound_audit: a line per bound and certificate on its worst cases, and one per guarantee and population
// on how often it was false.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "analysis/statistics/quantile.hpp"
#include "analysis/summary_of_kind.hpp"

namespace lacuna {
namespace {

std::string whole(double x) { return fmt::format("{:.0f}", x); }
std::string nine_digits(double x) { return fmt::format("{:.9f}", x); }
std::string share(double x) { return fmt::format("{:.5f}", x); }

class AuditGroup {
 public:
  AuditGroup(const ResultsReader& reader, const std::string& name)
      : reader_(reader), group_("/audit/" + name + "/"), cases_(reader.dimensions(group_ + "status").front()) {}

  const std::vector<std::string>& cases() const { return cases_.labels; }
  bool is_guarantee() const { return reader_.has(group_ + "violations"); }
  std::vector<double> read(const std::string& variable) const {
    return reader_.read(group_ + variable, {0}, {cases_.size()});
  }
  std::int64_t violated() const { return std::ranges::count(read("status"), row_status::bound_violated); }

 private:
  const ResultsReader& reader_;
  std::string group_;
  ReadDimension cases_;
};

Table search_table() {
  using enum TableColumn::Detail;
  return {.title = "the worst instances that a search found",
          .columns = {{.name = "bound or certificate", .left = true},
                      {.name = "cases", .format = whole},
                      {.name = "violated", .format = whole},
                      {.name = "tightest", .format = nine_digits},
                      {.name = "median case", .format = nine_digits},
                      {.name = "omitted mass"},
                      {.name = "keys", .format = whole},
                      {.name = "case", .format = whole},
                      {.name = "evaluations", .format = whole, .detail = full_only}},
          .rows = {}};
}

void add_search(const AuditGroup& group, const std::string& name, Table& table) {
  const std::vector<double> ratio = group.read("ratio");  // NaN: a case without an instance that says something
  std::vector<double> found;
  std::ranges::copy_if(ratio, std::back_inserter(found), [](double x) { return !std::isnan(x); });
  const std::vector<double> evaluations = group.read("evaluations");
  double all = 0;
  for (const double count : evaluations) all += count;
  std::vector<TableCell> row = {name, static_cast<double>(ratio.size()), static_cast<double>(group.violated())};
  if (found.empty()) {
    row.insert(row.end(), 5, TableCell(std::numeric_limits<double>::quiet_NaN()));
  } else {
    const double tightest = *std::ranges::max_element(found);
    const auto worst = std::ranges::find(ratio, tightest) - ratio.begin();
    row.insert(row.end(), {tightest, quantile(found, 0.5), group.read("omitted_mass")[worst], group.read("keys")[worst],
                           static_cast<double>(worst)});
  }
  row.emplace_back(all);
  table.rows.push_back(std::move(row));
}

Table coverage_table() {
  return {.title = "how often probabilistic guarantees were false",
          .columns = {{.name = "guarantee", .left = true},
                      {.name = "scores", .left = true},
                      {.name = "false", .format = whole},
                      {.name = "rate from", .format = share},
                      {.name = "to", .format = share},
                      {.name = "allowed", .format = share},
                      {.name = "omitted mass"},
                      {.name = "median bound"}},
          .rows = {}};
}

void add_coverage(const AuditGroup& group, const std::string& name, Table& table) {
  const std::vector<double> violations = group.read("violations"), lower = group.read("rate_lower"),
                            upper = group.read("rate_upper"), mass = group.read("omitted_mass"),
                            median = group.read("median_bound"), allowed = group.read("probability");
  for (std::size_t i = 0; i < violations.size(); ++i)
    table.rows.push_back({name, group.cases()[i], violations[i], lower[i], upper[i], allowed[i], mass[i], median[i]});
}

}  // namespace

Summary summarize_bound_audit(const ResultsReader& reader) {
  Summary summary;
  Table searches = search_table();
  Table coverages = coverage_table();
  for (const std::string& name : reader.names("/audit")) {
    const AuditGroup group(reader, name);
    summary.violations += group.violated();
    if (group.is_guarantee())
      add_coverage(group, name, coverages);
    else
      add_search(group, name, searches);
  }
  if (!searches.rows.empty()) summary.tables.push_back(searches);
  if (!coverages.rows.empty()) summary.tables.push_back(coverages);
  summary.footer = fmt::format(
      "tightest: error / bound, or mass / certificate, of the worst instance of all cases: 1 is attained, more is "
      "false "
      "where it\nis beyond the rounding of what was measured. from, to: Clopper-Pearson interval of the rate at the "
      "study's confidence,\naudit.confidence (0.999 by default). {} case(s) violate a bound, certificate or "
      "guarantee\n",
      summary.violations);
  return summary;
}

}  // namespace lacuna
