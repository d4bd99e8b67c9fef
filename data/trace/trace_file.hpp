// A trace file: the queries, keys and values that a real model made, layer by layer, so that a trace larger than memory
// can be used. HDF5 or safetensors, told apart by content.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/attention/problem.hpp"
#include "data/base/file_identity.hpp"
#include "data/trace/trace_facts.hpp"

namespace lacuna {

/// Every reading is done in a forked child (data/base/guarded_child.hpp): no other thread may be inside the HDF5
/// library at that moment.
class TraceFile {
 public:
  /// Reads everything but the data. Throws InputError naming file and dataset for what cannot be used as a trace, and
  /// EnvironmentError when the file cannot be opened.
  explicit TraceFile(std::filesystem::path file);

  const std::filesystem::path& file() const { return file_; }
  const TraceHeader& header() const { return header_; }
  /// "FILE: dataset 'querys' is not read; did you mean 'q'?": what its author may want to know.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The problem of one layer, by index. Throws InputError for a NaN, an infinity or an element above kLargestElement
  /// (naming dataset, layer, head and row), for damaged data, and when the file is no longer the one that was opened.
  AttentionProblem load(Index layer) const;

  /// SHA-256 of the file's bytes.
  std::string sha256() const;

 private:
  std::filesystem::path file_;
  FileIdentity identity_;
  bool is_hdf5_ = false;
  TraceHeader header_;
  std::vector<std::string> notes_;
};

}  // namespace lacuna
