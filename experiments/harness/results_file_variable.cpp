// Variables of a results file: how they are chunked, and how slabs are written.
#include <algorithm>

#include "core/base/error.hpp"
#include "data/hdf5/checksummed_chunk.hpp"
#include "experiments/harness/results_file_state.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t max_chunk_bytes = std::int64_t{64} << 20;

}  // namespace

std::int64_t cells_of(std::span<const std::int64_t> extents) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : extents) LACUNA_ASSERT(!__builtin_mul_overflow(cells, extent, &cells));
  return cells;
}

hdf5::NumberType number_type(VariableType type) {
  if (type == VariableType::f64) return hdf5::NumberType::f64;
  return type == VariableType::i64 ? hdf5::NumberType::i64 : hdf5::NumberType::u8;
}

std::vector<std::int64_t> fitted_chunk(std::span<const std::int64_t> wanted, std::span<const std::int64_t> extents,
                                       std::int64_t element_bytes) {
  LACUNA_ASSERT(wanted.size() == extents.size());
  std::vector<std::int64_t> chunk(wanted.size());
  for (std::size_t i = 0; i < chunk.size(); ++i)
    chunk[i] = std::clamp<std::int64_t>(wanted[i], 1, std::max<std::int64_t>(extents[i], 1));
  for (std::int64_t& extent : chunk)
    while (extent > 1 && cells_of(chunk) > max_chunk_bytes / element_bytes) extent = (extent + 1) / 2;
  return chunk;
}

void ResultsVariable::State::write(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                                   hdf5::NumberType given, const void* values, std::size_t size) {
  LACUNA_ASSERT(dataset.is_open() && given == type);
  LACUNA_ASSERT(start.size() == extents.size() && count.size() == extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i)
    LACUNA_ASSERT(start[i] >= 0 && count[i] >= 0 && start[i] <= extents[i] && count[i] <= extents[i] - start[i]);
  LACUNA_ASSERT(cells_of(count) == static_cast<std::int64_t>(size));
  if (size == 0) return;
  file->attempt([&] {
    const std::int64_t element_bytes = hdf5::bytes_of(type);
    if (!deflate && element_bytes % 2 == 0 && hdf5::is_made_of_whole_chunks(start, count, chunk))
      hdf5::write_whole_chunks(dataset, path, element_bytes, start, count, chunk, values, scratch);
    else
      hdf5::write_slab(dataset, path, type, start, count, values);
    if (file->in_unit)
      file->journal->slab(path, type, start, count,
                          {static_cast<const char*>(values), size * static_cast<std::size_t>(element_bytes)});
  });
}

void ResultsVariable::write(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                            std::span<const double> values) {
  state_->write(start, count, hdf5::NumberType::f64, values.data(), values.size());
}

void ResultsVariable::write(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                            std::span<const std::int64_t> values) {
  state_->write(start, count, hdf5::NumberType::i64, values.data(), values.size());
}

void ResultsVariable::write(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                            std::span<const std::uint8_t> values) {
  state_->write(start, count, hdf5::NumberType::u8, values.data(), values.size());
}

}  // namespace lacuna
