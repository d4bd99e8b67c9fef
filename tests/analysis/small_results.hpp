// A results file of a few numbers, for tests of what reads results files: the layout of
// experiments/harness/results_file by other code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/hdf5/attribute.hpp"
#include "data/hdf5/dataset.hpp"
#include "data/hdf5/dimension_scale.hpp"
#include "data/hdf5/file.hpp"

namespace lacuna {

class SmallResults {
 public:
  explicit SmallResults(const std::string& file, const std::string& experiment = "attention_error")
      : file_(hdf5::create_file(file)) {
    hdf5::write_attribute(file_, "complete", std::int64_t{1});
    hdf5::write_attribute(file_, "experiment", experiment);
    hdf5::write_attribute(file_, "data_sha256", file);  // another for every file, and outside every comparison
    hdf5::write_attribute(group("/provenance"), "metric_version", "1");
    hdf5::write_attribute(group("/provenance"), "git_revision", file);
    hdf5::write_attribute(group("/provenance/run"), "host", file);
  }
  ~SmallResults() {
    groups_.clear();
    hdf5::close_file(file_, "small results");
  }
  SmallResults(const SmallResults&) = delete;
  SmallResults& operator=(const SmallResults&) = delete;

  const hdf5::Handle& root() const { return file_; }
  hdf5::Handle& group(const std::string& path) {
    if (const auto known = groups_.find(path); known != groups_.end()) return known->second;
    const std::size_t slash = path.rfind('/');
    const std::string name = path.substr(slash + 1);
    return groups_
        .emplace(path,
                 slash == 0 ? hdf5::create_group(file_, name) : hdf5::create_group(group(path.substr(0, slash)), name))
        .first->second;
  }
  /// A dimension scale of the group.
  void dimension(const std::string& path, const std::string& name, const std::vector<std::int64_t>& labels) {
    const hdf5::Handle scale = create(path, name, hdf5::NumberType::i64, {static_cast<std::int64_t>(labels.size())});
    hdf5::write_all(scale, name, hdf5::NumberType::i64, labels.data());
    hdf5::make_scale(scale, name);
  }
  void dimension(const std::string& path, const std::string& name, const std::vector<std::string>& labels) {
    const std::vector<std::int64_t> extents = {static_cast<std::int64_t>(labels.size())};
    hdf5::make_scale(hdf5::create_texts(group(path), name, extents, labels), name);
  }
  void reals(const std::string& path, const std::string& name, const std::vector<std::string>& dimensions,
             const std::vector<double>& values) {
    write(path, name, hdf5::NumberType::f64, dimensions, values.data());
  }
  void integers(const std::string& path, const std::string& name, const std::vector<std::string>& dimensions,
                const std::vector<std::int64_t>& values) {
    write(path, name, hdf5::NumberType::i64, dimensions, values.data());
  }
  void codes(const std::string& path, const std::string& name, const std::vector<std::string>& dimensions,
             const std::vector<std::uint8_t>& values) {
    write(path, name, hdf5::NumberType::u8, dimensions, values.data());
  }

 private:
  hdf5::Handle create(const std::string& path, const std::string& name, hdf5::NumberType type,
                      const std::vector<std::int64_t>& extents) {
    return hdf5::create_dataset(group(path), name, {.type = type, .extents = extents, .chunk = {}});
  }
  void write(const std::string& path, const std::string& name, hdf5::NumberType type,
             const std::vector<std::string>& dimensions, const void* values) {
    std::vector<std::int64_t> extents;
    for (const std::string& dimension : dimensions)
      extents.push_back(hdf5::extents_of(hdf5::open_dataset(group(path), dimension), dimension).front());
    const hdf5::Handle dataset = create(path, name, type, extents);
    hdf5::write_all(dataset, name, type, values);
    hdf5::write_attribute(dataset, "units", "1");
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis)
      hdf5::attach_scale(dataset, hdf5::open_dataset(group(path), dimensions[axis]), static_cast<unsigned>(axis), name);
  }

  hdf5::Handle file_;
  std::map<std::string, hdf5::Handle> groups_;
};

}  // namespace lacuna
