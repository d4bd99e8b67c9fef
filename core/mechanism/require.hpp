// What a mechanism asks of its configuration and weights. Each throws with a sentence that names the field.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/attention/rows.hpp"
#include "core/mechanism/matrix.hpp"
#include "core/mechanism/rope.hpp"

namespace lacuna {

struct NamedExtent {
  std::string_view name;
  Index value;
};

/// UsageError unless each is at least 1.
void require_positive(std::initializer_list<NamedExtent> extents);

/// UsageError unless the rotated channels, the field `name`, are even and at most `width`, the base is above 1, and
/// YaRN, if any, stretches.
void require_rope(std::string_view name, const RopeParameters& rope, NamedExtent width);

/// InputError unless the weight is [rows, columns].
void require_shape(std::string_view name, const Matrix& weight, Index rows, Index columns);

/// InputError unless the vector of a norm is [size].
void require_size(std::string_view name, std::span<const double> weight, Index size);

}  // namespace lacuna
