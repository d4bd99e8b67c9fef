// The pattern of DeepSeek-V4.1-Flash (deepseek-ai/DeepSeek-V4.1-Flash, config.json and inference/model.py):
//
//   before the first source             window only
//   a row source                        Full: entries and index keys of its own
//   an index source that is no row one  Reindex: the latest row source's entries and index keys, an indexer of its own
//   the others                          Reuse: the latest row source's entries, the latest index source's selection
//
// Entries are of 2 tokens in the encoder and of 1 in the decoder, whose first layer is the last row source and builds
// the candidate pool. That layer's input is what leaves the encoder, so the entries depend on the encoder alone.
#pragma once

#include <vector>

#include "core/model/description.hpp"

namespace lacuna {

struct V41Pattern {
  Index layers = 0;
  std::vector<Index> row_sources = {};    ///< labels, ascending
  std::vector<Index> index_sources = {};  ///< labels, ascending; the row sources are among them
  CandidatePool pool = {};                ///< from_layer is the decoder's first layer
};

/// 40 layers as published.
V41Pattern v41_published();

/// `widths` gives the extents; ratio and modes are those of the layer.
ModelDescription v41_pattern(const V41Pattern& pattern, const SharedStateConfig& widths, Index vocabulary, Index top_k,
                             Index feed_forward);

/// 16 layers with every mode: window only 0 and 1; Full 2, 5 and 8, the decoder's first; Reindex 11 and 14; the others
/// Reuse. d_model is a multiple of 16.
ModelDescription v41_small(Index d_model);

}  // namespace lacuna
