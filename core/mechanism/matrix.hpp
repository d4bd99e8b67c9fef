// Weight matrices and their product with the vectors of one token or of many.
//
// Each output is one dot product (or, of a transposed matrix, one weighted sum) in the fixed order of
// core/linear/products.hpp: what a token becomes does not depend on which tokens are computed beside it, so that
// prefill, chunks and decode give the same bits.
#pragma once

#include <span>
#include <vector>

#include "core/attention/rows.hpp"
#include "core/base/rng.hpp"

namespace lacuna {

/// The vectors of some tokens: that of token t begins at base + t * stride.
template <class T>
struct TokenVectors {
  T* base = nullptr;  // [tokens, width], width as the matrix has it
  Index tokens = 0;
  Index stride = 0;
};

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

  /// y_t = W x_t; x [tokens, columns], y [tokens, rows], which do not overlap.
  void multiply(TokenVectors<const double> x, TokenVectors<double> y) const;
  void multiply(std::span<const double> x, std::span<double> y) const;
  /// The same as a new vector, [tokens, rows].
  std::vector<double> operator*(std::span<const double> x) const;
  /// y_t = W^T x_t; x [tokens, rows], y [tokens, columns], which do not overlap.
  void multiply_transposed(TokenVectors<const double> x, TokenVectors<double> y) const;
  void multiply_transposed(std::span<const double> x, std::span<double> y) const;

 private:
  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<double> data_;  // [rows, columns]
};

/// rho a + sqrt(1 - rho^2) b, of one shape; rho in [0, 1]. Independent entries of unit variance stay of unit variance.
Matrix mix(double rho, const Matrix& a, const Matrix& b);

}  // namespace lacuna
