#include "analysis/row_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

/// Dimensions that hold a query's place in its sequence.
bool is_position(const std::string& name) { return name == "query" || name == "position" || name == "judged"; }

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

/// "select_k = 64, window = 4" of those that `belongs` keeps.
template <class Belongs>
std::string name_of(const std::vector<SweptValue>& values, const Belongs& belongs) {
  std::vector<std::string> parts;
  for (const SweptValue& key : values)
    if (belongs(key)) parts.push_back(fmt::format("{} = {}", key.name, key.value));
  return joined(parts);
}

}  // namespace

RowCells::RowCells(const ResultsReader& reader, const std::string& group, const std::string& variable)
    : reader_(reader), group_(group + "/") {
  for (ReadDimension& dimension : reader.dimensions(group_ + variable)) {
    const bool begins = dimension.name == "trial" || dimension.name == "sequence";
    const bool in_row = begins || !row_.empty();
    (in_row ? rows_ : cells_) *= dimension.size();
    (in_row ? row_ : swept_).push_back(std::move(dimension));
  }
  if (!has_dimension("sequence")) throw InputError(fmt::format("{}{} has no dimension 'sequence'", group_, variable));
  find_swept_keys();
}

void RowCells::find_swept_keys() {
  if (swept_.empty()) return;
  const std::vector<std::string> variables = reader_.names(group());
  for (std::size_t d = 0; d < swept_.size(); ++d) {
    const std::string& name = swept_[d].name;
    const bool of_source = reader_.has("/exact") && reader_.has("/exact/" + name);
    swept_keys_.push_back({name, d, swept_[d].labels, of_source});
    for (const std::string& variable : variables)
      if (variable != name && reader_.dimension_names(group_ + variable) == std::vector<std::string>{name})
        swept_keys_.push_back({variable, d, reader_.labels(group_ + variable), of_source});
  }
}

bool RowCells::has(const std::string& variable) const { return reader_.has(group_ + variable); }

std::vector<std::int64_t> RowCells::index_of(std::int64_t cell) const {
  std::vector<std::int64_t> index(swept_.size());
  for (std::size_t d = swept_.size(); d-- > 0;) {
    index[d] = cell % swept_[d].size();
    cell /= swept_[d].size();
  }
  return index;
}

std::vector<double> RowCells::read(const std::string& variable, std::int64_t cell) const {
  return read_at(variable, cell, {});
}

std::vector<double> RowCells::read_at(const std::string& variable, std::int64_t cell,
                                      const std::vector<std::int64_t>& place) const {
  std::vector<std::int64_t> start = index_of(cell);
  start.insert(start.end(), place.begin(), place.end());
  std::vector<std::int64_t> count(start.size(), 1);
  const std::vector<std::int64_t> extents = reader_.extents(group_ + variable);
  for (std::size_t d = count.size(); d < extents.size(); ++d) count.push_back(extents[d]);
  start.resize(count.size(), 0);
  return reader_.read(group_ + variable, start, count);
}

std::vector<SweptValue> RowCells::swept_values(std::int64_t cell) const {
  const std::vector<std::int64_t> index = index_of(cell);
  std::vector<SweptValue> values;
  for (const SweptKey& key : swept_keys_)
    values.push_back({key.name, key.labels[static_cast<std::size_t>(index[key.dimension])], key.of_source});
  return values;
}

std::string RowCells::cell_name(std::int64_t cell) const {
  return name_of(swept_values(cell), [](const SweptValue&) { return true; });
}

std::string RowCells::source_name(std::int64_t cell) const {
  return name_of(swept_values(cell), [](const SweptValue& key) { return key.of_source; });
}

std::string RowCells::path_name(std::int64_t cell) const {
  return name_of(swept_values(cell), [](const SweptValue& key) { return !key.of_source; });
}

