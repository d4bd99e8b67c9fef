// The loops of products.hpp over a type of eight lanes. Each products_*.cpp includes one lanes type of its instruction
// set, then this file; everything here has internal linkage, so that no code for one instruction set is ever linked in
// place of another's.
//
//   Lanes   zero(), all(x), load(p), store(p), add_product(a, b): fma lane by lane, add(b), fold(): its sum by halves;
//           beside it fold(lanes[N], sums[N]) of several
//   Tile    dot_a, dot_b: rows of a and b per tile; weigh_p, weigh_v: rows of p and lanes of v per tile
#include <utility>

namespace lacuna {
namespace {

/// f.operator()<0>(), ..., f.operator()<N - 1>(): indices are constants, so that arrays of lanes live in registers.
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) { (f.template operator()<I>(), ...); }
  (std::make_integer_sequence<int, N>{});
}

/// Rows of one piece where a tile reads them: row r at base + r * stride.
struct PieceRows {
  const double* base;
  Index stride;
};

/// The last n < 8 elements of a row; those beyond count as 0.
[[gnu::noinline]] Lanes last_lanes(const double* from, Index n) {
  double eight[8];
  for (Index c = 0; c < 8; ++c) eight[c] = c < n ? from[c] : 0;
  return Lanes::load(eight);
}

/// Room for copies of rows that begin at multiples of 64 bytes: loads of eight that cross no cache line take half the
/// time. A stride that is no power of two spreads rows over the cache's sets.
constexpr Index aligned_stride = dot_piece + 8;

/// Copies `count` rows of n elements, the last eight of a row filled up with zeros. to [count, aligned_stride]
PieceRows aligned(PieceRows rows, Index count, Index n, double* to) {
  for (Index r = 0; r < count; ++r) {
    const double* from = rows.base + r * rows.stride;
    double* row = to + r * aligned_stride;
    Index c = 0;
    for (; c + 8 <= n; c += 8) Lanes::load(from + c).store(row + c);
    if (c < n) last_lanes(from + c, n - c).store(row + c);
  }
  return {to, aligned_stride};
}

/// One piece, n elements, of the dot products of A x B rows: stored to y, or added to it.
template <int A, int B>
void dot_tile(PieceRows a, PieceRows b, Index n, double* y, Index y_stride, bool is_first_piece) {
  Lanes sum[A][B];
  unrolled<A>([&]<int i>() { unrolled<B>([&]<int j>() { sum[i][j] = Lanes::zero(); }); });
  Index c = 0;
  for (; c + 8 <= n; c += 8) {
    Lanes of_b[B];
    unrolled<B>([&]<int j>() { of_b[j] = Lanes::load(b.base + j * b.stride + c); });
    unrolled<A>([&]<int i>() {
      const Lanes of_a = Lanes::load(a.base + i * a.stride + c);
      unrolled<B>([&]<int j>() { sum[i][j].add_product(of_a, of_b[j]); });
    });
  }
  if (c < n)
    unrolled<A>([&]<int i>() {
      const Lanes of_a = last_lanes(a.base + i * a.stride + c, n - c);
      unrolled<B>([&]<int j>() { sum[i][j].add_product(of_a, last_lanes(b.base + j * b.stride + c, n - c)); });
    });
  unrolled<A>([&]<int i>() {
    double folded[B];
    fold(sum[i], folded);
    for (int j = 0; j < B; ++j) {
      double& out = y[i * y_stride + j];
      out = is_first_piece ? folded[j] : out + folded[j];
    }
  });
}

/// A rows of a beside all of b's. y [A, b_rows]
template <int A>
void dot_panel(PieceRows a, PieceRows b, Index b_rows, Index n, double* y, Index y_stride, bool is_first_piece) {
  Index j = 0;
  for (; j + Tile::dot_b <= b_rows; j += Tile::dot_b)
    dot_tile<A, Tile::dot_b>(a, {b.base + j * b.stride, b.stride}, n, y + j, y_stride, is_first_piece);
  for (; j < b_rows; ++j) dot_tile<A, 1>(a, {b.base + j * b.stride, b.stride}, n, y + j, y_stride, is_first_piece);
}

/// Rows of b in blocks that stay in the second-level cache (260 KiB), rows of a in tiles that stay in the first. Few
/// rows of a do not repay the copies.
void dot_rows_tiled(const DotRows& task) {
  constexpr Index block = 64;
  const bool copies = task.a_rows >= 2 * Tile::dot_a;
  alignas(64) double place_a[Tile::dot_a * aligned_stride];
  alignas(64) double place_b[block * aligned_stride];
  for (Index first = 0; first == 0 || first < task.n; first += dot_piece) {
    const Index n = task.n - first < dot_piece ? task.n - first : dot_piece;
    for (Index j = 0; j < task.b_rows; j += block) {
      const Index b_rows = task.b_rows - j < block ? task.b_rows - j : block;
      PieceRows b{task.b + j * task.b_stride + first, task.b_stride};
      if (copies) b = aligned(b, b_rows, n, place_b);
      Index i = 0;
      for (; i + Tile::dot_a <= task.a_rows; i += Tile::dot_a) {
        PieceRows a{task.a + i * task.a_stride + first, task.a_stride};
        if (copies) a = aligned(a, Tile::dot_a, n, place_a);
        dot_panel<Tile::dot_a>(a, b, b_rows, n, task.y + i * task.y_stride + j, task.y_stride, first == 0);
      }
      for (; i < task.a_rows; ++i)
        dot_panel<1>({task.a + i * task.a_stride + first, task.a_stride}, b, b_rows, n, task.y + i * task.y_stride + j,
                     task.y_stride, first == 0);
    }
  }
}

