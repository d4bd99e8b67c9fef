#include "core/mechanism/matrix.hpp"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

/// Eight partial sums, folded in a fixed order.
double dot(const double* a /* [n] */, const double* b /* [n] */, Index n) {
  double lane[8] = {};
  Index c = 0;
  for (; c + 8 <= n; c += 8)
    for (int r = 0; r < 8; ++r) lane[r] += a[c + r] * b[c + r];
  for (int r = 0; c + r < n; ++r) lane[r] += a[c + r] * b[c + r];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
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

void Matrix::multiply(std::span<const double> x, std::span<double> y) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) == columns_ && static_cast<Index>(y.size()) == rows_);
  for (Index i = 0; i < rows_; ++i) y[i] = dot(data_.data() + i * columns_, x.data(), columns_);
}

std::vector<double> Matrix::operator*(std::span<const double> x) const {
  std::vector<double> y(rows_);
  multiply(x, y);
  return y;
}

void Matrix::multiply_transposed(std::span<const double> x, std::span<double> y) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) == rows_ && static_cast<Index>(y.size()) == columns_);
  std::fill(y.begin(), y.end(), 0.0);
  for (Index i = 0; i < rows_; ++i)
    for (Index c = 0; c < columns_; ++c) y[c] += data_[i * columns_ + c] * x[i];
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
