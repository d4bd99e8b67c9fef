#include "analysis/report/provenance.hpp"

#include <fmt/format.h>

#include "analysis/report/number_text.hpp"
#include "analysis/report/paths.hpp"

namespace lacuna {
namespace {

constexpr std::array<const char*, 6> kMeanings = {
    "ok", "not run", "failed", "bound violated", "no visible key", "error below its own error radius"};
constexpr std::array<std::size_t, 6> kAlarmingFirst = {3, 2, 1, 4, 5, 0};

std::string row(const std::string& name, const std::string& value) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(name), escape_markup(value));
}

}  // namespace

std::int64_t StatusCounts::rows() const {
  std::int64_t sum = 0;
  for (const std::int64_t count : of) sum += count;
  return sum;
}

StatusCounts count_status(const ResultsReader& reader) {
  StatusCounts counts;
  if (!reader.has("/path")) return counts;
  for (const std::string& name : reader.names("/path")) {
    if (!reader.has("/path/" + name + "/status")) continue;
    const RowCells rows(reader, "/path/" + name, "status");
    for (std::int64_t cell = 0; cell < rows.cells(); ++cell)
      for (const double code : rows.read("status", cell))
        if (code >= 0 && code < 6) ++counts.of[static_cast<std::size_t>(code)];
  }
  return counts;
}

std::string question_of(const ResultsReader& reader) {
  const std::string text = reader.text("/provenance/parameters_toml");
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  if (line.empty() || line[0] != '#') return "";
  line.erase(0, line.find_first_not_of("# \t"));
  if (line.starts_with("Question:")) line.erase(0, line.find_first_not_of(" \t", 9));
  if (!line.empty() && line[0] >= 'a' && line[0] <= 'z') line[0] = static_cast<char>(line[0] - 'a' + 'A');
  return line;
}

std::string provenance_markup(const ResultsReader& reader, const StatusCounts& status) {
  std::string text;
  if (status.rows() > 0) {
    text += "<table><caption class=\"unseen\">rows by status</caption>\n";
    for (const std::size_t code : kAlarmingFirst) text += row(kMeanings[code], counted(status.of[code], "row"));
    text += "</table>\n";
  }
  text += "<table><caption class=\"unseen\">facts of the run</caption>\n";
  for (const char* name : {"title", "experiment", "data_sha256"}) text += row(name, reader.text_attribute("/", name));
  for (const auto& [name, value] : reader.attributes("/provenance")) text += row(name, value);
  for (const auto& [name, value] : reader.attributes("/provenance/run")) text += row(name, value);
  text += "</table>\n";
  text += fmt::format("<details><summary>Parameter file</summary><pre tabindex=\"0\">{}</pre></details>\n",
                      escape_markup(reader.text("/provenance/parameters_toml")));
  text += fmt::format("<details><summary>All parameters, resolved</summary><pre tabindex=\"0\">{}</pre></details>\n",
                      escape_markup(reader.text("/provenance/parameters_resolved")));
  return text;
}

}  // namespace lacuna
