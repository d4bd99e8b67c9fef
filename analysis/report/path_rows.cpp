#include "analysis/report/path_rows.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace lacuna {

PathRows::PathRows(const ResultsReader& reader, std::string group, const std::string& variable)
    : reader_(reader), group_(std::move(group)) {
  for (ReadDimension& dimension : reader.dimensions(group_ + "/" + variable)) {
    const bool starts_rows = dimension.name == "trial" || dimension.name == "sequence";
    if (own_.empty() && !starts_rows) {
      cells_ *= dimension.size();
      swept_.push_back(std::move(dimension));
    } else {
      rows_ *= dimension.size();
      own_.push_back(std::move(dimension));
    }
  }
}

std::int64_t PathRows::size_of(const std::string& dimension) const {
  for (const ReadDimension& own : own_)
    if (own.name == dimension) return own.size();
  return 1;
}

const std::vector<std::string>& PathRows::labels_of(const std::string& dimension) const {
  for (const ReadDimension& own : own_)
    if (own.name == dimension) return own.labels;
  throw InputError(fmt::format("{} has no dimension '{}'", group_, dimension));
}

std::vector<std::int64_t> PathRows::index_along(const std::string& dimension) const {
  std::vector<std::int64_t> index(static_cast<std::size_t>(rows_), 0);
  std::int64_t inner = 1;
  for (std::size_t d = own_.size(); d-- > 0;) {
    if (own_[d].name == dimension)
      for (std::int64_t row = 0; row < rows_; ++row) index[row] = row / inner % own_[d].size();
    inner *= own_[d].size();
  }
  return index;
}

std::string PathRows::cell_name(std::int64_t cell) const {
  const std::vector<std::int64_t> index = swept_index(cell);
  std::string name;
  for (std::size_t d = 0; d < swept_.size(); ++d)
    name += fmt::format("{}{} = {}", d == 0 ? "" : ", ", swept_[d].name, swept_[d].labels[index[d]]);
  return name;
}

std::vector<std::int64_t> PathRows::swept_index(std::int64_t cell) const {
  std::vector<std::int64_t> index(swept_.size());
  for (std::size_t d = swept_.size(); d-- > 0;) {
    index[d] = cell % swept_[d].size();
    cell /= swept_[d].size();
  }
  return index;
}

std::vector<double> PathRows::read(const std::string& variable, std::int64_t cell) const {
  return read_at(variable, cell, {});
}

std::vector<double> PathRows::read_at(const std::string& variable, std::int64_t cell,
                                      const std::vector<std::int64_t>& place) const {
  const std::string name = group_ + "/" + variable;
  std::vector<std::int64_t> start = swept_index(cell);
  std::vector<std::int64_t> count(start.size(), 1);
  start.insert(start.end(), place.begin(), place.end());
  count.resize(start.size(), 1);
  const std::vector<std::int64_t> extents = reader_.extents(name);
  for (std::size_t d = count.size(); d < extents.size(); ++d) count.push_back(extents[d]);
  start.resize(count.size(), 0);
  return reader_.read(name, start, count);
}

std::vector<double> PathRows::measured(const std::string& variable, std::int64_t cell,
                                       const std::vector<double>& status) const {
  std::vector<double> values = read(variable, cell);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (row_status::is_measured(status[i])) values[kept++] = values[i];
  values.resize(kept);
  return values;
}

std::vector<PathEntry> read_paths(const ResultsReader& reader, Palette& palette) {
  std::vector<PathEntry> paths;
  for (const std::string& name : reader.names("/path")) {
    const std::string group = "/path/" + name;
    paths.push_back({name, palette.series(name, reader.integer_attribute(group, "oracle") != 0),
                     PathRows(reader, group, "status")});
  }
  return paths;
}

std::vector<RowPlace> measured_places(const PathRows& rows, const std::vector<double>& status) {
  const std::vector<std::int64_t> sequence = rows.index_along("sequence");
  const std::int64_t positions = rows.own().back().size();
  std::vector<RowPlace> places;
  for (std::size_t i = 0; i < status.size(); ++i)
    if (row_status::is_measured(status[i]))
      places.push_back({static_cast<std::int32_t>(sequence[i]),
                        static_cast<std::int32_t>(static_cast<std::int64_t>(i) % positions)});
  return places;
}

}  // namespace lacuna
