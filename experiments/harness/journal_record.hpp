// Records: what a journal's frames hold, one behind the other. A unit of work begins, writes slabs of variables, ends.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/hdf5/dataset.hpp"

namespace lacuna {

/// A dense, row-major block of a variable's values, as it was written.
struct Slab {
  std::string path;  ///< "/path/top_k/bound"
  hdf5::NumberType type = hdf5::NumberType::f64;
  std::vector<std::int64_t> start;  ///< [rank]
  std::vector<std::int64_t> count;  ///< [rank]
  std::string_view values;          ///< bytes of count[0] * count[1] * ... values
};

void append_unit_begin(std::string& records, std::string_view key);
void append_slab(std::string& records, std::string_view path, hdf5::NumberType type,
                 std::span<const std::int64_t> start, std::span<const std::int64_t> count, std::string_view values);
void append_unit_end(std::string& records);
/// All units ended: the results are complete and have this digest.
void append_seal(std::string& records, std::string_view data_sha256);

/// What is called for each record; `end` of a position is the offset behind the record.
struct RecordVisitor {
  std::function<void(std::string_view key, std::size_t end)> unit_begin;
  std::function<void(const Slab& slab)> slab;
  std::function<void(std::size_t end)> unit_end;
  std::function<void(std::string_view data_sha256)> seal;
};

/// False when the bytes are not whole records.
bool visit_records(std::string_view records, const RecordVisitor& visitor);

}  // namespace lacuna
