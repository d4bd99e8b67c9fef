// A dot product in the order that params.hpp fixes at score_lanes: independent lanes fill the vector units without
// leave to reassociate.
#pragma once

#include "kernels/params.hpp"

namespace lacuna::kernels::plain {

template <class T>
double dot(const T* q /* [d] */, const T* k /* [d] */, Index d) {
  double lane[score_lanes] = {};
  Index c = 0;
  for (; c + score_lanes <= d; c += score_lanes) {
    for (int r = 0; r < score_lanes; ++r) lane[r] += static_cast<double>(q[c + r]) * static_cast<double>(k[c + r]);
  }
  for (int r = 0; c + r < d; ++r) lane[r] += static_cast<double>(q[c + r]) * static_cast<double>(k[c + r]);
  static_assert(score_lanes == 16, "the fold below is written out");
  for (int r = 0; r < 8; ++r) lane[r] += lane[r + 8];
  for (int r = 0; r < 4; ++r) lane[r] += lane[r + 4];
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

}  // namespace lacuna::kernels::plain
