// Rows whose padding is NaN, so that a loop that reads past a row's end shows it.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/params.hpp"

namespace lacuna::kernels {

template <class T>
struct PoisonedRows {
  std::vector<T> data;  // [rows, width], stride `stride`; the rest is NaN
  Index rows;
  Index width;
  Index stride;

  PoisonedRows(Index row_count, Index row_width, Index padding)
      : data(row_count * (row_width + padding), std::numeric_limits<T>::quiet_NaN()),
        rows(row_count),
        width(row_width),
        stride(row_width + padding) {}

  T* row(Index i) { return data.data() + i * stride; }
  const T* row(Index i) const { return data.data() + i * stride; }

  /// Gaussian entries, the same for one seed.
  static PoisonedRows gaussian(Index row_count, Index row_width, Index padding, std::uint64_t seed) {
    PoisonedRows result(row_count, row_width, padding);
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < row_count; ++i) {
      for (Index c = 0; c < row_width; ++c) result.row(i)[c] = static_cast<T>(normal(engine));
    }
    return result;
  }

  /// Entries written out, row by row.
  static PoisonedRows of(const std::vector<std::vector<T>>& entries, Index padding = 3) {
    PoisonedRows result(entries.size(), entries.empty() ? 0 : entries.front().size(), padding);
    for (Index i = 0; i < result.rows; ++i) std::copy(entries[i].begin(), entries[i].end(), result.row(i));
    return result;
  }

  void poison_row(Index i) { std::fill_n(row(i), width, std::numeric_limits<T>::quiet_NaN()); }
};

inline std::vector<double> gaussian_scores(Index n, double scale, std::uint64_t seed) {
  std::vector<double> s(n);
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0, scale);
  for (double& score : s) score = normal(engine);
  return s;
}

}  // namespace lacuna::kernels
