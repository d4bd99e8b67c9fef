#include "core/linear/product_tasks.hpp"

#ifdef LACUNA_X86_PRODUCTS
#pragma GCC target("arch=x86-64-v3")
#include <immintrin.h>

namespace lacuna {
namespace {

/// Eight lanes in two registers.
struct Lanes {
  __m256d low, high;

  static Lanes zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  static Lanes all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static Lanes load(const double* p /* [8] */) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  void store(double* p /* [8] */) const {
    _mm256_storeu_pd(p, low);
    _mm256_storeu_pd(p + 4, high);
  }
  void add_product(Lanes a, Lanes b) {
    low = _mm256_fmadd_pd(a.low, b.low, low);
    high = _mm256_fmadd_pd(a.high, b.high, high);
  }
  void add(Lanes b) {
    low = _mm256_add_pd(low, b.low);
    high = _mm256_add_pd(high, b.high);
  }
  double fold() const {
    const __m256d four = _mm256_add_pd(low, high);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
};

template <int N>
void fold(const Lanes (&lanes)[N], double (&sums)[N]) {
  for (int i = 0; i < N; ++i) sums[i] = lanes[i].fold();
}

/// 12 of 16 registers hold sums.
struct Tile {
  static constexpr int dot_a = 2, dot_b = 3, weigh_p = 6, weigh_v = 1;
};

}  // namespace
}  // namespace lacuna

#include "core/linear/product_tiles.hpp"

namespace lacuna {

namespace {

bool runs_here() { return __builtin_cpu_supports("x86-64-v3"); }

}  // namespace

const ProductLoops avx2_products = {"avx2", runs_here, dot_rows_tiled, weigh_rows_tiled};

}  // namespace lacuna
#endif
