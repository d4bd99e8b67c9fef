// The compressors of DeepSeek-V4 and V4.1: a group of r tokens becomes one cached entry.
//
// Token i stands in slot u = i mod r of group floor(i / r). It brings values and logits,
//
//   C_i = W_kv x_i ,   Z_i = W_gate x_i + ape_u ,                                                                   (1)
//
// and a softmax over slots, separate in every channel c, weighs the values of group j (HCA: r = 128; CSA2: r = 2, no
// ape):
//
//   e_j[c] = sum_i a_i[c] C_i[c] ,   a[c] = softmax( Z_i[c] ) over i = r j .. r j + r - 1 .                         (2)
//
// With overlap (CSA: r = 4) values and logits have two halves, C = [C^a | C^b] and Z = [Z^a | Z^b], each as wide as an
// entry. A group reads its own half b and half a of the group before it, in one softmax over 2 r slots:
//
//   e_j[c] = sum_{i in group j-1} w_i[c] C^a_i[c] + sum_{i in group j} w_i[c] C^b_i[c] ,                            (3)
//   w[c] = softmax( Z^a_i[c], i in group j-1 ; Z^b_i[c], i in group j ) .
//
// Before the first group stand r slots of value 0 and logit -inf, which weigh exactly 0. An entry's latent is
//
//   latent_j = RMSNorm(e_j) .                                                                                       (4)
//
// RoPE is the layer's to apply, at position r j, the first token of the entry's own group. Entry j is visible from
// position r (j + 1) - 1 on, where its last token stands; fewer than r tokens at the end of the sequence reach no
// entry.
//
// Sources: arXiv:2606.19348, section 2.3.1 (CSA, equations 9 to 17) and 2.3.2 (HCA, equations 20 to 23);
// deepseek-ai/DeepSeek-V4-Flash and deepseek-ai/DeepSeek-V4.1-Flash, inference/model.py. The published code rounds e_j
// to bf16 before (4); here everything is double.
//
// Pooling by the mean leaves the gate out: Z_i = 0 in every slot that exists. So does r = 1, where the only weight
// is 1.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/mechanism/matrix.hpp"
#include "core/mechanism/mechanism.hpp"

namespace lacuna {

enum class Pooling { gated, mean };

struct CompressorConfig {
  Index d_model = 0;
  Index width = 0;  ///< d, channels of an entry
  Index ratio = 1;  ///< r, tokens per entry
  bool overlap = false;
  bool position_bias = false;  ///< ape; of no effect when the mean is taken
  Pooling pooling = Pooling::gated;
  double eps = 1e-6;  ///< of RMSNorm

  /// Width of a token's values and logits: 2 d with overlap, else d.
  Index slot_width() const { return overlap ? 2 * width : width; }
  bool uses_position_bias() const { return pooling == Pooling::gated && position_bias; }
  /// Throws UsageError naming the field.
  void check() const;
};

struct CompressorWeights {
  Matrix kv;                  // [slot_width, d_model]
  Matrix gate;                // [slot_width, d_model]; not read when the mean is taken
  Matrix ape;                 // [ratio, slot_width]; not read without position bias
  std::vector<double> gamma;  // [width]

  /// N(0, 1 / fan in) values; logits of gate_std times that, and ape of N(0, gate_std^2); gamma 1. A weight is a pure
  /// function of seed, owner and its name, so that configurations which differ in pooling share the others.
  static CompressorWeights random(const CompressorConfig& config, double gate_std, std::uint64_t seed,
                                  std::string_view owner);
};

/// What tokens bring before the position bias.
struct CompressorInput {
  std::vector<double> values;  // [tokens, slot_width] W_kv x
  std::vector<double> logits;  // [tokens, slot_width] W_gate x; zeros when the mean is taken
};

class Compressor {
 public:
  Compressor(const CompressorConfig& config, CompressorWeights weights);

  /// The state before the first token.
  CompressorState start() const;
  /// W_kv x and W_gate x of some tokens, x [tokens, d_model].
  CompressorInput project(std::span<const double> x) const;
  /// Takes the next token, the one of that index in `input`; returns latent_j [width] when the token completes group j.
  std::optional<std::vector<double>> push(const CompressorInput& input, Index token, CompressorState& state) const;
  /// The same of a token alone, x [d_model].
  std::optional<std::vector<double>> push(std::span<const double> x, CompressorState& state) const {
    return push(project(x), 0, state);
  }

  /// Position from which entry j is visible.
  Index key_position(Index j) const { return (j + 1) * config_.ratio - 1; }
  /// Position by which the layer rotates entry j.
  Index rope_position(Index j) const { return j * config_.ratio; }

 private:
  void take(const CompressorInput& input, Index token, CompressorState& state) const;
  std::vector<double> pool(const CompressorState& state) const;

  CompressorConfig config_;
  CompressorWeights weights_;
};

}  // namespace lacuna
