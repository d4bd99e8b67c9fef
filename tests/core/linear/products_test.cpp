// The two products in every form that this processor runs: by hand, against the order that products.hpp states, written
// out with std::fma, and against 113 bits. Whatever must not be read is NaN.
#include "core/linear/products.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/reference/compensated.hpp"
#include "support/random.hpp"
#include "support/wide.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Rows of random numbers with NaN between the end of a row and the next.
struct PaddedRows {
  Index rows, width, stride;
  std::vector<double> data;

  PaddedRows(Index rows_, Index width_, Index padding, Random& random)
      : rows(rows_), width(width_), stride(width_ + padding), data(rows_ * stride, kNan) {
    for (Index i = 0; i < rows; ++i)
      for (Index c = 0; c < width; ++c) row(i)[c] = random.normal() * std::exp(3 * random.normal());
  }
  double* row(Index i) { return data.data() + i * stride; }
  const double* row(Index i) const { return data.data() + i * stride; }
};

double dot_in_order(const double* a, const double* b, Index n) {
  double total = 0;
  for (Index first = 0; first == 0 || first < n; first += 512) {
    std::vector<double> lane(8, 0.0);
    for (Index c = first; c < std::min(n, first + 512); ++c) lane[c % 8] = std::fma(a[c], b[c], lane[c % 8]);
    for (int w = 4; w > 0; w /= 2)
      for (int r = 0; r < w; ++r) lane[r] += lane[r + w];
    total = first == 0 ? lane[0] : total + lane[0];
  }
  return total;
}

double weigh_in_order(double before, const double* p, const PaddedRows& v, Index channel, Index count) {
  double total = before;
  for (Index first = 0; first < count; first += 128) {
    double sum = 0;
    for (Index j = first; j < std::min(count, first + 128); ++j) sum = std::fma(p[j], v.row(j)[channel], sum);
    total += sum;
  }
  return total;
}

const std::vector<Index> kSizes = {0,  1,   2,   3,   5,   7,   8,   9,   10,  16,   27,
                                   61, 113, 127, 128, 129, 257, 511, 512, 513, 1011, 1025};

PaddedRows dots(const ProductLoops& loops, const PaddedRows& a, const PaddedRows& b) {
  Random random(0);
  PaddedRows y(a.rows, b.rows, 3, random);
  loops.dot_rows({.a = a.data.data(),
                  .b = b.data.data(),
                  .y = y.data.data(),
                  .a_rows = a.rows,
                  .b_rows = b.rows,
                  .n = a.width,
                  .a_stride = a.stride,
                  .b_stride = b.stride,
                  .y_stride = y.stride});
  return y;
}

TEST(DotRows, MultipliesByHand) {
  const std::vector<double> a = {1, 2, 3, -1, 0, 4}, b = {2, 0, 1, 1, 1, 1};
  for (const ProductLoops& loops : product_loops()) {
    SCOPED_TRACE(loops.name);
    std::vector<double> y(4, kNan);
    loops.dot_rows({.a = a.data(),
                    .b = b.data(),
                    .y = y.data(),
                    .a_rows = 2,
                    .b_rows = 2,
                    .n = 3,
                    .a_stride = 3,
                    .b_stride = 3,
                    .y_stride = 2});
    EXPECT_EQ(y, (std::vector<double>{5, 6, 2, 3}));
  }
}

TEST(DotRows, EveryElementIsItsLanesFolded) {
  for (const ProductLoops& loops : product_loops()) {
    SCOPED_TRACE(loops.name);
    Random random(21);
    for (const Index n : kSizes)
      for (int repeat = 0; repeat < 4; ++repeat) {
        const PaddedRows a(random.integer(0, 15), n, random.integer(0, 9), random);
        const PaddedRows b(random.integer(0, 13), n, random.integer(0, 9), random);
        const PaddedRows y = dots(loops, a, b);
        for (Index i = 0; i < y.rows; ++i) {
          for (Index j = 0; j < y.width; ++j) ASSERT_EQ(y.row(i)[j], dot_in_order(a.row(i), b.row(j), n)) << n;
          for (Index j = y.width; j < y.stride; ++j) ASSERT_TRUE(std::isnan(y.row(i)[j]));
        }
      }
  }
}

TEST(DotRowsBounds, ErrorsStayWithinTheStatedRoundings) {
  Random random(22);
  double worst = 0;
  for (const Index n : kSizes)
    for (int repeat = 0; repeat < 40; ++repeat) {
      const PaddedRows a(1, n, 0, random), b(3, n, 0, random);
      const PaddedRows y = dots(product_loops().front(), a, b);
      for (Index j = 0; j < b.rows; ++j) {
        Wide exact = 0, magnitude = 0;
        for (Index c = 0; c < n; ++c) {
          exact += Wide(a.row(0)[c]) * b.row(j)[c];
          magnitude += abs(Wide(a.row(0)[c]) * b.row(j)[c]);
        }
        const double error = to_double(abs(exact - y.row(0)[j]));
        const double bound = gamma(static_cast<double>(dot_roundings(n))) * to_double(magnitude);
        ASSERT_TRUE(error <= bound) << "n " << n;
        if (bound > 0) worst = std::max(worst, error / bound);
      }
    }
  EXPECT_GT(worst, 0.05);  // the bound is not idle: one product alone has a rounding of its own
}

