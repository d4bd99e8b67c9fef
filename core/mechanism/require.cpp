#include "core/mechanism/require.hpp"

namespace lacuna {

void require_positive(std::initializer_list<NamedExtent> extents) {
  for (const auto& [name, value] : extents)
    if (value < 1) throw UsageError(fmt::format("{} is {}; it must be at least 1", name, value));
}

void require_rope(std::string_view name, const RopeParameters& rope, NamedExtent width) {
  if (rope.channels < 0 || rope.channels % 2 != 0)
    throw UsageError(fmt::format("{} is {}; RoPE rotates pairs of channels, it must be even", name, rope.channels));
  if (rope.channels > width.value)
    throw UsageError(
        fmt::format("{} is {}; it must be at most {}, which is {}", name, rope.channels, width.name, width.value));
  if (!(rope.base > 1)) throw UsageError(fmt::format("rope base is {}; it must be above 1", rope.base));
  if (!rope.yarn) return;
  const auto& [factor, context, fast, slow] = *rope.yarn;
  if (!(factor >= 1)) throw UsageError(fmt::format("yarn factor is {}; it must be at least 1", factor));
  if (!(context >= 1)) throw UsageError(fmt::format("yarn original_context is {}; it must be at least 1", context));
  if (!(slow > 0 && fast > slow))
    throw UsageError(fmt::format(
        "yarn beta_fast is {} and beta_slow {}; they must be positive and beta_fast the larger", fast, slow));
}

void require_shape(std::string_view name, const Matrix& weight, Index rows, Index columns) {
  if (weight.rows() != rows || weight.columns() != columns)
    throw InputError(fmt::format("weight {} is [{}, {}]; the configuration needs [{}, {}]", name, weight.rows(),
                                 weight.columns(), rows, columns));
}

void require_size(std::string_view name, std::span<const double> weight, Index size) {
  if (static_cast<Index>(weight.size()) != size)
    throw InputError(fmt::format("weight {} is [{}]; the configuration needs [{}]", name, weight.size(), size));
}

}  // namespace lacuna
