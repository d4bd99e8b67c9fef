// Datasets of the types that results files hold: f64, i64, u8, and texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/hdf5/handle.hpp"

namespace lacuna::hdf5 {

enum class NumberType { f64, i64, u8 };
std::int64_t bytes_of(NumberType type);

struct DatasetSpec {
  NumberType type = NumberType::f64;
  std::vector<std::int64_t> extents;  ///< outermost first; empty = a scalar
  std::vector<std::int64_t> chunk;    ///< extents of one chunk, each at least 1; empty = contiguous
  bool deflate = false;               ///< shuffle and deflate (level 1) before the checksum; chunked data only
};

/// Creates a dataset without times, little-endian, filled with NaN (f64) or 0. Chunks carry a Fletcher-32 checksum.
Handle create_dataset(const Handle& parent, const std::string& name, const DatasetSpec& spec);
/// Creates a dataset of variable-length UTF-8 strings, contiguous, and writes it; `extents` empty = a scalar.
Handle create_texts(const Handle& parent, const std::string& name, std::span<const std::int64_t> extents,
                    std::span<const std::string> values);

/// Writes the hyperslab [start, start + count) from dense row-major values; `name` is for messages.
void write_slab(const Handle& dataset, std::string_view name, NumberType type, std::span<const std::int64_t> start,
                std::span<const std::int64_t> count, const void* values);
/// Writes the whole dataset.
void write_all(const Handle& dataset, std::string_view name, NumberType type, const void* values);

/// Reads the hyperslab [start, start + count) into dense row-major values.
void read_slab(const Handle& dataset, std::string_view name, NumberType type, std::span<const std::int64_t> start,
               std::span<const std::int64_t> count, void* values);
/// Reads `values.size()` texts from index `start` of a dataset of strings of one dimension (or none: a scalar).
void read_texts(const Handle& dataset, std::string_view name, std::int64_t start, std::span<std::string> values);

/// Outermost first; empty for a scalar. Throws InputError for a null dataspace.
std::vector<std::int64_t> extents_of(const Handle& dataset, std::string_view name);

/// What the elements of a dataset are, among what results files hold.
enum class ResultType { f64, i64, u8, text, other };
ResultType result_type_of(const Handle& dataset, std::string_view name);

}  // namespace lacuna::hdf5
