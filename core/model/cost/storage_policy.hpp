// How each kind of cached tensor is stored.
#pragma once

#include "core/model/cost/row_storage.hpp"
#include "core/model/description.hpp"

namespace lacuna {

struct StoragePolicy {
  RowStorage main{"bf16"};        ///< rows that reach over the prefix: each K and V of a head, latents, entries
  RowStorage index{"bf16"};       ///< index keys
  RowStorage local{"bf16"};       ///< rows of the window
  Index state_element_bytes = 4;  ///< compressors and retention keep f32

  struct Fault {
    std::string kind;  ///< "main", "index" or "local"
    std::string message;
  };
  /// What the model's rows do not fit, of every kind once.
  std::vector<Fault> check(const ModelDescription& model) const;
};

}  // namespace lacuna
