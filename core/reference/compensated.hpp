// Compensated sums and dot products: as if computed with twice the digits, then rounded once.
//
// Ogita, Rump, Oishi: "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005), algorithms TwoSum, TwoProductFMA,
// Sum2 and Dot2. With u = 2^-53 and gamma_n = n u / (1 - n u),
//
//   |Dot2(x, y) - x.y| <= u |x.y| + gamma_n^2 |x|.|y| .                                                    (1)
//
// The sums here run in a fixed number of lanes, whose partial results are added by TwoSum; every rounding error is
// still collected, so (1) holds with the factor 3 on gamma_n^2 that the error radii of exact_row.hpp use.
// They rely on -ffp-contract=off and on no value-changing flag.
#pragma once

#include <array>
#include <cmath>

#include "core/attention/rows.hpp"

namespace lacuna {

inline constexpr double kUnitRoundoff = 0x1p-53;

/// n u / (1 - n u)
inline double gamma(double n) { return n * kUnitRoundoff / (1 - n * kUnitRoundoff); }

/// A running sum hi + lo; `add` is exact up to the rounding of lo.
struct CompensatedSum {
  double hi = 0;
  double lo = 0;

  /// TwoSum: hi + x = sum + error exactly; the error goes to lo.
  void add(double x) {
    const double sum = hi + x;
    const double z = sum - hi;
    lo += (hi - (sum - z)) + (x - z);
    hi = sum;
  }
  /// TwoProductFMA, then TwoSum.
  void add_product(double x, double y) {
    const double product = x * y;
    lo += std::fma(x, y, -product);
    add(product);
  }
  void add(const CompensatedSum& other) {
    lo += other.lo;
    add(other.hi);
  }
  double value() const { return hi + lo; }
};

/// A dot product and the sum of the absolute products, which its error bound needs.
struct DotResult {
  double value;     ///< Dot2(x, y)
  double absolute;  ///< sum |x_i y_i|, in plain double
};

/// x [n] (double), y [n] (float or double).
template <class T>
DotResult dot2(const double* x, const T* y, Index n) {
  constexpr Index lanes = 8;
  std::array<double, lanes> hi{};
  std::array<double, lanes> lo{};
  std::array<double, lanes> magnitude{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (Index l = 0; l < lanes; ++l) {
      const double a = x[i + l];
      const double b = static_cast<double>(y[i + l]);
      const double product = a * b;
      const double sum = hi[l] + product;
      const double z = sum - hi[l];
      lo[l] += std::fma(a, b, -product) + ((hi[l] - (sum - z)) + (product - z));
      hi[l] = sum;
      magnitude[l] += std::abs(product);
    }
  }
  CompensatedSum total;
  double absolute = 0;
  for (; i < n; ++i) {
    total.add_product(x[i], static_cast<double>(y[i]));
    absolute += std::abs(x[i] * static_cast<double>(y[i]));
  }
  for (Index l = 0; l < lanes; ++l) {
    total.add(CompensatedSum{hi[l], lo[l]});
    absolute += magnitude[l];
  }
  return {total.value(), absolute};
}

/// The vector sum_j w_j v_j, compensated per channel.
class CompensatedVector {
 public:
  explicit CompensatedVector(Index width) : hi_(width, 0.0), lo_(width, 0.0) {}

  /// += weight * row, row [width]
  template <class T>
  void add(double weight, const T* row) {
    double* hi = hi_.data();
    double* lo = lo_.data();
    const Index width = static_cast<Index>(hi_.size());
    for (Index c = 0; c < width; ++c) {
      const double x = static_cast<double>(row[c]);
      const double product = weight * x;
      const double sum = hi[c] + product;
      const double z = sum - hi[c];
      lo[c] += std::fma(weight, x, -product) + ((hi[c] - (sum - z)) + (product - z));
      hi[c] = sum;
    }
  }
  void add(const CompensatedVector& other) {
    for (std::size_t c = 0; c < hi_.size(); ++c) {
      CompensatedSum sum{hi_[c], lo_[c]};
      sum.add(CompensatedSum{other.hi_[c], other.lo_[c]});
      hi_[c] = sum.hi;
      lo_[c] = sum.lo;
    }
  }
  void scale(double factor) {
    for (double& x : hi_) x *= factor;
    for (double& x : lo_) x *= factor;
  }
  /// The sum divided by z, [width]; 0 when z is 0.
  std::vector<double> divided_by(double z) const {
    std::vector<double> result(hi_.size(), 0.0);
    if (z > 0)
      for (std::size_t c = 0; c < hi_.size(); ++c) result[c] = (hi_[c] + lo_[c]) / z;
    return result;
  }

 private:
  std::vector<double> hi_;
  std::vector<double> lo_;
};

/// ||x||
inline double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

/// ||x - y||
inline double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += (x[c] - y[c]) * (x[c] - y[c]);
  return std::sqrt(sum);
}

/// ||row - y||, row [width]
template <class T>
double distance(const T* row, const double* y, Index width) {
  constexpr Index lanes = 8;
  std::array<double, lanes> sums{};
  Index c = 0;
  for (; c + lanes <= width; c += lanes)
    for (Index l = 0; l < lanes; ++l) {
      const double d = static_cast<double>(row[c + l]) - y[c + l];
      sums[l] += d * d;
    }
  double sum = 0;
  for (; c < width; ++c) {
    const double d = static_cast<double>(row[c]) - y[c];
    sum += d * d;
  }
  for (const double partial : sums) sum += partial;
  return std::sqrt(sum);
}

}  // namespace lacuna
