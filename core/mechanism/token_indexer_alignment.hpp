// Weights of the V3.2 indexer that score as the main heads do, and how far random ones depart from them.
//
// A main head scores with A_h qr against the latent row [c ; k^R], where A_h = [(W^UK_h)^T W^Qn_h ; W^Qr_h] is linear
// in qr (mla.hpp, equation 2). An index head has d_I channels for the c + d_r of the latent row: it takes the rotated
// ones, all of them, and N = min(d_I - d_r, c) of the latent, evenly spread.
//
//   index channel          of A_h and of [c ; k^R]
//   p < d_r/2              rotated channel 2p                                                            (1)
//   d_r/2 <= p < d_r       rotated channel 2(p - d_r/2) + 1                                              (2)
//   d_r + n, n < N         latent channel floor(n c / N); in the key, times the gain of its norm         (3)
//
// so that the half-split pairs of the index turn by the angles of the interleaved pairs of MLA. Channels from d_r + N
// on are 0. Which main head an index head follows, and with which sign and weight, is in index_heads.hpp; the weight is
// constant, because hidden states are generated with channel 0 equal to 1, and row i of W^W is the weight times e_0.
//
// Two things keep the agreement approximate: the latent channels left out, and the LayerNorm, which divides the rotated
// channels too and subtracts a mean. Queries, keys and weights are all mixed, so that with paired heads the correlation
// with the main scores falls about as the cube of `quality`.
#pragma once

#include "core/mechanism/sparse_mla.hpp"

namespace lacuna {

/// Equations 1 to 3; norm gain 1 and bias 0.
TokenIndexerWeights aligned_token_indexer(const SparseMlaConfig& config, const MlaWeights& mla);

/// Independent N(0, 1 / fan in), W^QI times score_std; norm gain 1 and bias 0.
TokenIndexerWeights random_token_indexer(const SparseMlaConfig& config, double score_std, std::uint64_t seed);

/// quality * aligned + sqrt(1 - quality^2) * random, each matrix; the norm is the aligned one's.
TokenIndexerWeights mixed_token_indexer(double quality, const TokenIndexerWeights& aligned,
                                        const TokenIndexerWeights& random);

}  // namespace lacuna
