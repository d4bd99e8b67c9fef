#include "core/format/format_kind.hpp"

#include <cmath>

namespace lacuna {

std::optional<std::string> FormatKind::check(const RowShape& shape) const {
  if (shape.width < 1) return fmt::format("width {} holds no channel", shape.width);
  if (shape.source_bytes != 4 && shape.source_bytes != 8)
    return fmt::format("elements of {} bytes are neither f32 nor f64", shape.source_bytes);
  if (shape.exact_tail != 0 && !takes_exact_tail) return fmt::format("{} has no exact tail", name);
  if (shape.exact_tail < 0 || shape.exact_tail >= shape.width)
    return fmt::format("an exact tail of {} channels leaves none of the {} to encode", shape.exact_tail, shape.width);
  const Index encoded = shape.width - shape.exact_tail;
  if (block > 0 && encoded % block != 0) {
    if (shape.exact_tail == 0) return fmt::format("width {} is not divisible by the block of {}", shape.width, block);
    return fmt::format("width {} without its exact tail of {} is not divisible by the block of {}", shape.width,
                       shape.exact_tail, block);
  }
  return std::nullopt;
}

void FormatKind::encode(const RowShape& shape, const double* rows, std::byte* stored,
                        const EncodeReport& report) const {
  LACUNA_ASSERT(!check(shape));
  for (Index r = 0; r < rows_per_group; ++r) {
    for (Index c = 0; c < shape.width; ++c) {
      const double x = rows[r * shape.width + c];
      if (std::isfinite(x)) continue;
      const std::string row = rows_per_group == 1 ? "" : fmt::format(" of row {} of its group", r);
      throw InputError(fmt::format("channel {}{} is {}: {} stores finite numbers only", c, row, x, name));
    }
  }
  codec->encode(shape, rows, stored, report);
}

}  // namespace lacuna
