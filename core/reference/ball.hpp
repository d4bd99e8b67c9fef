// The mean of some rows and how far the farthest of them lies from it.
#pragma once

#include <vector>

#include "core/approx/key_set.hpp"
#include "core/attention/rows.hpp"

namespace lacuna {

struct Ball {
  std::vector<double> centre;  ///< [width]
  double radius = 0;
};

/// Of the listed rows, at least one; other rows are not read.
Ball ball_of(const Rows& rows, const KeySet& listed);

}  // namespace lacuna
