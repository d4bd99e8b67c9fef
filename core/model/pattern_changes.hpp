// Variations of a description: what a study changes about a published model, one field at a time.
//
// Rows and index keys can be shared among layers in any model whose mechanism can read another layer's: a source owns
// them, and every other layer reads the latest source before it whose rows stand for as many tokens. The published
// V4.1-Flash is row_sources = [2, 8, 14, 20] and index_sources = [2, 8, 14, 20, 24, 28, 32, 36] in these terms; its
// config.json calls them kv_source_layer_ids and index_source_layer_ids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/model/description.hpp"

namespace lacuna {

struct PatternChanges {
  std::optional<Index> layers = {};                      ///< the first so many
  std::optional<std::vector<Index>> ratios = {};         ///< one per layer, of shared states
  std::optional<Index> kv_heads = {};                    ///< of projected attention
  std::optional<bool> shared = {};                       ///< false: every layer owns what it reads
  std::optional<std::vector<Index>> row_sources = {};    ///< labels, ascending
  std::optional<std::vector<Index>> index_sources = {};  ///< labels, ascending; unset with row_sources: the same
  std::optional<Index> local_window = {};                ///< of layers that have one
  std::optional<Index> top_k = {};                       ///< of layers that select
  std::optional<CandidatePool> pool = {};                ///< blocks = 0: none
};

/// A change that does not go with the model.
struct PatternFault : UsageError {
  PatternFault(std::string field_name, const std::string& message)
      : UsageError(message), field(std::move(field_name)) {}
  std::string field;  ///< of PatternChanges, or "" when it lies in several
};

/// The changed model, checked. An encoder stays one only while no layer behind the first one after it makes rows, and a
/// pool goes with the layer that builds it. Throws PatternFault.
ModelDescription changed(ModelDescription model, const PatternChanges& changes);

}  // namespace lacuna
