#include "core/format/hadamard.hpp"

#include <bit>
#include <cmath>

namespace lacuna {

std::optional<std::string> check_hadamard(Index width) {
  if (width >= 1 && std::has_single_bit(static_cast<std::uint64_t>(width))) return std::nullopt;
  return fmt::format("width {} is not a power of two: there is no Hadamard rotation of it", width);
}

void hadamard(std::span<double> x) {
  LACUNA_ASSERT(!check_hadamard(static_cast<Index>(x.size())));
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if ((i & half) != 0) continue;
      const double a = x[i];
      const double b = x[i + half];
      x[i] = a + b;
      x[i + half] = a - b;
    }
  }
  const double scale = 1 / std::sqrt(static_cast<double>(x.size()));
  for (double& y : x) y *= scale;
}

}  // namespace lacuna