/// One piece, rows [first, first + weigh_piece) of v, of P rows of weights and V x 8 channels from `channel` on. `v`
/// has those rows and channels.
template <int P, int V>
void weigh_tile(Index i, Index first, Index channel, PieceRows v, const WeighRows& task) {
  const double* p = task.p + i * task.p_stride + first;
  Index end[P];  // of the piece's rows
  Index common = weigh_piece;
  for (int r = 0; r < P; ++r) {
    end[r] = task.count[i + r] - first < weigh_piece ? task.count[i + r] - first : weigh_piece;
    common = end[r] < common ? end[r] : common;
  }
  Lanes sum[P][V];
  unrolled<P>([&]<int r>() { unrolled<V>([&]<int g>() { sum[r][g] = Lanes::zero(); }); });
  Index j = 0;
  for (; j < common; ++j) {
    Lanes of_v[V];
    unrolled<V>([&]<int g>() { of_v[g] = Lanes::load(v.base + j * v.stride + 8 * g); });
    unrolled<P>([&]<int r>() {
      const Lanes weight = Lanes::all(p[r * task.p_stride + j]);
      unrolled<V>([&]<int g>() { sum[r][g].add_product(weight, of_v[g]); });
    });
  }
  unrolled<P>([&]<int r>() {  // rows that not every row of weights reaches
    for (Index more = j; more < end[r]; ++more) {
      const Lanes weight = Lanes::all(p[r * task.p_stride + more]);
      unrolled<V>([&]<int g>() { sum[r][g].add_product(weight, Lanes::load(v.base + more * v.stride + 8 * g)); });
    }
    if (end[r] > 0) {
      double* o = task.o + (i + r) * task.o_stride + channel;
      unrolled<V>([&]<int g>() {
        Lanes total = Lanes::load(o + 8 * g);
        total.add(sum[r][g]);
        total.store(o + 8 * g);
      });
    }
  });
}

/// The same for one channel.
void weigh_channel(Index i, Index first, Index channel, const WeighRows& task) {
  const Index end = task.count[i] < first + weigh_piece ? task.count[i] : first + weigh_piece;
  if (first >= end) return;
  double sum = 0;
  for (Index j = first; j < end; ++j)
    sum = __builtin_fma(task.p[i * task.p_stride + j], task.v[j * task.v_stride + channel], sum);
  task.o[i * task.o_stride + channel] += sum;
}

/// All rows of weights beside V x 8 channels of one piece. The channels are copied side by side first: rows of v a
/// power of two apart share few of the first-level cache's sets. Few rows of weights do not repay the copy.
template <int V>
void weigh_panel(Index first, Index rows, Index channel, const WeighRows& task) {
  alignas(64) double place[weigh_piece * 8 * V];
  PieceRows v{task.v + first * task.v_stride + channel, task.v_stride};
  if (task.p_rows >= 2 * Tile::weigh_p) {
    for (Index j = 0; j < rows; ++j)
      for (int g = 0; g < V; ++g) Lanes::load(v.base + j * v.stride + 8 * g).store(place + (j * V + g) * 8);
    v = {place, 8 * V};
  }
  Index i = 0;
  for (; i + Tile::weigh_p <= task.p_rows; i += Tile::weigh_p) weigh_tile<Tile::weigh_p, V>(i, first, channel, v, task);
  for (; i < task.p_rows; ++i) weigh_tile<1, V>(i, first, channel, v, task);
}

void weigh_rows_tiled(const WeighRows& task) {
  Index most = 0;
  for (Index i = 0; i < task.p_rows; ++i) most = most < task.count[i] ? task.count[i] : most;
  for (Index first = 0; first < most; first += weigh_piece) {
    const Index rows = most - first < weigh_piece ? most - first : weigh_piece;
    Index channel = 0;
    for (; channel + 8 * Tile::weigh_v <= task.width; channel += 8 * Tile::weigh_v)
      weigh_panel<Tile::weigh_v>(first, rows, channel, task);
    for (; channel + 8 <= task.width; channel += 8) weigh_panel<1>(first, rows, channel, task);
    for (; channel < task.width; ++channel)
      for (Index i = 0; i < task.p_rows; ++i) weigh_channel(i, first, channel, task);
  }
}

}  // namespace
}  // namespace lacuna
