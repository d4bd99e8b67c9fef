// A decoder reading tokens: the attention problems of its exact run.
//
// From a checkpoint (data/checkpoint) it is a trained model, which reads the tokens of a file. From a preset it is the
// published model scaled down (core/model/scaled.hpp): layers, ratios and what layers share are the published ones,
// widths are not. There the weights are random, and so are the tokens, independent and uniform over the vocabulary,
// where no file gives them: the model predicts nothing, its losses lie about the logarithm of the vocabulary, and what
// can be asked of it is how far an approximate run's predictions move from the exact run's.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/model/layer_pass.hpp"
#include "data/base/file_identity.hpp"
#include "data/problem_source.hpp"
#include "data/source/model_parts.hpp"

namespace lacuna {

class ModelSource final : public ProblemSource {
 public:
  /// ParameterError where the parameters give no model, or one whose layers have heads of different extents.
  ModelSource(const Parameters& parameters, std::uint64_t seed);

  /// Layers are the attention layers, queries the judged positions: the last of every `judge_every` tokens.
  const SourceShape& shape() const override { return shape_; }
  /// In double. The exact run's hidden states are those of the model's own exact attention (attend_layer.hpp).
  AttentionProblem load(Index sequence, Index layer) const override;

  std::string input_sha256() const override;
  std::vector<std::string> input_files() const override { return files_; }
  std::vector<std::string> notes() const override { return notes_; }

  const Decoder& decoder() const { return decoder_; }
  /// Place in the model of an attention layer, by index.
  Index place_of(Index layer) const { return decoder_.model().place_of(shape_.layer[layer]); }
  /// Token ids of a sequence, [n].
  std::vector<Index> tokens(Index sequence) const;

 private:
  ModelSource(const Parameters& parameters, std::uint64_t seed, ModelParts parts);

  Decoder decoder_;
  std::vector<std::vector<Index>> tokens_;  // [sequence][n]; empty: random ones
  std::vector<std::string> files_;
  std::vector<FileIdentity> identity_;  // [file]
  std::vector<std::string> notes_;
  std::uint64_t seed_;
  Index n_;
  SourceShape shape_;
  mutable std::mutex mutex_;
  mutable std::string digest_;
  /// The exact run as far as it went, of the sequence that was asked for last.
  mutable Index kept_sequence_ = -1;
  mutable std::unique_ptr<LayerPass> kept_;
};

}  // namespace lacuna
