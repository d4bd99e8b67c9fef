#include "data/hdf5/checksummed_chunk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/error.hpp"
#include "data/hdf5/api.hpp"
#include "data/hdf5/error.hpp"

namespace lacuna::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little, "values are stored as they are in memory");

constexpr std::size_t block_words = 256;  // 256 * 257 / 2 * 65535 < 2^32: the sums of a block fit 32 bits
constexpr std::uint64_t modulus = 65535;

}  // namespace

std::uint32_t fletcher32(const void* data, std::size_t bytes) {
  LACUNA_ASSERT(bytes % 2 == 0);
  // The sums of the little-endian words: swapping the bytes of a word multiplies it by 2^8 modulo 2^16 - 1.
  std::uint64_t sum_1 = 0;
  std::uint64_t sum_2 = 0;
  bool is_zero = true;
  const char* at = static_cast<const char*>(data);
  for (std::size_t left = bytes / 2; left > 0;) {
    const std::size_t count = std::min(left, block_words);
    std::array<std::uint16_t, block_words> words;
    std::memcpy(words.data(), at, 2 * count);
    std::uint32_t block_1 = 0;
    std::uint32_t block_2 = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      block_1 += words[i];
      block_2 += (static_cast<std::uint32_t>(count) - i) * words[i];
    }
    is_zero = is_zero && block_1 == 0;
    sum_2 = (sum_2 + block_2 + count * sum_1) % modulus;
    sum_1 = (sum_1 + block_1) % modulus;
    at += 2 * count;
    left -= count;
  }
  const auto represented = [&](std::uint64_t sum) -> std::uint32_t {
    const std::uint64_t swapped = sum * 256 % modulus;
    return static_cast<std::uint32_t>(swapped == 0 && !is_zero ? modulus : swapped);
  };
  return represented(sum_2) << 16 | represented(sum_1);
}

bool is_made_of_whole_chunks(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                             std::span<const std::int64_t> chunk) {
  bool is_inner = true;  // so far, from the innermost dimension on, the slab is as wide as the chunk
  for (std::size_t i = chunk.size(); i-- > 0;) {
    if (start[i] % chunk[i] != 0 || count[i] % chunk[i] != 0 || count[i] == 0) return false;
    if (!is_inner && chunk[i] != 1) return false;
    is_inner = is_inner && count[i] == chunk[i];
  }
  return !chunk.empty();
}

void write_whole_chunks(const Handle& dataset, std::string_view name, std::int64_t element_bytes,
                        std::span<const std::int64_t> start, std::span<const std::int64_t> count,
                        std::span<const std::int64_t> chunk, const void* values, std::vector<std::byte>& scratch) {
  auto chunk_bytes = static_cast<std::size_t>(element_bytes);
  for (const std::int64_t extent : chunk) chunk_bytes *= static_cast<std::size_t>(extent);
  scratch.resize(chunk_bytes + sizeof(std::uint32_t));

  std::vector<hsize_t> offset(start.begin(), start.end());
  const std::byte* at = static_cast<const std::byte*>(values);
  for (bool done = false; !done; at += chunk_bytes) {
    const std::uint32_t checksum = fletcher32(at, chunk_bytes);
    std::memcpy(scratch.data(), at, chunk_bytes);
    std::memcpy(scratch.data() + chunk_bytes, &checksum, sizeof checksum);
    checked(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, offset.data(), scratch.size(), scratch.data()), "write", name);
    done = true;
    for (std::size_t i = chunk.size(); done && i-- > 0;) {  // the next chunk in row-major order
      offset[i] += static_cast<hsize_t>(chunk[i]);
      done = offset[i] == static_cast<hsize_t>(start[i] + count[i]);
      if (done) offset[i] = static_cast<hsize_t>(start[i]);
    }
  }
}

}  // namespace lacuna::hdf5
