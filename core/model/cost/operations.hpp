// Floating-point operations, 2 per multiply-add, of matrices, scores and weighted sums alone: no norms, rotations,
// softmax, activations or pooling. The extents are those of layer_extents.hpp, the rows those of layer_reads.hpp.
//
//   projections   2 (projections of the layer)                                                          (1)
//   scores        2 h d_qk (main rows + local rows)                                                     (2)
//   values        2 h d_v (main rows + local rows), and 4 H d_qk d_v for a retention state              (3)
//   indexer       2 (projections of the indexer) + 2 H_I (d_I + 1) (index rows)                         (4)
//   feed forward  4 d f, or 6 d f with a gate                                                           (5)
//   vocabulary    2 d V                                                                                 (6)
//
// What is done once per row is charged to its tokens in equal parts. Without a cache, a token at context N costs the
// decoder's work on all N tokens, each attending to those before it,
//
//   sum over t = 1 .. N of (1) to (5) at context t, and (6) once.                                       (7)
#pragma once

#include <array>
#include <string_view>

#include "core/base/rational.hpp"
#include "core/model/description.hpp"

namespace lacuna {

enum class OperationKind { projections, scores, values, indexer, feed_forward, vocabulary };
inline constexpr std::array<std::string_view, 6> kOperationKinds = {"projections", "scores",       "values",
                                                                    "indexer",     "feed_forward", "vocabulary"};

struct Operations {
  std::array<Rational, kOperationKinds.size()> kinds = {};  ///< [OperationKind]

  Rational& operator[](OperationKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
  const Rational& operator[](OperationKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  Rational total() const;
};

/// (1) to (6) for the token that is decoded as the last of `tokens`, with a cache.
Operations decode_operations(const ModelDescription& model, Index tokens);

/// (7), in closed form; rounded to double where it is beyond 2^53.
double recomputation_operations(const ModelDescription& model, Index tokens);

}  // namespace lacuna
