// The element types of stored tensors, and how they are widened without loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/attention/rows.hpp"

namespace lacuna {

enum class ElementType { f16, bf16, f32, f64 };

Index bytes_of(ElementType type);
std::string_view name_of(ElementType type);  ///< "f16", "bf16", "f32", "f64"

/// Widens elements as stored (little-endian): f16, bf16 and f32 exactly to float, any of the four exactly to double.
/// `stored` holds out.size() elements; f64 cannot become float (our bug).
void widen(ElementType type, const std::byte* stored, std::span<float> out);
void widen(ElementType type, const std::byte* stored, std::span<double> out);

/// Index of the first value that is NaN or whose magnitude is above the largest one allowed, -1 when there is none.
Index first_beyond(std::span<const float> values, double largest);
Index first_beyond(std::span<const double> values, double largest);
/// Index of the first NaN or infinity, -1 when every value is finite.
Index first_not_finite(std::span<const float> values);
Index first_not_finite(std::span<const double> values);

}  // namespace lacuna
