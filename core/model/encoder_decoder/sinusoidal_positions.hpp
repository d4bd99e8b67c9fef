// Sinusoidal positions (Vaswani et al. 2017, section 3.5): what is added to the embedding at position t,
//
//   PE(t, 2i) = sin(t / 10000^(2i/d)) ,   PE(t, 2i + 1) = cos(t / 10000^(2i/d)) ,   i = 0 .. d/2 - 1 .    (1)
//
// PE(t + k) is a rotation of PE(t) by angles that depend on k alone. A position's row depends on the position and on
// nothing else, the length of the sequence least of all.
#pragma once

#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

/// [d_model], which is even.
std::vector<double> sinusoidal_position(Index position, Index d_model);

}  // namespace lacuna
