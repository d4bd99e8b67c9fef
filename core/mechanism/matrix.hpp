// Weight matrices and their product with one token's vector.
//
// Tokens are projected one at a time, each output as one dot product in a fixed order: what a token becomes does not
// depend on which tokens are computed beside it, so that prefill, chunks and decode give the same bits.
#pragma once

#include <span>
#include <vector>

#include "core/attention/rows.hpp"
#include "core/base/rng.hpp"

namespace lacuna {

class Matrix {
 public:
  Matrix() = default;
  /// data [rows, columns], row-major.
  Matrix(Index rows, Index columns, std::vector<double> data);
  /// Zeros.
  Matrix(Index rows, Index columns);
  /// Independent N(0, std^2), a pure function of rng and place.
  static Matrix random(Index rows, Index columns, double std, const CounterRng& rng);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  std::span<const double> row(Index i) const {
    return {data_.data() + i * columns_, static_cast<std::size_t>(columns_)};
  }
  std::span<double> row(Index i) { return {data_.data() + i * columns_, static_cast<std::size_t>(columns_)}; }

  /// A copy of rows [first, first + count).
  Matrix row_block(Index first, Index count) const;

  /// y = W x; x [columns], y [rows], which do not overlap.
  void multiply(std::span<const double> x, std::span<double> y) const;
  /// W x as a new vector, [rows].
  std::vector<double> operator*(std::span<const double> x) const;
  /// y = W^T x; x [rows], y [columns].
  void multiply_transposed(std::span<const double> x, std::span<double> y) const;

 private:
  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<double> data_;  // [rows, columns]
};

/// rho a + sqrt(1 - rho^2) b, of one shape; rho in [0, 1]. Independent entries of unit variance stay of unit variance.
Matrix mix(double rho, const Matrix& a, const Matrix& b);

}  // namespace lacuna
