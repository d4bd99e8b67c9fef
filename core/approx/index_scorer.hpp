// The scores of a layer's own lightning indexer, as a path keeps its keys:
//
//   I_ij = sum_h weight_ih max( q_ih . k_j , 0 )
//
// one score per query and cached row, the same for every head. With `index_store` the index queries and keys go through
// a storage format (block by block, each query and each key for itself), with `index_rotate` behind a Hadamard
// rotation of so many channels, as DeepSeek-V3.2 and V4 do (inference/model.py); the weights are not stored.
//
// The published decoder of DeepSeek-V4.1-Flash keeps the index keys that are scored in one slot for all layers, renewed
// only where a layer completes a row. `index_slot_defect` reproduces that: at a query whose token completes no row of
// this layer, the keys in the slot are those of the last layer that did. Off by default; the intended keys are its own.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/approx/query_view.hpp"
#include "core/approx/store.hpp"

namespace lacuna {

/// The index scores of one query, as far as they were computed.
struct IndexAnswer {
  KeySet scored;
  std::vector<double> s;  ///< [visible]; entries outside `scored` are -inf
};

class IndexScorer {
 public:
  /// From "index_store", "index_rotate", "index_slot_defect"; the layer has index tensors.
  IndexScorer(const Parameters& path, const LayerView& layer);
  /// Why a source's index vectors do not suit the path, naming the parameter.
  static std::optional<ParameterFault> check(const Parameters& path, Index d_index, bool has_slot);

  /// Rows [begin, end) became readable.
  void append(Index begin, Index end);
  /// Scores of the keys in `among`, [visible]. What was scored before for the same query is not scored again; `answer`
  /// has all of it.
  const std::vector<double>& scores(GroupQuery& query, const KeySet& among);
  bool answered(Index query) const { return asked_ == query; }
  /// What `scores` last computed; nullptr before.
  std::shared_ptr<const IndexAnswer> answer() const { return answer_; }
  /// Bytes of the index keys of so many rows.
  Index key_bytes(Index rows) const;

 private:
  void compute(const GroupQuery& query, const KeySet& among, std::vector<double>& s) const;
  /// Whether the last row that the query sees was completed by its own token.
  bool completes_row(const QueryView& query) const;

  const IndexTensors& index_;
  bool has_slot_defect_;
  Index row_bytes_;                         // of a key that no format stores
  std::vector<Index> key_position_;         // [s_kv]
  std::unique_ptr<StoredTensor> stored_q_;  // [index_heads, s_q, d_index]; none: as the source has it
  std::unique_ptr<StoredTensor> stored_k_;  // [1, s_kv, d_index]
  std::unique_ptr<StoredTensor> stored_slot_k_;
  Tensor q_, k_, slot_k_;  // what is scored with: views of the stored ones, or of the source's
  Index asked_ = -1;       // query that the answer belongs to
  std::shared_ptr<IndexAnswer> answer_;
};

/// "index_store", "index_rotate", "index_slot_defect".
std::vector<ParameterSpec> index_parameters();

}  // namespace lacuna
