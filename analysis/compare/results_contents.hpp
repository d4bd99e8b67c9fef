// Everything that a results file holds, by path.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "data/hdf5/dataset.hpp"
#include "data/hdf5/handle.hpp"

namespace lacuna {

/// Numbers, a text, texts, or something that cannot be compared (compounds, references, ...).
struct AttributeContent {
  std::vector<std::int64_t> extents;  ///< none of a single value
  std::variant<std::monostate, std::string, std::vector<double>, std::vector<std::string>> value;

  bool can_be_compared() const { return !std::holds_alternative<std::monostate>(value); }
};
/// "'nat'", "3", "[0, 1]", "[2, 2] [0, 1, 2, 3]", for messages.
std::string attribute_text(const AttributeContent& attribute);

/// "[3, 6]"
std::string list_text(const std::vector<std::int64_t>& numbers);
std::string list_text(const std::vector<std::string>& names);

struct DatasetContent {
  hdf5::ResultType type = hdf5::ResultType::other;
  std::vector<std::int64_t> extents;
  std::vector<std::string> dimensions;  ///< names of the scales attached; empty where none is
  bool is_coordinate = false;           ///< a dimension scale
};

struct ResultsContents {
  std::map<std::string, DatasetContent> datasets;  ///< "/path/top_k/bound"
  /// By object and name: {"/path/top_k/bound", {{"units", "1"}, ...}}; of the root as "/". Without those with which
  /// HDF5 and netCDF-4 keep dimensions.
  std::map<std::string, std::map<std::string, AttributeContent>> attributes;
};

/// Of an open results file. Throws InputError for links and types that results files do not hold.
ResultsContents read_contents(const hdf5::Handle& file);

}  // namespace lacuna
