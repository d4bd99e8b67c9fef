#include "core/model/encoder_decoder/sinusoidal_positions.hpp"

#include <cmath>

namespace lacuna {

std::vector<double> sinusoidal_position(Index position, Index d_model) {
  LACUNA_ASSERT(d_model % 2 == 0);
  std::vector<double> row;
  for (Index c = 0; c < d_model; c += 2) {
    const double frequency = std::pow(10000.0, -static_cast<double>(c) / static_cast<double>(d_model));
    const double angle = static_cast<double>(position) * frequency;
    row.push_back(std::sin(angle));
    row.push_back(std::cos(angle));
  }
  return row;
}

}  // namespace lacuna
