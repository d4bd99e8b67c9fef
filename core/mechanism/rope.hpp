// Rotary position embedding (Su et al. 2021, "RoFormer", section 3.4.2): channel pair i of a vector at position t is
// rotated by the angle t f_i, so that a dot product of two rotated vectors depends on the difference of positions only.
//
//   standard            f_i = base^(-2i/d) ,              i = 0 .. d/2 - 1
//   endpoint_inclusive  f_i = base^(-i/(d/2 - 1))          the last frequency is 1/base (YOCO)
//
// YaRN (Peng et al. 2023, section 3.2; the constants of DeepSeek's inference/model.py): frequencies that turn less than
// beta_slow times over the original context are divided by `factor`, those that turn more than beta_fast times are
// kept, with a linear ramp over i between:
//
//   c(r)  = d ln(L / (2 pi r)) / (2 ln base) ,   low = floor(c(beta_fast)) , high = ceil(c(beta_slow))  in [0, d - 1]
//   g_i   = 1 - clamp((i - low) / (high - low), 0, 1) ,   f_i <- f_i / factor (1 - g_i) + f_i g_i
//
// Pairs are (2i, 2i + 1) when interleaved and (i, i + d/2) when the halves are split.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

enum class RopePairs { interleaved, half_split };
enum class RopeSpacing { standard, endpoint_inclusive };

struct Yarn {
  double factor = 1;
  double original_context = 4096;  ///< positions
  double beta_fast = 32;           ///< turns
  double beta_slow = 1;            ///< turns
};

struct RopeParameters {
  Index channels = 0;  ///< d, even
  double base = 10000;
  RopePairs pairs = RopePairs::interleaved;
  RopeSpacing spacing = RopeSpacing::standard;
  std::optional<Yarn> yarn = {};
};

class Rope {
 public:
  explicit Rope(const RopeParameters& parameters);

  /// x [channels], in place, rotated by the angles of `position`; a negative position rotates back.
  void rotate(std::span<double> x, Index position) const;
  /// [channels / 2] radians per position.
  const std::vector<double>& frequencies() const { return frequencies_; }
  Index channels() const { return static_cast<Index>(frequencies_.size()) * 2; }

 private:
  RopePairs pairs_;
  std::vector<double> frequencies_;
};

}  // namespace lacuna
