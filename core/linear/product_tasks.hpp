// What the loops of products.hpp take. Nothing of the standard library is included: this is compiled for several
// instruction sets, and an inline function compiled for one must not be linked into code for another.
#pragma once

#include <cstdint>

namespace lacuna {

using Index = std::int64_t;  // as in rows.hpp

inline constexpr Index dot_piece = 512;
inline constexpr Index weigh_piece = 128;

struct DotRows {
  const double* a = nullptr;  // [a_rows, n], stride a_stride
  const double* b = nullptr;  // [b_rows, n], stride b_stride
  double* y = nullptr;        // [a_rows, b_rows], stride y_stride; overlaps neither
  Index a_rows = 0;
  Index b_rows = 0;
  Index n = 0;
  Index a_stride = 0;
  Index b_stride = 0;
  Index y_stride = 0;
};

/// Row i takes the first count[i] rows of v; p and v beyond are not read.
struct WeighRows {
  const double* p = nullptr;     // [p_rows, >= count[i]], stride p_stride
  const double* v = nullptr;     // [max count[i], width], stride v_stride
  double* o = nullptr;           // [p_rows, width], stride o_stride; added to
  const Index* count = nullptr;  // [p_rows]
  Index p_rows = 0;
  Index width = 0;
  Index p_stride = 0;
  Index v_stride = 0;
  Index o_stride = 0;
};

/// One compiled form of both.
struct ProductLoops {
  const char* name;
  bool (*runs_here)();
  void (*dot_rows)(const DotRows&);
  void (*weigh_rows)(const WeighRows&);
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LACUNA_X86_PRODUCTS 1
extern const ProductLoops avx512_products;
extern const ProductLoops avx2_products;
#endif
extern const ProductLoops portable_products;

}  // namespace lacuna