TEST(DotRowsBounds, RoundingsAreCountedAsStated) {
  EXPECT_EQ(dot_roundings(1), 4);
  EXPECT_EQ(dot_roundings(64), 11);
  EXPECT_EQ(dot_roundings(512), 67);
  EXPECT_EQ(dot_roundings(1024), 68);
  EXPECT_EQ(weigh_roundings(1), 2);
  EXPECT_EQ(weigh_roundings(128), 129);
  EXPECT_EQ(weigh_roundings(8192), 192);
}

TEST(WeighRows, AddsByHandWhatEachRowTakes) {
  const std::vector<double> p = {1, 2, 3, kNan}, v = {1, 10, 2, 20};
  const std::vector<Index> count = {2, 1};
  for (const ProductLoops& loops : product_loops()) {
    SCOPED_TRACE(loops.name);
    std::vector<double> o = {100, 0, 0, -30};
    loops.weigh_rows({.p = p.data(),
                      .v = v.data(),
                      .o = o.data(),
                      .count = count.data(),
                      .p_rows = 2,
                      .width = 2,
                      .p_stride = 2,
                      .v_stride = 2,
                      .o_stride = 2});
    EXPECT_EQ(o, (std::vector<double>{105, 50, 3, 0}));
  }
}

TEST(WeighRows, EveryElementIsItsPiecesInOrder) {
  for (const ProductLoops& loops : product_loops()) {
    SCOPED_TRACE(loops.name);
    Random random(23);
    for (const Index n : kSizes)
      for (int repeat = 0; repeat < 4; ++repeat) {
        PaddedRows p(random.integer(0, 15), n + 2, 1, random),
            v(n + 1, random.integer(1, 77), random.integer(0, 9), random);
        PaddedRows o(p.rows, v.width, 2, random);
        std::vector<Index> count;
        for (Index i = 0; i < p.rows; ++i) {
          count.push_back(random.chance(0.5) ? n : random.integer(0, n));
          std::fill(p.row(i) + count.back(), p.row(i) + p.width, kNan);
        }
        const Index most = count.empty() ? 0 : *std::ranges::max_element(count);
        std::fill(v.row(most), v.data.data() + v.data.size(), kNan);
        const PaddedRows before = o;
        loops.weigh_rows({.p = p.data.data(),
                          .v = v.data.data(),
                          .o = o.data.data(),
                          .count = count.data(),
                          .p_rows = p.rows,
                          .width = v.width,
                          .p_stride = p.stride,
                          .v_stride = v.stride,
                          .o_stride = o.stride});
        for (Index i = 0; i < o.rows; ++i)
          for (Index c = 0; c < o.width; ++c)
            ASSERT_EQ(o.row(i)[c], weigh_in_order(before.row(i)[c], p.row(i), v, c, count[i])) << n;
      }
  }
}

TEST(WeighRowsBounds, ErrorsStayWithinTheStatedRoundings) {
  Random random(24);
  double worst = 0;
  for (const Index n : kSizes)
    for (int repeat = 0; repeat < 10; ++repeat) {
      const PaddedRows p(1, n, 0, random), v(n, 9, 0, random);
      PaddedRows o(1, 9, 0, random);
      const PaddedRows before = o;
      weigh_rows({.p = p.data.data(),
                  .v = v.data.data(),
                  .o = o.data.data(),
                  .count = &n,
                  .p_rows = 1,
                  .width = 9,
                  .p_stride = n,
                  .v_stride = 9,
                  .o_stride = 9});
      for (Index c = 0; c < 9; ++c) {
        Wide exact = before.row(0)[c], magnitude = std::abs(before.row(0)[c]);
        for (Index j = 0; j < n; ++j) {
          exact += Wide(p.row(0)[j]) * v.row(j)[c];
          magnitude += abs(Wide(p.row(0)[j]) * v.row(j)[c]);
        }
        const double error = to_double(abs(exact - o.row(0)[c]));
        const double bound = gamma(static_cast<double>(weigh_roundings(n))) * to_double(magnitude);
        ASSERT_TRUE(error <= bound) << "n " << n;
        if (bound > 0) worst = std::max(worst, error / bound);
      }
    }
  EXPECT_GT(worst, 0.05);
}

TEST(Products, ThePortableFormIsAlwaysThere) { EXPECT_STREQ(product_loops().back().name, "portable"); }

}  // namespace
}  // namespace lacuna
