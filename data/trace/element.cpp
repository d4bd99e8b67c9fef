#include "data/trace/element.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace lacuna {
namespace {

static_assert(std::endian::native == std::endian::little, "stored elements are little-endian");

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Moves exponent and mantissa into place and scales by 2^112, the difference of the exponent biases (127 - 15), which
/// is exact for subnormals too; an all-ones exponent stays all ones.
float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = (bits & 0x7FFFU) << 13;
  const std::uint32_t scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::uint32_t all_ones = (bits & 0x7C00U) == 0x7C00U ? 0x7F800000U : 0U;
  return std::bit_cast<float>(sign | scaled | all_ones);
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <class T>
void widen_to(ElementType type, const std::byte* stored, std::span<T> out) {
  const std::size_t size = out.size();
  switch (type) {
    case ElementType::f16:
      for (std::size_t i = 0; i < size; ++i) out[i] = from_f16(load<std::uint16_t>(stored + 2 * i));
      return;
    case ElementType::bf16:
      for (std::size_t i = 0; i < size; ++i) out[i] = from_bf16(load<std::uint16_t>(stored + 2 * i));
      return;
    case ElementType::f32:
      for (std::size_t i = 0; i < size; ++i) out[i] = load<float>(stored + 4 * i);
      return;
    case ElementType::f64:
      if constexpr (sizeof(T) == sizeof(double)) {
        std::memcpy(out.data(), stored, out.size_bytes());
        return;
      }
  }
  throw InternalError("stored elements are widened, never narrowed");
}

template <class T>
Index first_above(std::span<const T> values, T largest) {
  constexpr std::size_t block = 4096;
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    const std::span<const T> part = values.subspan(begin, std::min(block, values.size() - begin));
    unsigned good = 1;  // without a branch, so that the loop is a vector loop
    for (const T value : part) good &= std::abs(value) <= largest ? 1U : 0U;
    if (good == 1) continue;
    for (std::size_t i = 0; i < part.size(); ++i)
      if (!(std::abs(part[i]) <= largest)) return static_cast<Index>(begin + i);
  }
  return -1;
}

}  // namespace

Index bytes_of(ElementType type) {
  if (type == ElementType::f64) return 8;
  return type == ElementType::f32 ? 4 : 2;
}

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return "f16";
    case ElementType::bf16:
      return "bf16";
    case ElementType::f32:
      return "f32";
    case ElementType::f64:
      return "f64";
  }
  return "?";
}

void widen(ElementType type, const std::byte* stored, std::span<float> out) { widen_to(type, stored, out); }
void widen(ElementType type, const std::byte* stored, std::span<double> out) { widen_to(type, stored, out); }

Index first_beyond(std::span<const float> values, double largest) {
  const double representable = std::min<double>(largest, std::numeric_limits<float>::max());
  return first_above(values, static_cast<float>(representable));
}
Index first_beyond(std::span<const double> values, double largest) { return first_above(values, largest); }

Index first_not_finite(std::span<const float> values) { return first_above(values, std::numeric_limits<float>::max()); }
Index first_not_finite(std::span<const double> values) {
  return first_above(values, std::numeric_limits<double>::max());
}

}  // namespace lacuna
