// Products of weight matrices, against hand numbers and a sum in long double.
#include "core/mechanism/matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.hpp"

namespace lacuna {
namespace {

using testing_core::Random;

std::vector<double> normals(Random& random, Index n) {
  std::vector<double> x(n);
  for (double& c : x) c = random.normal();
  return x;
}

TEST(Matrix, MultipliesByHand) {
  const Matrix w(2, 3, {1, 2, 3, -4, 5, -6});
  EXPECT_EQ(w * std::vector<double>({1, 10, 100}), std::vector<double>({321, -554}));
  std::vector<double> y(3);
  w.multiply_transposed(std::vector<double>({2, 1}), y);
  EXPECT_EQ(y, std::vector<double>({-2, 9, 0}));
}

TEST(Matrix, AgreesWithALongDoubleSumAtEverySize) {
  Random random(1);
  for (const Index columns : {0, 1, 2, 3, 5, 7, 8, 9, 10, 15, 16, 17, 27, 61, 113, 1011})
    for (const Index rows : {1, 2, 5, 13}) {
      const Matrix w(rows, columns, normals(random, rows * columns));
      const std::vector<double> x = normals(random, columns), z = normals(random, rows);
      const std::vector<double> y = w * x;
      for (Index i = 0; i < rows; ++i) {
        long double sum = 0, magnitude = 0;
        for (Index c = 0; c < columns; ++c) {
          sum += static_cast<long double>(w.row(i)[c]) * x[c];
          magnitude += std::abs(w.row(i)[c] * x[c]);
        }
        EXPECT_TRUE(std::abs(y[i] - static_cast<double>(sum)) <= (columns + 1) * 0x1p-53 * magnitude);
      }
      std::vector<double> t(columns);
      w.multiply_transposed(z, t);
      for (Index c = 0; c < columns; ++c) {
        long double sum = 0, magnitude = 0;
        for (Index i = 0; i < rows; ++i) {
          sum += static_cast<long double>(w.row(i)[c]) * z[i];
          magnitude += std::abs(w.row(i)[c] * z[i]);
        }
        EXPECT_TRUE(std::abs(t[c] - static_cast<double>(sum)) <= (rows + 1) * 0x1p-53 * magnitude);
      }
    }
}

TEST(Matrix, ARowOfTheProductDoesNotDependOnTheOtherRows) {
  Random random(2);
  const Matrix w(9, 37, normals(random, 9 * 37));
  const std::vector<double> x = normals(random, 37);
  const std::vector<double> y = w * x;
  for (Index i = 0; i < 9; ++i) EXPECT_EQ((w.row_block(i, 1) * x)[0], y[i]);
  EXPECT_EQ(w.row_block(3, 4) * x, std::vector<double>(y.begin() + 3, y.begin() + 7));
}

TEST(Matrix, RandomEntriesHaveTheStatedDeviationAndDependOnSeedAndPlaceAlone) {
  const Index n = 400;
  const Matrix w = Matrix::random(n, n, 0.25, {7, "matrix.test"});
  double square = 0, sum = 0;
  for (Index i = 0; i < n; ++i)
    for (const double c : w.row(i)) sum += c, square += c * c;
  const double count = n * n;
  EXPECT_LE(std::abs(sum / count), 5 * 0.25 / std::sqrt(count));                      // five deviations of the mean
  EXPECT_LE(std::abs(square / count / (0.25 * 0.25) - 1), 5 * std::sqrt(2 / count));  // and of the variance
  const Matrix first = Matrix::random(3, n, 0.25, {7, "matrix.test"});
  for (Index i = 0; i < 3; ++i) EXPECT_TRUE(std::ranges::equal(first.row(i), w.row(i)));
  EXPECT_FALSE(std::ranges::equal(Matrix::random(3, n, 0.25, {8, "matrix.test"}).row(0), w.row(0)));
  EXPECT_FALSE(std::ranges::equal(Matrix::random(3, n, 0.25, {7, "matrix.other"}).row(0), w.row(0)));
}

TEST(Matrix, MixesByACorrelationAndItsComplement) {
  const Matrix mixed = mix(0.6, Matrix(2, 1, {5, 0}), Matrix(2, 1, {0, 10}));
  EXPECT_DOUBLE_EQ(mixed.row(0)[0], 3);
  EXPECT_DOUBLE_EQ(mixed.row(1)[0], 8);
  EXPECT_EQ(mix(1, Matrix(1, 1, {5}), Matrix(1, 1, {7})).row(0)[0], 5);
  EXPECT_EQ(mix(0, Matrix(1, 1, {5}), Matrix(1, 1, {7})).row(0)[0], 7);
  EXPECT_THROW(mix(1, Matrix(2, 2), Matrix(2, 3)), InternalError);
}

TEST(Matrix, RefusesVectorsOfAnotherSize) {
  const Matrix w(2, 3);
  std::vector<double> two(2), three(3);
  EXPECT_THROW(w.multiply(two, two), InternalError);
  EXPECT_THROW(w.multiply(three, three), InternalError);
  EXPECT_THROW(w.multiply_transposed(three, three), InternalError);
  EXPECT_THROW(w.multiply_transposed(two, two), InternalError);
  EXPECT_THROW(w.row_block(1, 2), InternalError);
  EXPECT_THROW(Matrix(2, 3, {1, 2, 3, 4, 5}), InternalError);
}

}  // namespace
}  // namespace lacuna
