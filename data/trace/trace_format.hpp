// One way to store a trace. The readers run in a guarded child (data/base/guarded_child.hpp): they may crash.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/base/guarded_child.hpp"
#include "data/trace/trace_facts.hpp"
#include "data/trace/unread_names.hpp"

namespace lacuna {

/// Every function throws InputError without the file's name, naming the dataset.
class TraceFormat {
 public:
  virtual ~TraceFormat() = default;
  virtual StoredTensors tensors() = 0;
  /// `sizes`: what the lengths of the labels must go with, so that no more is read.
  virtual StoredLabels labels(const TraceSizes& sizes) = 0;
  /// What stands in the root of the file, read or not.
  virtual NamesInFile names() = 0;
  /// Sends one tensor of one layer, by index: [head, row, width] or [row, width], dense, row-major, elements as stored,
  /// little-endian.
  virtual void send(std::string_view tensor, Index layer, ChildOutput& output) = 0;
};

std::unique_ptr<TraceFormat> open_hdf5_trace(const std::string& file);
std::unique_ptr<TraceFormat> open_safetensors_trace(const std::string& file);

}  // namespace lacuna
