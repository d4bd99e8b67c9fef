// What the mechanism sources have in common: hidden states go through the layers of a mechanism (core/mechanism), and
// what comes out, rounded to f32, is the attention problem of each layer. Weights belong to the model: they depend on
// the seed and the layer, not on the sequence.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/mechanism/mechanism.hpp"
#include "data/problem_source.hpp"
#include "data/source/hidden_states.hpp"

namespace lacuna {

/// One layer of the model.
struct MechanismLayer {
  Index label = 0;  ///< the model's own number
  std::shared_ptr<const Mechanism> mechanism;
  std::optional<Index> rows_of = {};          ///< label of the layer whose cache it reads, when not its own
  std::optional<Index> selection_layer = {};  ///< label of the layer whose selection it takes over
  std::optional<Index> slot_of = {};          ///< label of the layer whose index keys its slot holds when not renewed
};

/// "n", "queries", "sequences", "score_std" and those of hidden_states.hpp.
std::vector<ParameterSpec> mechanism_parameters();
/// "layers", for sources whose layers are independent of each other and numbered from 0.
ParameterSpec independent_layers();
/// "index_heads", "d_index", "index_quality".
std::vector<ParameterSpec> indexer_parameters(std::int64_t heads, std::int64_t width);

/// A seed for the weights of one layer.
std::uint64_t weight_seed(std::uint64_t seed, Index layer);

/// Layers 0, 1, ... ("layers" of them) that differ in their weights alone; `make` takes the seed of those.
std::vector<MechanismLayer> layers_that_differ_in_weights(
    const Parameters& source, std::uint64_t seed,
    const std::function<std::shared_ptr<const Mechanism>(std::uint64_t weight_seed)>& make);

/// What makes a kind of mechanism source.
struct MechanismSourceParts {
  std::vector<std::vector<ParameterSpec>> own;              ///< its parameters beside mechanism_parameters()
  std::vector<ParameterFault> (*check)(const Parameters&);  ///< which of its own do not go together
  /// Its layers, from the resolved parameters and the experiment's seed.
  std::vector<MechanismLayer> (*layers)(const Parameters&, std::uint64_t);
};

SourceKind mechanism_source_kind(std::string name, std::string sentence, const MechanismSourceParts& parts);

class MechanismSource : public ProblemSource {
 public:
  /// Layers in ascending order of labels. Queries stand at ((i + 1) n / queries) - 1.
  MechanismSource(const Parameters& parameters, std::uint64_t seed, std::vector<MechanismLayer> layers);
  const SourceShape& shape() const final { return shape_; }
  AttentionProblem load(Index sequence, Index layer) const final;

 private:
  struct Pass {
    LayerCache cache;
    std::vector<QueryRows> queries;
  };
  /// The hidden states of one layer, all the way through.
  std::shared_ptr<const Pass> run(Index sequence, Index layer) const;
  Index index_of(Index label) const;

  HiddenStatesConfig hidden_;
  std::uint64_t seed_;
  double score_std_;
  std::vector<MechanismLayer> layers_;
  SourceShape shape_;
  /// Passes whose rows other layers read, of the latest sequence that was asked for.
  mutable std::mutex mutex_;
  mutable Index kept_sequence_ = -1;
  mutable std::map<Index, std::shared_ptr<const Pass>> kept_;
};

}  // namespace lacuna
