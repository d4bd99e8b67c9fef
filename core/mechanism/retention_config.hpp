// Extents of a gated retention layer (retention.hpp has the formulas).
#pragma once

#include <optional>

#include "core/mechanism/rope.hpp"

namespace lacuna {

struct RetentionConfig {
  Index d_model = 0;
  Index heads = 0;
  Index d_qk = 0;                           ///< channels of a head's query and key
  Index d_v = 0;                            ///< channels of a head's value
  double gate_divisor = 16;                 ///< of the log decay
  double eps = 1e-5;                        ///< of the norm over a head's output
  std::optional<RopeParameters> rope = {};  ///< on the first channels of queries and keys

  /// UsageError naming the field.
  void check() const;
};

}  // namespace lacuna
