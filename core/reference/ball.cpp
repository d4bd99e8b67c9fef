#include "core/reference/ball.hpp"

#include <algorithm>

#include "core/reference/compensated.hpp"

namespace lacuna {

Ball ball_of(const Rows& rows, const KeySet& listed) {
  Ball ball{std::vector<double>(rows.width(), 0.0), 0};
  rows.visit([&](const auto& v) {
    for (const RowIndex j : listed)
      for (Index c = 0; c < v.width; ++c) ball.centre[c] += static_cast<double>(v.row(j)[c]);
    for (double& c : ball.centre) c /= static_cast<double>(listed.size());
    for (const RowIndex j : listed)
      ball.radius = std::max(ball.radius, distance(v.row(j), ball.centre.data(), v.width));
  });
  return ball;
}

}  // namespace lacuna
