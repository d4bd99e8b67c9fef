// Plain structs that the inner loops take. Every pointer carries its shape; rows are row-major with a stride in
// elements. T is the element type of the stored rows (float or double); scores, weights and outputs are double,
// and the loops accumulate in double: the products of two f32 numbers are then exact.
//
// Pointers are host pointers. A backend with memory of its own (cuda) copies in and out.
// A score is a number or -inf (a key that must not count), never NaN or +inf. What lies between the end of a row and
// the next stride, and any row that no list names, is never read into a result: it may hold NaN.
#pragma once

#include <cstdint>
#include <limits>

namespace lacuna::kernels {

using Index = std::int64_t;     ///< sizes and strides
using RowIndex = std::int32_t;  ///< index of a cached row

/// Scores of h queries that share one KV head: s = sm_scale * q k^T.
template <class T>
struct ScoreParams {
  const T* q = nullptr;  // [h, d_qk], stride q_stride
  const T* k = nullptr;  // [s_kv, d_qk], stride k_stride
  double* s = nullptr;   // [h, s_kv], stride s_kv
  Index h = 0;
  Index s_kv = 0;
  Index d_qk = 0;
  Index q_stride = 0;
  Index k_stride = 0;
  double sm_scale = 1;
};

/// Every backend takes a dot product in the same order, so that all give the same bits and thus select the same keys:
///   lane[r] = sum of q_c k_c over c = r mod score_lanes, c ascending, each product and each sum rounded;
///   then halves are folded, lane[r] += lane[r + w] for w = 8, 4, 2, 1, and s = sm_scale * lane[0].
/// A term passes through at most ceil(d / 16) + 5 roundings (one less from f32, whose products are exact), so
///   |s - exact| <= gamma(ceil(d / 16) + 5) * |sm_scale| * sum |q_c k_c|,   gamma(n) = n u / (1 - n u), u = 2^-53.
inline constexpr int score_lanes = 16;

/// Scores of a lightning indexer for one query: s_j = sum_h weight_h max(q_h . k_j, 0), each dot product in the order
/// above, then h ascending, each product and each sum rounded.
/// DeepSeek-V3.2-Exp, inference/model.py; DeepSeek-V4, equations 13 to 15.
template <class T>
struct IndexScoreParams {
  const T* q = nullptr;            // [h, d_index], stride q_stride
  const double* weight = nullptr;  // [h], signed
  const T* k = nullptr;            // [s_kv, d_index], stride k_stride
  double* s = nullptr;             // [s_kv]
  Index h = 0;
  Index s_kv = 0;
  Index d_index = 0;
  Index q_stride = 0;
  Index k_stride = 0;
};

/// A softmax over some keys, not yet normalised: m = max score, l = sum exp(s - m), o = sum exp(s - m) v.
/// Empty: m = -inf, l = 0, o = 0.
struct PartialSoftmax {
  double m = -std::numeric_limits<double>::infinity();
  double l = 0;
  double* o = nullptr;  // [d_v]
  Index d_v = 0;
};

/// Adds listed keys to a partial softmax of one query. Reads each listed value row once; a listed key whose score is
/// -inf adds nothing and its value row is not read.
template <class T>
struct AttendParams {
  const double* s = nullptr;        // [s_kv] scores by row
  const RowIndex* index = nullptr;  // [n] rows to attend, each once
  const T* v = nullptr;             // [s_kv, d_v], stride v_stride
  Index n = 0;
  Index d_v = 0;
  Index v_stride = 0;
};

/// The k largest of n, by score descending, then index ascending (-0 equals 0). A score of -inf is never chosen.
/// n is at most the largest RowIndex; k may exceed n.
struct TopKParams {
  const double* s = nullptr;  // [n]
  RowIndex* index = nullptr;  // [min(k, n)] the first TopKResult::chosen are written, in that order
  Index n = 0;
  Index k = 0;
};
struct TopKResult {
  Index chosen = 0;       ///< min(k, number of scores above -inf)
  Index ties_at_cut = 0;  ///< scores equal to the last chosen one that were left out; 0 when nothing was cut or k = 0
};

/// Maximum of each block of block_size consecutive scores; the last block may be short.
struct BlockMaxParams {
  const double* s = nullptr;    // [n]
  double* block_max = nullptr;  // [ceil(n / block_size)]
  Index n = 0;
  Index block_size = 0;
};

}  // namespace lacuna::kernels
