// The attention step of a decoder: one query of one layer over the rows that the layer reads. The exact one is a
// softmax over every row that the query sees; a path that reads fewer rows takes its place behind the same interface.
//
// dense_attention.hpp has the equations and how exact they are. What a query gives depends on the rows it sees and on
// nothing else: the bits are those of a whole sequence's queries together.
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
