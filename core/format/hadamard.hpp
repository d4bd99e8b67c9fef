// The Hadamard rotation of 2^n channels: y = H x, H orthonormal and symmetric, in Sylvester's order
//
//   H_1 = (1) ,   H_2n = 2^-1/2 [ H_n  H_n ; H_n  -H_n ] ,   that is   H[i][j] = (-1)^popcount(i & j) 2^(-n/2) .
//
// Before quantising it spreads an outlier channel over all channels (the index keys of DeepSeek-V4). H H = 1, so the
// same call rotates back; dot products and norms do not change, so queries may be rotated instead of keys being rotated
// back: q . k = (H q) . (H k), and a bound per rotated channel combines with the rotated query.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/attention/rows.hpp"

namespace lacuna {

/// Why so many channels cannot be rotated; nullopt when they can.
std::optional<std::string> check_hadamard(Index width);

/// In place; n 2^n additions, then one multiplication by 2^(-n/2) per channel (exact for even n).
void hadamard(std::span<double> x);

}  // namespace lacuna
