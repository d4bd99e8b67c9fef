// The attention step of a decoder: one query of one layer over the rows that the layer reads. The exact one is a
// softmax over every row that the query sees; a path that reads fewer rows takes its place behind the same interface.
//
//   s_j = sm_scale q . k_j ,  m = max_j s_j (the sink among them) ,  o = sum_j e^{s_j - m} v_j / Z ,
//   Z = sum_j e^{s_j - m} + e^{sink - m}                                                                (1)
//
// in double, with the maximum in a first pass and the sums in a second, rows in ascending order: what a query gives
// depends on the rows it sees and on nothing else.
#pragma once

#include <vector>

#include "core/mechanism/problem.hpp"

namespace lacuna {

class AttendLayer {
 public:
  virtual ~AttendLayer() = default;
  /// `inputs` has one query, already among its layer's rows; `label` is the layer's. Returns o [h_q, d_v].
  virtual std::vector<double> attend(Index label, const LayerInputs& inputs) = 0;
};

class ExactAttend final : public AttendLayer {
 public:
  std::vector<double> attend(Index label, const LayerInputs& inputs) override;
};

}  // namespace lacuna
