// A results file, read: groups, named dimensions, labels, and variables a slab at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/hdf5/handle.hpp"

namespace lacuna {

/// A dimension as the file names it: labels as text, whatever their type.
struct ReadDimension {
  std::string name;
  std::vector<std::string> labels;
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

/// Opens a complete results file. Throws EnvironmentError when there is no such file or it cannot be read, InputError
/// when it is not HDF5 or not a complete results file.
hdf5::Handle open_results(const std::filesystem::path& file);
/// The dimensions of a variable, outermost first. Throws InputError where one has no name or no scale beside the
/// variable.
std::vector<ReadDimension> read_dimensions(const hdf5::Handle& file, const std::string& variable);

class ResultsReader {
 public:
  /// Throws as open_results does.
  explicit ResultsReader(const std::filesystem::path& file);
  ~ResultsReader();
  ResultsReader(const ResultsReader&) = delete;
  ResultsReader& operator=(const ResultsReader&) = delete;

  /// Names in a group in the order in which they were made: "/path" gives the paths as the study lists them.
  std::vector<std::string> names(const std::string& group) const;
  bool has(const std::string& name) const;
  /// The dimensions of a variable, outermost first.
  std::vector<ReadDimension> dimensions(const std::string& variable) const;
  /// Their names alone; empty where a dimension has none, none at all of a scale.
  std::vector<std::string> dimension_names(const std::string& variable) const;
  /// The values of a variable in one dimension, as text.
  std::vector<std::string> labels(const std::string& variable) const;
  /// The extents of a variable, outermost first.
  std::vector<std::int64_t> extents(const std::string& variable) const;
  /// Values as doubles, row-major; start and count per dimension.
  std::vector<double> read(const std::string& variable, const std::vector<std::int64_t>& start,
                           const std::vector<std::int64_t>& count) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;
  /// Every attribute of a group, name and value as text, sorted by name; of arrays the name alone.
  std::vector<std::pair<std::string, std::string>> attributes(const std::string& group) const;
  /// The value of a text attribute of the group; empty where there is none.
  std::string text_attribute(const std::string& group, const std::string& name) const;
  /// A scalar text, such as /provenance/parameters_toml.
  std::string text(const std::string& dataset) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
