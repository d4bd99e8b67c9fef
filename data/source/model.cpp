#include "data/source/model.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/rng.hpp"
#include "core/model/dense_attention.hpp"
#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"
#include "core/model/scaled.hpp"
#include "data/source/mechanism_source.hpp"

namespace lacuna {
namespace {

constexpr Index kWidest = 1024;

ModelDescription model_of(const Parameters& source) {
  const Index d_model = source.integer("d_model");
  if (d_model > kWidest)
    throw UsageError(
        fmt::format("source.d_model = {}: a model is run whole and in double, so published extents are "
                    "refused; the widest is {}",
                    d_model, kWidest));
  ModelDescription model = describe_model(source.text("preset"));
  const std::string name = model.name;
  if (source.integer("layers") > 0) try {
      model = changed(std::move(model), {.layers = source.integer("layers")});
    } catch (const PatternFault& fault) {
      throw UsageError(fmt::format("source.layers: {}", fault.what()));
    }
  model = scaled(std::move(model),
                 {.d_model = d_model, .vocabulary = source.integer("vocabulary"), .window = source.integer("window")});
  model.name = name;
  if (model.learned_positions > 0 && source.integer("n") > model.learned_positions)
    throw UsageError(
        fmt::format("source.n = {}; {} has {} learned positions", source.integer("n"), name, model.learned_positions));
  return model;
}

Decoder decoder_of(const Parameters& source, std::uint64_t seed) {
  const ModelDescription model = model_of(source);
  return Decoder(model, ModelWeights::random(model,
                                             {.score_std = source.real("score_std"),
                                              .index_quality = source.real("index_quality"),
                                              .query_similarity = source.real("query_similarity")},
                                             seed));
}

bool same_heads(const MechanismShape& a, const MechanismShape& b) {
  return a.h_q == b.h_q && a.h_kv == b.h_kv && a.d_qk == b.d_qk && a.d_v == b.d_v && a.shared_kv == b.shared_kv;
}

std::vector<double> attend_exactly(const LayerPass& pass) {
  return pass.attends() ? dense_attention(pass.problem()) : std::vector<double>();
}

}  // namespace

ModelSource::ModelSource(const Parameters& parameters, std::uint64_t seed)
    : decoder_(decoder_of(parameters, seed)), seed_(seed), n_(parameters.integer("n")) {
  const Index every = parameters.integer("judge_every");
  if (every > n_) throw UsageError(fmt::format("source.judge_every = {} is more than source.n = {}", every, n_));
  for (Index i = 0; i < parameters.integer("sequences"); ++i) shape_.sequence.push_back(fmt::format("{}", i));
  for (Index position = every - 1; position < n_; position += every) shape_.query_position.push_back(position);

  const MechanismShape* first = nullptr;
  for (std::size_t place = 0; place < decoder_.model().layers.size(); ++place) {
    const Mechanism* mechanism = decoder_.mechanism(static_cast<Index>(place));
    if (mechanism == nullptr) continue;
    const MechanismShape& shape = mechanism->shape();
    if (first == nullptr) first = &shape;
    if (!same_heads(shape, *first))
      throw UsageError(
          fmt::format("source.preset = \"{}\": its layers have heads of different extents", parameters.text("preset")));
    shape_.layer.push_back(decoder_.model().layers[place].label);
    if (shape.has_rows) shape_.keys = std::max(shape_.keys, n_ / shape.ratio);
    shape_.has_local |= shape.local_window > 0;
    shape_.has_sink |= !shape.sink_logit.empty();
    shape_.d_index = std::max(shape_.d_index, shape.d_index);
  }
  if (first == nullptr)
    throw UsageError(fmt::format("source.preset = \"{}\": none of its layers attends", parameters.text("preset")));
  for (Index head = 0; head < first->h_q; ++head) {
    shape_.head.push_back(head);
    shape_.kv_head.push_back(head * first->h_kv / first->h_q);
  }
  shape_.d_qk = first->d_qk;
  shape_.d_v = first->d_v;
  shape_.shared_kv = first->shared_kv;
}

std::vector<Index> ModelSource::tokens(Index sequence) const {
  const CounterRng rng(seed_, "model.tokens", static_cast<std::uint64_t>(sequence));
  const auto vocabulary = static_cast<double>(decoder_.model().vocabulary);
  std::vector<Index> ids;
  for (Index t = 0; t < n_; ++t)
    ids.push_back(static_cast<Index>(std::floor(vocabulary * rng.uniform(static_cast<std::uint64_t>(t)))));
  return ids;
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

ParameterSpec fixed(ParameterSpec spec) {
  spec.sweepable = false;
  return spec;
}

ParameterSpec share(std::string key, double value, std::string sentence) {
  return {.key = std::move(key),
          .type = ParameterType::real,
          .unit = "1",
          .minimum = 0,
          .maximum = 1,
          .default_value = value,
          .sentence = std::move(sentence)};
}

std::vector<ParameterSpec> parameters() {
  ParameterSpec layers = fixed(extent("layers", "1", 0, "The first so many layers of the preset; 0: all of them."));
  layers.minimum = 0;
  return {{.key = "preset",
           .type = ParameterType::text,
           .required = true,
           .sweepable = false,
           .sentence = "The published model (core/model/presets) whose layers, ratios and sharing are kept; its widths "
                       "are scaled down."},
          extent("d_model", "channels", 64, "Width of the residual stream, a multiple of 16 up to 1024."),
          layers,
          extent("vocabulary", "tokens", 256, "Tokens of the vocabulary."),
          extent("window", "tokens", 8, "Newest tokens whose own rows are read, in layers that have a window."),
          fixed(extent("n", "tokens", 512, "Tokens of a sequence, uniform over the vocabulary.")),
          fixed(extent("sequences", "1", 1, "Independent sequences.")),
          {.key = "score_std",
           .type = ParameterType::real,
           .unit = "1",
           .minimum = 0,
           .maximum = 1e6,
           .default_value = 2.0,
           .sentence = "Factor on the query weights: scores deviate by about as much."},
          share("index_quality", 0.9, "How far indexers agree with the main attention: 0 random, 1 aligned."),
          share("query_similarity", 0.9, "Share of the query weights of shared states that all layers have in common."),
          fixed(extent("judge_every", "tokens", 16, "The last of every so many tokens is a query that is judged."))};
}

const bool registered = SourceRegistry::instance().add(
    {.name = "model",
     .sentence = "A whole decoder, scaled down from a published one, with random weights, reading random tokens.",
     .parameters = parameters(),
     .open = [](const Parameters& source, std::uint64_t seed) { return std::make_unique<ModelSource>(source, seed); }});

}  // namespace
}  // namespace lacuna
