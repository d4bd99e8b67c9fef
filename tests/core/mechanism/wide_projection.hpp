// Steps of the mechanisms in 113 bits, straight from their definitions.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/matrix.hpp"
#include "support/wide.hpp"

namespace lacuna::testing_core {

inline WideVector widen(std::span<const double> x) { return {x.begin(), x.end()}; }

/// Rows [first, first + count) of w times x.
inline WideVector wide_product(const Matrix& w, Index first, Index count, const WideVector& x) {
  WideVector y(count, 0);
  for (Index i = 0; i < count; ++i)
    for (Index c = 0; c < w.columns(); ++c) y[i] += w.row(first + i)[c] * x[c];
  return y;
}

inline WideVector wide_rms_norm(const WideVector& x, const std::vector<double>& gamma, double eps) {
  Wide square = 0;
  for (const Wide& c : x) square += c * c;
  WideVector y(x);
  for (std::size_t c = 0; c < x.size(); ++c) y[c] *= gamma[c] / sqrt(square / x.size() + eps);
  return y;
}

/// Rotates interleaved pairs of all channels: pair (i, i + 1), i even, by position * base^(-i/d).
inline WideVector wide_interleaved_rope(const WideVector& x, double base, Index position) {
  WideVector y(x);
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
    const Wide angle = position / pow(Wide(base), Wide(i) / x.size());
    y[i] = cos(angle) * x[i] - sin(angle) * x[i + 1];
    y[i + 1] = sin(angle) * x[i] + cos(angle) * x[i + 1];
  }
  return y;
}

/// softmax_j(s_j)-weighted mean of the values.
inline WideVector wide_softmax_mean(const WideVector& s, const std::vector<WideVector>& v) {
  Wide sum = 0;
  WideVector o(v[0].size(), 0);
  for (std::size_t j = 0; j < s.size(); ++j) {
    const Wide p = exp(s[j]);
    sum += p;
    for (std::size_t c = 0; c < o.size(); ++c) o[c] += p * v[j][c];
  }
  for (Wide& c : o) c /= sum;
  return o;
}

inline Wide wide_dot(const WideVector& a, const WideVector& b) {
  Wide sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

}  // namespace lacuna::testing_core
