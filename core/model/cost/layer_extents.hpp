// What one layer keeps and multiplies, whatever its mechanism: the common terms in which costs are counted.
//
//   mechanism            vectors of a row       tokens per row   local row     state
//   projected            h_kv k, h_kv v         1
//   projected, window                                            h_kv k, v
//   MLA, V3.2            [c ; k^R]              1
//   shared state (V4)    K = V                  ratio, or none   K = V         compressors
//   retention                                                                  S of every head
//
// A compressor keeps the slots that it pools next (core/mechanism/compressor.hpp; the kv_state and score_state of
// deepseek-ai/DeepSeek-V4-Flash, inference/model.py): ratio of them, twice that with overlap, a value and, unless it
// takes the mean, a logit in each channel. At ratio 1 nothing waits.
//
// Multiply-adds per token and layer, of the matrices alone (no norms, rotations, softmax or pooling), with
// core/mechanism's notation:
//
//   projected     d h_q d_qk + d h_kv (d_qk + d_v) [rows of its own] + h_q d_v d (1) MLA           d r_q + r_q H (d_n +
//   d_r) + d (c + d_r) + H d_n c + H c d_v + H d_v d            (absorbed)        (2) shared state  d r_q + r_q H w + d
//   w [window] + 1 or 2 s d [rows of its own] + H w r_o + g r_o d                  (3) retention     2 d H d_qk + 2 d H
//   d_v + d H + H d_v d                                                             (4) indexer       r_q H_I d_I + d
//   H_I, and for the keys d d_I (V3.2), 1 or 2 s_I d (V4), w d_I / ratio (V4.1)        (5)
//
// with r_q the low rank of the query (without one, x goes to W^QB directly), w the width of a shared state, s and s_I
// the slot widths of the compressors, whose second matrix is the gate, r_o and g the rank and groups of the output.
#pragma once

#include <vector>

#include "core/base/rational.hpp"
#include "core/model/description.hpp"

namespace lacuna {

/// Vectors of one width that are stored side by side.
struct VectorExtents {
  Index count = 0;
  Index width = 0;
};

struct LayerExtents {
  Index ratio = 0;  ///< tokens per row that reaches over the prefix; 0: the layer reads none
  bool owns_rows = false;
  std::vector<VectorExtents> row = {};  ///< of its own or another layer's
  Index window = 0;                     ///< tokens whose single rows are read; 0: none
  std::vector<VectorExtents> local_row = {};
  Index state_elements = 0;

  Index heads = 0;
  Index d_qk = 0;            ///< multiply-adds of a score, per head
  Index d_v = 0;             ///< multiply-adds of a value's weighted sum, per head
  Index state_products = 0;  ///< multiply-adds of updating and reading a state, all heads

  bool owns_indexer = false;
  bool makes_index_keys = false;
  Index index_heads = 0;
  Index d_index = 0;  ///< 0: no index keys belong to the rows

  Index projections = 0;           ///< multiply-adds per token, (1) to (4)
  Rational index_projections = 0;  ///< (5)

  static LayerExtents of(const LayerDescription& layer);
};

}  // namespace lacuna