std::string RowCells::position_label(std::int64_t cell, std::int64_t query, const std::string& label) const {
  if (!has("query_position")) return label;  // the query's label is its position
  std::vector<std::int64_t> start;
  const std::vector<std::int64_t> index = index_of(cell);
  const std::vector<ReadDimension> dimensions = reader_.dimensions(group_ + "query_position");
  for (std::size_t d = 0; d + 1 < dimensions.size(); ++d)
    for (std::size_t s = 0; s < swept_.size(); ++s)
      if (swept_[s].name == dimensions[d].name) start.push_back(index[s]);
  start.push_back(query);
  if (start.size() != dimensions.size()) throw InputError(group_ + "query_position has dimensions that are not swept");
  const std::vector<std::int64_t> one(start.size(), 1);
  return fmt::format("{}", reader_.read(group_ + "query_position", start, one).front());
}

std::string RowCells::row_place(std::int64_t cell, std::int64_t row) const {
  std::vector<std::string> place;
  for (std::size_t d = row_.size(); d-- > 0;) {
    const ReadDimension& dimension = row_[d];
    const std::int64_t index = row % dimension.size();
    row /= dimension.size();
    if (dimension.size() == 1 && (dimension.name == "sequence" || dimension.name == "trial")) continue;
    const std::string& label = dimension.labels[static_cast<std::size_t>(index)];
    place.push_back(dimension.name == "query" ? position_label(cell, index, label) : label);
  }
  std::reverse(place.begin(), place.end());
  return fmt::format("{}", fmt::join(place, "/"));
}

std::vector<std::int64_t> RowCells::index_along(const std::string& name) const {
  std::vector<std::int64_t> index(static_cast<std::size_t>(rows_), 0);
  std::int64_t stride = 1;
  for (std::size_t d = row_.size(); d-- > 0; stride *= row_[d].size()) {
    if (row_[d].name != name) continue;
    for (std::size_t row = 0; row < index.size(); ++row)
      index[row] = static_cast<std::int64_t>(row) / stride % row_[d].size();
  }
  return index;
}

std::vector<RowPlace> RowCells::places() const {
  std::vector<RowPlace> places(static_cast<std::size_t>(rows_));
  for (const ReadDimension& dimension : row_) {
    const bool is_place = is_position(dimension.name) || dimension.name == "offset" || dimension.name == "step";
    if (dimension.name != "sequence" && !is_place) continue;
    const std::vector<std::int64_t> index = index_along(dimension.name);
    for (std::size_t row = 0; row < places.size(); ++row)
      (dimension.name == "sequence" ? places[row].sequence : places[row].position) =
          static_cast<std::int32_t>(index[row]);
  }
  return places;
}

bool RowCells::has_dimension(const std::string& name) const {
  return std::any_of(row_.begin(), row_.end(), [&](const ReadDimension& d) { return d.name == name; });
}

std::int64_t RowCells::size_of(const std::string& name) const {
  for (const ReadDimension& dimension : row_)
    if (dimension.name == name) return dimension.size();
  return 0;
}

const std::vector<std::string>& RowCells::labels_of(const std::string& name) const {
  for (const ReadDimension& dimension : row_)
    if (dimension.name == name) return dimension.labels;
  throw InputError(fmt::format("{} has no dimension '{}'", group_, name));
}

std::vector<RowGroup> RowCells::group_by(const std::vector<std::string>& dimensions) const {
  std::vector<std::size_t> number(static_cast<std::size_t>(rows_), 0);
  std::vector<RowGroup> groups(1);
  for (const std::string& name : dimensions) {
    const auto dimension =
        std::find_if(row_.begin(), row_.end(), [&](const ReadDimension& d) { return d.name == name; });
    LACUNA_ASSERT(dimension != row_.end());
    const std::vector<std::int64_t> index = index_along(name);
    const auto size = static_cast<std::size_t>(dimension->size());
    for (std::size_t row = 0; row < number.size(); ++row)
      number[row] = number[row] * size + static_cast<std::size_t>(index[row]);
    std::vector<RowGroup> finer;
    for (const RowGroup& group : groups)
      for (const std::string& label : dimension->labels) {
        finer.push_back(group);
        finer.back().labels.push_back(label);
      }
    groups = std::move(finer);
  }
  for (std::size_t row = 0; row < number.size(); ++row) groups[number[row]].rows.push_back(row);
  return groups;
}

}  // namespace lacuna
