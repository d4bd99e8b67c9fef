#include "core/model/residual.hpp"

#include <utility>

#include "core/mechanism/norm.hpp"

namespace lacuna {

void Residual::normalise(const NormWeights& norm, std::span<double> x) const {
  const std::size_t d_model = norm.gain.size();
  for (; !x.empty(); x = x.subspan(d_model)) {
    if (kind_ == NormKind::rms_norm)
      rms_norm(x.first(d_model), norm.gain, eps_);
    else
      layer_norm(x.first(d_model), norm.gain, norm.shift, eps_);
  }
}

std::vector<double> Residual::normalised(const NormWeights& norm, std::vector<double> x) const {
  normalise(norm, x);
  return x;
}

std::vector<double> Residual::block_input(const NormWeights& norm, std::span<const double> h) const {
  std::vector<double> x(h.begin(), h.end());
  return place_ == NormPlace::before ? normalised(norm, std::move(x)) : x;
}

void Residual::add(const NormWeights& norm, std::span<const double> y, std::span<double> h) const {
  for (std::size_t c = 0; c < h.size(); ++c) h[c] += y[c];
  if (place_ == NormPlace::after) normalise(norm, h);
}

}  // namespace lacuna
