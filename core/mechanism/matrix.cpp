#include "core/mechanism/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear/products.hpp"

namespace lacuna {
namespace {

/// Vectors without elements are those of one token.
template <class T>
TokenVectors<T> side_by_side(std::span<T> x, Index width) {
  if (width == 0) return {x.data(), 1, 0};
  LACUNA_ASSERT(static_cast<Index>(x.size()) % width == 0);
  return {x.data(), static_cast<Index>(x.size()) / width, width};
}

}  // namespace

Matrix::Matrix(Index rows, Index columns, std::vector<double> data)
    : rows_(rows), columns_(columns), data_(std::move(data)) {
  LACUNA_ASSERT(static_cast<Index>(data_.size()) == rows * columns);
}

Matrix::Matrix(Index rows, Index columns) : Matrix(rows, columns, std::vector<double>(rows * columns, 0.0)) {}

Matrix Matrix::random(Index rows, Index columns, double std, const CounterRng& rng) {
  Matrix matrix(rows, columns);
  for (std::size_t i = 0; i < matrix.data_.size(); ++i) matrix.data_[i] = std * rng.normal(i);
  return matrix;
}

Matrix Matrix::row_block(Index first, Index count) const {
  LACUNA_ASSERT(first >= 0 && count >= 0 && first + count <= rows_);
  const auto begin = data_.begin() + first * columns_;
  return {count, columns_, {begin, begin + count * columns_}};
}

void Matrix::multiply(TokenVectors<const double> x, TokenVectors<double> y) const {
  LACUNA_ASSERT(x.tokens == y.tokens);
  dot_rows({.a = x.base,
            .b = data_.data(),
            .y = y.base,
            .a_rows = x.tokens,
            .b_rows = rows_,
            .n = columns_,
            .a_stride = x.stride,
            .b_stride = columns_,
            .y_stride = y.stride});
}

void Matrix::multiply(std::span<const double> x, std::span<double> y) const {
  multiply(side_by_side(x, columns_), side_by_side(y, rows_));
}

std::vector<double> Matrix::operator*(std::span<const double> x) const {
  const TokenVectors<const double> vectors = side_by_side(x, columns_);
  std::vector<double> y(vectors.tokens * rows_);
  multiply(vectors, {y.data(), vectors.tokens, rows_});
  return y;
}

void Matrix::multiply_transposed(TokenVectors<const double> x, TokenVectors<double> y) const {
  LACUNA_ASSERT(x.tokens == y.tokens);
  for (Index t = 0; t < y.tokens; ++t) std::fill_n(y.base + t * y.stride, columns_, 0.0);
  const std::vector<Index> count(static_cast<std::size_t>(x.tokens), rows_);
  weigh_rows({.p = x.base,
              .v = data_.data(),
              .o = y.base,
              .count = count.data(),
              .p_rows = x.tokens,
              .width = columns_,
              .p_stride = x.stride,
              .v_stride = columns_,
              .o_stride = y.stride});
}

void Matrix::multiply_transposed(std::span<const double> x, std::span<double> y) const {
  multiply_transposed(side_by_side(x, rows_), side_by_side(y, columns_));
}

Matrix mix(double rho, const Matrix& a, const Matrix& b) {
  LACUNA_ASSERT(a.rows() == b.rows() && a.columns() == b.columns());
  LACUNA_ASSERT(rho >= 0 && rho <= 1);
  const double rest = std::sqrt(1 - rho * rho);
  Matrix mixed(a.rows(), a.columns());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index c = 0; c < a.columns(); ++c) mixed.row(i)[c] = rho * a.row(i)[c] + rest * b.row(i)[c];
  return mixed;
}

}  // namespace lacuna
