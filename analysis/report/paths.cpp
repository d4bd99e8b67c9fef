#include "analysis/report/paths.hpp"

namespace lacuna {
namespace {

template <class T>
std::vector<T> only_measured(std::vector<T> values, const std::vector<double>& status) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (row_status::is_measured(status[i])) values[kept++] = values[i];
  values.resize(kept);
  return values;
}

}  // namespace

std::vector<PathEntry> read_paths(const ResultsReader& reader, Palette& palette) {
  std::vector<PathEntry> paths;
  for (const std::string& name : reader.names("/path")) {
    const std::string group = "/path/" + name;
    paths.push_back({name, group, palette.series(name, reader.integer_attribute(group, "oracle") != 0),
                     RowCells(reader, group, "status")});
  }
  return paths;
}

std::vector<double> measured(const RowCells& rows, const std::string& variable, std::int64_t cell,
                             const std::vector<double>& status) {
  return only_measured(rows.read(variable, cell), status);
}

std::vector<RowPlace> measured_places(const RowCells& rows, const std::vector<double>& status) {
  return only_measured(rows.places(), status);
}

}  // namespace lacuna
