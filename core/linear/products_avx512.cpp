#include "core/linear/product_tasks.hpp"

#ifdef LACUNA_X86_PRODUCTS
#pragma GCC target("arch=x86-64-v4")
#include <immintrin.h>

namespace lacuna {
namespace {

/// Eight lanes in one register.
struct Lanes {
  __m512d v;

  static Lanes zero() { return {_mm512_setzero_pd()}; }
  static Lanes all(double x) { return {_mm512_set1_pd(x)}; }
  static Lanes load(const double* p /* [8] */) { return {_mm512_loadu_pd(p)}; }
  void store(double* p /* [8] */) const { _mm512_storeu_pd(p, v); }
  void add_product(Lanes a, Lanes b) { v = _mm512_fmadd_pd(a.v, b.v, v); }
  void add(Lanes b) { v = _mm512_add_pd(v, b.v); }
  __m256d fold_to_four() const {
    return _mm256_add_pd(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7));
  }
};

void fold(const Lanes (&lanes)[1], double (&sums)[1]) {
  const __m256d four = lanes[0].fold_to_four();
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  sums[0] = two[0] + two[1];
}

void fold(const Lanes (&lanes)[4], double (&sums)[4]) {
  const __m256d a = lanes[0].fold_to_four(), b = lanes[1].fold_to_four();
  const __m256d c = lanes[2].fold_to_four(), d = lanes[3].fold_to_four();
  const __m256d ab = _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
  const __m256d cd = _mm256_add_pd(_mm256_permute2f128_pd(c, d, 0x20), _mm256_permute2f128_pd(c, d, 0x31));
  _mm256_storeu_pd(sums, _mm256_permute4x64_pd(_mm256_hadd_pd(ab, cd), 0b11011000));
}

/// 24 of 32 registers hold sums.
struct Tile {
  static constexpr int dot_a = 6, dot_b = 4, weigh_p = 6, weigh_v = 4;
};

}  // namespace
}  // namespace lacuna

#include "core/linear/product_tiles.hpp"

namespace lacuna {

namespace {

bool runs_here() { return __builtin_cpu_supports("x86-64-v4"); }

}  // namespace

const ProductLoops avx512_products = {"avx512", runs_here, dot_rows_tiled, weigh_rows_tiled};

}  // namespace lacuna
#endif
