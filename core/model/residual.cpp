#include "core/model/residual.hpp"

#include <utility>

#include "core/mechanism/norm.hpp"

namespace lacuna {

std::vector<double> Residual::normalised(const NormWeights& norm, std::vector<double> x) const {
  if (kind_ == NormKind::rms_norm)
    rms_norm(x, norm.gain, eps_);
  else
    layer_norm(x, norm.gain, norm.shift, eps_);
  return x;
}

std::vector<double> Residual::block_input(const NormWeights& norm, std::span<const double> h) const {
  std::vector<double> x(h.begin(), h.end());
  return place_ == NormPlace::before ? normalised(norm, std::move(x)) : x;
}

void Residual::add(const NormWeights& norm, std::span<const double> y, std::vector<double>& h) const {
  for (std::size_t c = 0; c < h.size(); ++c) h[c] += y[c];
  if (place_ == NormPlace::after) h = normalised(norm, std::move(h));
}

}  // namespace lacuna
