#include "analysis/report/report.hpp"

#include <fmt/format.h>

#include "analysis/naming_file.hpp"
#include "analysis/report/figure.hpp"
#include "analysis/report/number_text.hpp"
#include "analysis/report/page.hpp"
#include "analysis/report/path_points.hpp"
#include "analysis/report/provenance.hpp"
#include "analysis/results_reader.hpp"

namespace lacuna {
namespace {

/// "202,752 rows: no bound violated, none failed. Best within 64 keys: streaming, window = 60 (median error 0.143)."
std::string verdict(const ReportInput& input, const StatusCounts& status) {
  if (input.experiment == "bound_audit")
    return "An audit has cases, not rows: its tables are those of summarize_results, and this page has where it comes "
           "from.";
  if (status.rows() == 0) return "Nothing in this file is judged row by row: no bound, no failure.";
  std::string text = fmt::format(
      "{}: {}, {}{}.", counted(status.rows(), "row"),
      status.violations() == 0 ? "no bound is violated" : counted(status.violations(), "bound") + " violated",
      status.failures() == 0 ? "none failed" : fmt::format("{} failed", status.failures()),
      status.of[1] > 0 ? fmt::format(", {} not run", brief_number(static_cast<double>(status.of[1]))) : "");
  if (input.experiment != "attention_error") return text;
  const std::vector<PathPoint> points = path_points(input.reader, input.palette);
  if (source_is_swept(points)) return text;
  std::string best;
  const Reads reads = budgeted(points);
  for (const double budget : round_budgets(points, reads))
    if (const auto point = best_within(points, reads, budget, false))
      best += fmt::format("{}within {} {} ({})", best.empty() ? "" : "; ", budget_text(reads, budget), point->name(),
                          brief_number(point->median.value));
  return best.empty() ? text : fmt::format("{} Smallest median error of a path that is no oracle: {}.", text, best);
}

Section section(const std::filesystem::path& file, const ResultsReader& reader, Palette& palette) {
  const ReportInput input{reader, reader.text_attribute("/", "experiment"), palette};
  const StatusCounts status = count_status(reader);
  Section section;
  section.name = file.filename().string();
  section.title = reader.text_attribute("/", "title");
  section.question = question_of(reader);
  section.is_alarming = status.violations() + status.failures() > 0;
  for (const FigureKind& kind : FigureRegistry::instance().kinds())
    if (kind.applies(input)) section.figures.emplace_back(kind.name, kind.make(input));
  section.verdict = verdict(input, status);
  section.provenance = provenance_markup(reader, status);
  return section;
}

}  // namespace

std::string make_report(const std::vector<std::filesystem::path>& files) {
  Palette palette;
  std::vector<Section> sections;
  for (const std::filesystem::path& file : files) {
    const ResultsReader reader(file);
    sections.push_back(naming_file(file, [&] { return section(file, reader, palette); }));
  }
  return html_page(sections);
}

}  // namespace lacuna
