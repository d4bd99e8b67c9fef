// The two products that whole sequences go through, each element in one fixed order whatever stands beside it: a row's
// result is the same bits alone, in a block of rows, and on any machine.
//
//   dot_rows     y_ij = a_i . b_j           rows times rows: a weight matrix times many tokens, queries times keys
//   weigh_rows   o_i += sum_j p_ij v_j      weights times rows: attention's weighted mean, a transposed matrix
//
// Orders. Every product is added by one fused multiply-add, fma(x, y, sum) = round(x y + sum).
//
// A dot product runs over pieces of dot_piece = 512 elements. Within a piece, lane r takes the elements c = r mod 8
// with c ascending, and zeros beyond the last; then halves are folded, lane[r] += lane[r + w] for w = 4, 2, 1. Pieces
// are added in ascending order to the first. With u = 2^-53 and gamma_n = n u / (1 - n u) (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd edition, lemma 3.1), a term passes through at most
//
//   dot_roundings(n) = ceil(min(n, 512) / 8) + 3 + ceil(n / 512) - 1 ,                                          (1)
//   |y - a.b| <= gamma_(dot_roundings(n)) sum |a_c b_c| .                                                        (2)
//
// A weighted sum runs over pieces of weigh_piece = 128 rows, j ascending from 0 within a piece; pieces are added to o
// in ascending order:
//
//   weigh_roundings(n) = min(n, 128) + ceil(n / 128) ,                                                           (3)
//   |o - (o_before + sum p_j v_j)| <= gamma_(weigh_roundings(n)) ( |o_before| + sum |p_j v_j| ) .                 (4)
//
// Products that underflow are outside (2) and (4), as they are outside every such bound.
//
// One source (product_tiles.hpp) is compiled for AVX-512, for AVX2 and for any machine; the processor decides at run
// time. Sums live in registers: a tile of rows times rows, eight lanes per element. An order that a library's product
// (Eigen, BLAS) gives depends on its block sizes, and so on how many tokens are computed together.
#pragma once

#include <vector>

#include "core/linear/product_tasks.hpp"

namespace lacuna {

/// Equation (1).
constexpr Index dot_roundings(Index n) {
  const Index longest = n < dot_piece ? n : dot_piece;
  return (longest + 7) / 8 + 3 + (n + dot_piece - 1) / dot_piece - 1;
}

/// Equation (3).
constexpr Index weigh_roundings(Index n) {
  return (n < weigh_piece ? n : weigh_piece) + (n + weigh_piece - 1) / weigh_piece;
}

/// y_ij = a_i . b_j
void dot_rows(const DotRows& task);
/// o_i += sum_j p_ij v_j
void weigh_rows(const WeighRows& task);

/// The compiled forms of both that this processor runs, the one in use first, the portable one last.
std::vector<ProductLoops> product_loops();

}  // namespace lacuna
