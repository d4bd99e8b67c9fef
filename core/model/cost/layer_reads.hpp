// How many rows each layer reads for one token: the published selection, window and candidate pool of a description.
//
//   main    every visible row, or the top_k that the layer's own or another layer's indexer selects
//   local   the window
//   index   every visible row in a layer with an indexer; after the layer that builds the candidate pool only the
//           pool's rows (deepseek-ai/DeepSeek-V4.1-Flash, inference/model.py)
//
// A pool that holds fewer rows than top_k limits what is selected within it as well.
#pragma once

#include <optional>
#include <vector>

#include "core/model/cost/row_limit.hpp"
#include "core/model/description.hpp"

namespace lacuna {

/// Limits of (possibly many) visible rows; unset: none of them is read.
struct LayerReads {
  Index ratio = 1;  ///< tokens per row, of main and index
  std::optional<RowLimit> main = {};
  std::optional<RowLimit> local = {};  ///< of tokens
  std::optional<RowLimit> index = {};
  std::optional<RowLimit> index_without_pool = {};

  /// Rows read at a context of `tokens`, the newest of which is the one that asks.
  Index main_rows(Index tokens) const { return rows(main, tokens / ratio); }
  Index local_rows(Index tokens) const { return rows(local, tokens); }
  Index index_rows(Index tokens) const { return rows(index, tokens / ratio); }
  Index index_rows_without_pool(Index tokens) const { return rows(index_without_pool, tokens / ratio); }

 private:
  static Index rows(const std::optional<RowLimit>& limit, Index visible) { return limit ? limit->rows(visible) : 0; }
};

/// One per layer. UsageError where the pool's size cuts through top_k.
std::vector<LayerReads> layer_reads(const ModelDescription& model);

}  // namespace lacuna
