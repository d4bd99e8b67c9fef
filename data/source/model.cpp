#include "data/source/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/rng.hpp"
#include "core/model/dense_attention.hpp"
#include "data/base/sha256.hpp"

namespace lacuna {
namespace {

bool same_heads(const MechanismShape& a, const MechanismShape& b) {
  return a.h_q == b.h_q && a.h_kv == b.h_kv && a.d_qk == b.d_qk && a.d_v == b.d_v && a.shared_kv == b.shared_kv;
}

std::vector<double> attend_exactly(const LayerPass& pass) {
  return pass.attends() ? dense_attention(pass.problem()) : std::vector<double>();
}

}  // namespace

ModelSource::ModelSource(const Parameters& parameters, std::uint64_t seed)
    : ModelSource(parameters, seed, open_model(parameters, seed)) {}

ModelSource::ModelSource(const Parameters& parameters, std::uint64_t seed, ModelParts parts)
    : decoder_(std::move(parts.decoder)),
      tokens_(std::move(parts.tokens)),
      files_(std::move(parts.files)),
      notes_(std::move(parts.notes)),
      seed_(seed),
      n_(tokens_.empty() ? parameters.integer("n") : static_cast<Index>(tokens_.front().size())) {
  for (const std::string& file : files_) identity_.push_back(identify(file));
  const Index every = parameters.integer("judge_every");
  const Index sequences = tokens_.empty() ? parameters.integer("sequences") : static_cast<Index>(tokens_.size());
  for (Index i = 0; i < sequences; ++i) shape_.sequence.push_back(fmt::format("{}", i));
  for (Index position = every - 1; position < n_; position += every) shape_.query_position.push_back(position);

  const std::string given = parameters.has("checkpoint") ? "checkpoint" : "preset";
  const MechanismShape* first = nullptr;
  for (std::size_t place = 0; place < decoder_.model().layers.size(); ++place) {
    const Mechanism* mechanism = decoder_.mechanism(static_cast<Index>(place));
    if (mechanism == nullptr) continue;
    const MechanismShape& shape = mechanism->shape();
    if (first == nullptr) first = &shape;
    if (!same_heads(shape, *first))
      throw ParameterError(
          {{given, fmt::format("the layers of {} have heads of different extents", decoder_.model().name)}});
    shape_.layer.push_back(decoder_.model().layers[place].label);
    if (!shape.has_rows && !decoder_.model().layers[place].rows_of) shape_.without_rows.push_back(shape_.layer.back());
    if (shape.has_rows) shape_.keys = std::max(shape_.keys, n_ / shape.ratio);
    shape_.has_local |= shape.local_window > 0;
    shape_.has_sink |= !shape.sink_logit.empty();
    shape_.d_index = std::max(shape_.d_index, shape.d_index);
  }
  if (first == nullptr) throw ParameterError({{given, fmt::format("no layer of {} attends", decoder_.model().name)}});
  for (Index head = 0; head < first->h_q; ++head) {
    shape_.head.push_back(head);
    shape_.kv_head.push_back(head * first->h_kv / first->h_q);
  }
  shape_.d_qk = first->d_qk;
  shape_.d_v = first->d_v;
  shape_.shared_kv = first->shared_kv;
}

std::vector<Index> ModelSource::tokens(Index sequence) const {
  if (!tokens_.empty()) return tokens_[sequence];
  const CounterRng rng(seed_, "model.tokens", static_cast<std::uint64_t>(sequence));
  const auto vocabulary = static_cast<double>(decoder_.model().vocabulary);
  std::vector<Index> ids;
  for (Index t = 0; t < n_; ++t)
    ids.push_back(static_cast<Index>(std::floor(vocabulary * rng.uniform(static_cast<std::uint64_t>(t)))));
  return ids;
}

std::string ModelSource::input_sha256() const {
  const std::lock_guard lock(mutex_);
  if (!digest_.empty() || files_.empty()) return digest_;
  std::vector<std::string> digests;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    check_unchanged(files_[i], identity_[i]);
    digests.push_back(file_sha256(files_[i]));
  }
  return digest_ = sha256_of_digests(digests);
}

AttentionProblem ModelSource::load(Index sequence, Index layer) const {
  const std::lock_guard lock(mutex_);
  const Index place = place_of(layer);
  if (kept_ == nullptr || kept_sequence_ != sequence || kept_->place() > place) {
    kept_ = std::make_unique<LayerPass>(decoder_, tokens(sequence));
    kept_sequence_ = sequence;
  }
  while (kept_->place() < place) kept_->advance(attend_exactly(*kept_));
  return kept_->problem(shape_.query_position);
}

namespace {

const bool registered = SourceRegistry::instance().add(
    {.name = "model",
     .sentence = "A whole decoder: a checkpoint reading tokens, or a published one scaled down, with random weights.",
     .parameters = model_parameters(),
     .check = check_model,
     .open = [](const Parameters& source, std::uint64_t seed) { return std::make_unique<ModelSource>(source, seed); }});

}  // namespace
}  // namespace lacuna
