#include "core/linear/product_tasks.hpp"

namespace lacuna {
namespace {

/// Eight lanes as the language has them.
struct Lanes {
  double lane[8];

  static Lanes zero() { return all(0); }
  static Lanes all(double x) { return {{x, x, x, x, x, x, x, x}}; }
  static Lanes load(const double* p /* [8] */) {
    Lanes loaded{};
    for (int r = 0; r < 8; ++r) loaded.lane[r] = p[r];
    return loaded;
  }
  void store(double* p /* [8] */) const {
    for (int r = 0; r < 8; ++r) p[r] = lane[r];
  }
  void add_product(const Lanes& a, const Lanes& b) {
    for (int r = 0; r < 8; ++r) lane[r] = __builtin_fma(a.lane[r], b.lane[r], lane[r]);
  }
  void add(const Lanes& b) {
    for (int r = 0; r < 8; ++r) lane[r] += b.lane[r];
  }
  double fold() const {
    double four[4];
    for (int r = 0; r < 4; ++r) four[r] = lane[r] + lane[r + 4];
    return (four[0] + four[2]) + (four[1] + four[3]);
  }
};

template <int N>
void fold(const Lanes (&lanes)[N], double (&sums)[N]) {
  for (int i = 0; i < N; ++i) sums[i] = lanes[i].fold();
}

struct Tile {
  static constexpr int dot_a = 2, dot_b = 1, weigh_p = 1, weigh_v = 1;
};

bool runs_here() { return true; }

}  // namespace
}  // namespace lacuna

#include "core/linear/product_tiles.hpp"

namespace lacuna {

const ProductLoops portable_products = {"portable", runs_here, dot_rows_tiled, weigh_rows_tiled};

}  // namespace lacuna
