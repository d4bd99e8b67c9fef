// What stands behind the handles of results_file.hpp. Included by the results_file*.cpp only.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "data/hdf5/dataset.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/handle.hpp"
#include "experiments/harness/journal.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/harness/results_file_partial.hpp"

namespace lacuna {

hdf5::NumberType number_type(VariableType type);

/// The product of extents or counts.
std::int64_t cells_of(std::span<const std::int64_t> extents);

/// `wanted` cut to the extents, then halved from the outermost dimension on until a chunk holds at most 64 MiB.
std::vector<std::int64_t> fitted_chunk(std::span<const std::int64_t> wanted, std::span<const std::int64_t> extents,
                                       std::int64_t element_bytes);

struct ResultsVariable::State {
  ResultsFile::State* file = nullptr;  ///< valid as long as the dataset is open
  hdf5::Handle dataset;
  std::string path;  ///< "/path/top_k/bound"
  hdf5::NumberType type = hdf5::NumberType::f64;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> chunk;
  bool deflate = false;
  std::vector<std::byte> scratch;  ///< of write_whole_chunks

  void write(std::span<const std::int64_t> start, std::span<const std::int64_t> count, hdf5::NumberType given,
             const void* values, std::size_t size);
};

struct ResultsGroup::State {
  struct Scale {
    hdf5::Handle dataset;
    std::int64_t size = 0;
  };
  ResultsFile::State* file = nullptr;  ///< valid as long as the group is open
  hdf5::Handle group;
  std::string path;  ///< "/path/top_k"
  std::map<std::string, Scale, std::less<>> scales;

  std::string path_of(std::string_view name) const;
  std::vector<std::int64_t> extents_of(const VariableSpec& spec) const;
  /// Creates a dataset attached to the group's scales, with units, long_name and further attributes.
  hdf5::Handle create(const VariableSpec& spec, const std::vector<std::int64_t>& chunk, bool deflate);
  void describe(const hdf5::Handle& dataset, const VariableSpec& spec) const;
  void write_scale(const Dimension& dimension);
  void write_label(const VariableSpec& spec, hdf5::NumberType type, const void* values, std::size_t size);
};

struct ResultsFile::State {
  State(std::filesystem::path path, bool force, Compression how, std::unique_ptr<Journal> of_run);
  ~State();

  /// Runs something that writes. A failure of the HDF5 library becomes an EnvironmentError that names the file, and
  /// nothing can be written afterwards.
  template <class Write>
  decltype(auto) attempt(const Write& write) {
    if (failed) throw EnvironmentError(fmt::format("{}: an earlier write failed", partial.partial().string()));
    try {
      return write();
    } catch (const hdf5::Hdf5Error& error) {
      failed = true;
      throw EnvironmentError(fmt::format("{}: {}", partial.partial().string(), error.what()));
    }
  }
  /// Closes everything, and throws where closing reports that something could not be written.
  void close();
  /// Writes what a unit of an earlier run wrote.
  void replay(const Slab& slab);

  std::unique_ptr<Journal> journal;  ///< none: nothing is kept of a run that ends early
  PartialFile partial;
  Compression compression;
  bool failed = false;
  hdf5::Handle file;
  std::map<std::string, std::shared_ptr<ResultsGroup::State>, std::less<>> groups;
  std::vector<std::shared_ptr<ResultsVariable::State>> variables;
  std::set<std::string, std::less<>> units;  ///< keys that were asked for
  bool in_unit = false;                      ///< what is written goes to the journal too
};

}  // namespace lacuna
