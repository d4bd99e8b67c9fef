// Stored numbers are little-endian; two four-bit codes share a byte, the even index in the low nibble.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#include "core/attention/rows.hpp"

namespace lacuna {

static_assert(std::endian::native == std::endian::little, "stored rows are little-endian, and copied as they are");

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void store(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof(T));
}

/// Bytes of `count` codes.
template <class Element>
constexpr Index code_bytes(Index count) {
  return (count * Element::bits + 7) / 8;
}

/// Code i of a run of codes.
template <class Element>
typename Element::Code load_code(const std::byte* codes, Index i) {
  using Code = typename Element::Code;
  if constexpr (Element::bits == 4)
    return static_cast<Code>(static_cast<unsigned>(codes[i / 2]) >> (i % 2 * 4) & 0xF);
  else
    return load<Code>(codes + i * static_cast<Index>(sizeof(Code)));
}

template <class Element>
void store_code(typename Element::Code code, std::byte* codes, Index i) {
  if constexpr (Element::bits == 4) {
    const unsigned shift = i % 2 == 0 ? 0 : 4;
    codes[i / 2] = static_cast<std::byte>((static_cast<unsigned>(codes[i / 2]) & 0xF0U >> shift) |
                                          static_cast<unsigned>(code) << shift);
  } else {
    store(code, codes + i * static_cast<Index>(sizeof(code)));
  }
}

}  // namespace lacuna
