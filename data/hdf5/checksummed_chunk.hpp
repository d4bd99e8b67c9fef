// Whole chunks written directly: checksummed here and handed to the library as they go to the file.
//
// The library's own way (chunk cache, filter pipeline) spends a third of the time of a write in its Fletcher-32, which
// takes one 16-bit word at a time. What is written is the same, byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/hdf5/handle.hpp"

namespace lacuna::hdf5 {

/// The checksum of HDF5's fletcher32 filter over an even number of bytes. With big-endian 16-bit words w_1 ... w_n,
///
///   s_1 = sum_i w_i ,   s_2 = sum_i (n - i + 1) w_i   modulo 2^16 - 1 ,   checksum = s_2 2^16 + s_1 ,
///
/// where a multiple of 2^16 - 1 other than 0 is represented by 2^16 - 1.
std::uint32_t fletcher32(const void* data, std::size_t bytes);

/// A slab that is cut by the chunk grid into whole chunks, each of which is one contiguous piece of the slab's values.
bool is_made_of_whole_chunks(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                             std::span<const std::int64_t> chunk);

/// Writes such a slab to a dataset whose one filter is fletcher32 and whose elements are stored as they are in memory;
/// an element has an even number of bytes. `scratch` keeps its memory from call to call.
void write_whole_chunks(const Handle& dataset, std::string_view name, std::int64_t element_bytes,
                        std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                        std::span<const std::int64_t> chunk, const void* values, std::vector<std::byte>& scratch);

}  // namespace lacuna::hdf5
