// The residual stream around a block, with the norm before or behind it (description.hpp, equations 2 and 3).
#pragma once

#include <span>
#include <vector>

#include "core/model/weights.hpp"

namespace lacuna {

class Residual {
 public:
  Residual(NormKind kind, NormPlace place, double eps) : kind_(kind), place_(place), eps_(eps) {}

  /// Each token of x [tokens, d_model].
  std::vector<double> normalised(const NormWeights& norm, std::vector<double> x) const;
  /// What a block reads of h [tokens, d_model].
  std::vector<double> block_input(const NormWeights& norm, std::span<const double> h) const;
  /// h [tokens, d_model] <- the residual sum with y [tokens, d_model], normed where norms stand behind the blocks.
  void add(const NormWeights& norm, std::span<const double> y, std::span<double> h) const;

 private:
  /// Each token of x [tokens, d_model], in place.
  void normalise(const NormWeights& norm, std::span<double> x) const;

  NormKind kind_;
  NormPlace place_;
  double eps_;
};

}  // namespace lacuna
