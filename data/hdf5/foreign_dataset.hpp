// A dataset of a file that others wrote: what it claims is checked before any of it is read.
//
// Refused: links of every kind (soft, external, user-defined), external storage, virtual datasets, filters other than
// the library's own, chunks that were never written, data that would lie beyond the end of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/hdf5/handle.hpp"

namespace lacuna::hdf5 {

/// How one element is stored.
struct ElementLayout {
  enum class Kind { ieee_float, integer, other };
  Kind kind = Kind::other;
  std::int64_t bytes = 0;
  bool is_signed = false;          ///< of an integer
  bool big_endian = false;         ///< otherwise little-endian
  std::int64_t exponent_bits = 0;  ///< of a float: 5 (f16), 8 (bf16, f32), 11 (f64)
  std::string text;                ///< "float16", "uint16", "string", "compound": for messages
};

struct ForeignDataset {
  Handle handle;
  std::string name;
  std::vector<std::int64_t> extents;
  ElementLayout element;
};

/// Opens a dataset in the root group. Nothing under the name: nullopt. Throws InputError "dataset 'q' ..." for what is
/// refused, and Hdf5Error for what the library cannot read. `file_bytes` is the size of the file.
std::optional<ForeignDataset> open_foreign_dataset(const Handle& file, const std::string& name,
                                                   std::int64_t file_bytes);

/// Reads the hyperslab [start, start + count), dense and row-major, elements as stored (byte order included).
void read_stored_slab(const ForeignDataset& dataset, std::span<const std::int64_t> start,
                      std::span<const std::int64_t> count, void* values);
/// The whole of a small integer dataset, in row-major order. The element must be an integer; a value above the range of
/// int64 is an InputError that names it.
std::vector<std::int64_t> read_integers(const ForeignDataset& dataset);

}  // namespace lacuna::hdf5
