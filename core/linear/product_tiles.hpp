// The loops of products.hpp over a type of eight lanes. Each products_*.cpp includes one lanes type of its instruction
// set, then this file; everything here has internal linkage, so that no code for one instruction set is ever linked in
// place of another's.
//
//   Lanes   zero(), all(x), load(p), store(p), add_product(a, b): fma lane by lane, add(b), fold(): halves
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

/// One piece of the dot products of A x B rows: stored to y, or added to it.
template <int A, int B>
void dot_tile(const double* a, const double* b, double* y, Index n, const DotRows& task, bool is_first_piece) {
  Lanes sum[A][B];
  unrolled<A>([&]<int i>() { unrolled<B>([&]<int j>() { sum[i][j] = Lanes::zero(); }); });
  Index c = 0;
  for (; c + 8 <= n; c += 8) {
    Lanes of_b[B];
    unrolled<B>([&]<int j>() { of_b[j] = Lanes::load(b + j * task.b_stride + c); });
    unrolled<A>([&]<int i>() {
      const Lanes of_a = Lanes::load(a + i * task.a_stride + c);
      unrolled<B>([&]<int j>() { sum[i][j].add_product(of_a, of_b[j]); });
    });
  }
  unrolled<A>([&]<int i>() {
    unrolled<B>([&]<int j>() {
      double lane[8];
      if (c < n) {
        sum[i][j].store(lane);
        for (Index r = 0; c + r < n; ++r)
          lane[r] = __builtin_fma(a[i * task.a_stride + c + r], b[j * task.b_stride + c + r], lane[r]);
        sum[i][j] = Lanes::load(lane);
      }
      double& out = y[i * task.y_stride + j];
      out = is_first_piece ? sum[i][j].fold() : out + sum[i][j].fold();
    });
  });
}

/// All of b's rows beside A rows of a.
template <int A>
void dot_panel(Index i, Index first, Index n, Index b_begin, Index b_end, const DotRows& task) {
  const double* a = task.a + i * task.a_stride + first;
  double* y = task.y + i * task.y_stride;
  Index j = b_begin;
  for (; j + Tile::dot_b <= b_end; j += Tile::dot_b)
    dot_tile<A, Tile::dot_b>(a, task.b + j * task.b_stride + first, y + j, n, task, first == 0);
  for (; j < b_end; ++j) dot_tile<A, 1>(a, task.b + j * task.b_stride + first, y + j, n, task, first == 0);
}

/// Rows of a in blocks that stay in the second-level cache, rows of b in tiles that stay in the first.
void dot_rows_tiled(const DotRows& task) {
  constexpr Index block = 8 * Tile::dot_a;
  for (Index first = 0; first == 0 || first < task.n; first += dot_piece) {
    const Index n = task.n - first < dot_piece ? task.n - first : dot_piece;
    for (Index begin = 0; begin < task.a_rows; begin += block) {
      const Index end = task.a_rows < begin + block ? task.a_rows : begin + block;
      for (Index j = 0; j < task.b_rows; j += Tile::dot_b) {
        const Index b_end = task.b_rows < j + Tile::dot_b ? task.b_rows : j + Tile::dot_b;
        Index i = begin;
        for (; i + Tile::dot_a <= end; i += Tile::dot_a) dot_panel<Tile::dot_a>(i, first, n, j, b_end, task);
        for (; i < end; ++i) dot_panel<1>(i, first, n, j, b_end, task);
      }
    }
  }
}

/// One piece, rows [first, first + weigh_piece), of P rows of weights and V x 8 channels from `channel` on.
template <int P, int V>
void weigh_tile(Index i, Index first, Index channel, const WeighRows& task) {
  const double* p = task.p + i * task.p_stride;
  const double* v = task.v + channel;
  Index end[P];
  Index common = first + weigh_piece;
  for (int r = 0; r < P; ++r) {
    end[r] = task.count[i + r] < first + weigh_piece ? task.count[i + r] : first + weigh_piece;
    common = end[r] < common ? end[r] : common;
  }
  Lanes sum[P][V];
  unrolled<P>([&]<int r>() { unrolled<V>([&]<int g>() { sum[r][g] = Lanes::zero(); }); });
  Index j = first;
  for (; j < common; ++j) {
    Lanes of_v[V];
    unrolled<V>([&]<int g>() { of_v[g] = Lanes::load(v + j * task.v_stride + 8 * g); });
    unrolled<P>([&]<int r>() {
      const Lanes weight = Lanes::all(p[r * task.p_stride + j]);
      unrolled<V>([&]<int g>() { sum[r][g].add_product(weight, of_v[g]); });
    });
  }
  unrolled<P>([&]<int r>() {  // rows that not every row of weights reaches
    for (Index more = j; more < end[r]; ++more) {
      const Lanes weight = Lanes::all(p[r * task.p_stride + more]);
      unrolled<V>([&]<int g>() { sum[r][g].add_product(weight, Lanes::load(v + more * task.v_stride + 8 * g)); });
    }
    if (first < end[r]) {
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

template <int V>
void weigh_panel(Index first, Index channel, const WeighRows& task) {
  Index i = 0;
  for (; i + Tile::weigh_p <= task.p_rows; i += Tile::weigh_p) weigh_tile<Tile::weigh_p, V>(i, first, channel, task);
  for (; i < task.p_rows; ++i) weigh_tile<1, V>(i, first, channel, task);
}

void weigh_rows_tiled(const WeighRows& task) {
  Index most = 0;
  for (Index i = 0; i < task.p_rows; ++i) most = most < task.count[i] ? task.count[i] : most;
  for (Index first = 0; first < most; first += weigh_piece) {
    Index channel = 0;
    for (; channel + 8 * Tile::weigh_v <= task.width; channel += 8 * Tile::weigh_v)
      weigh_panel<Tile::weigh_v>(first, channel, task);
    for (; channel + 8 <= task.width; channel += 8) weigh_panel<1>(first, channel, task);
    for (; channel < task.width; ++channel)
      for (Index i = 0; i < task.p_rows; ++i) weigh_channel(i, first, channel, task);
  }
}

}  // namespace
}  // namespace lacuna
