// The tensors of a checkpoint, over all its safetensors files, taken by name as the architecture asks for them.
//
// Headers are read in a guarded child (data/base/guarded_child.hpp), which bounds what a header can cost; the tensors
// are then read in blocks at places that the header's check has found to lie within the file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/mechanism/matrix.hpp"
#include "data/base/file_identity.hpp"
#include "data/base/readable_file.hpp"
#include "data/checkpoint/shards.hpp"
#include "data/trace/safetensors_header.hpp"

namespace lacuna {

/// Every message is an InputError that names file and tensor. Elements are f64, f32, f16 or bf16, widened without loss
/// to double; NaN, an infinity or a magnitude above 1e100 is refused by tensor, row and column.
class CheckpointTensors {
 public:
  /// Reads the headers. EnvironmentError where all matrices and vectors in double would not fit into the memory that is
  /// available.
  explicit CheckpointTensors(const CheckpointFiles& files);

  bool has(const std::string& name) const { return tensors_.contains(name); }
  /// A tensor of shape [rows, columns].
  Matrix matrix(const std::string& name, Index rows, Index columns);
  /// The same of a tensor that is stored as [columns, rows].
  Matrix transposed(const std::string& name, Index rows, Index columns);
  /// A tensor of shape [size].
  std::vector<double> vector(const std::string& name, Index size);

  /// "FILE: tensor 'x' is not read", for tensors that were never asked for; more than eight are counted.
  std::vector<std::string> notes() const;
  /// InputError where a file is not the one whose header was read.
  void check_unchanged() const;

 private:
  struct Shard {
    explicit Shard(const std::string& name) : file(name), identity(identify(name)), content(name) {}
    std::string file;
    FileIdentity identity;
    ReadableFile content;
  };
  struct Place {
    std::size_t shard = 0;
    SafetensorsEntry entry;
    bool was_read = false;
  };

  void add_shard(const std::string& file);
  void check_index(const CheckpointFiles& files) const;
  void check_memory() const;
  std::vector<double> read(const std::string& name, const std::vector<Index>& extents);

  std::string checkpoint_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::map<std::string, Place> tensors_;
};

}  // namespace lacuna
