#include "data/source/mechanism_source.hpp"

#include <algorithm>
#include <utility>

#include "core/mechanism/problem.hpp"
#include "data/source/parameter_rules.hpp"
#include "data/source/parameter_specs.hpp"

namespace lacuna {

ParameterSpec independent_layers() { return fixed(extent("layers", "1", 1, "Layers, independent of each other.")); }

std::vector<ParameterSpec> indexer_parameters(std::int64_t heads, std::int64_t width) {
  return {extent("index_heads", "1", heads, "Heads of the lightning indexer."),
          extent("d_index", "channels", width, "Width of index queries and keys."),
          share("index_quality", 0.9,
                "How far the indexer's weights agree with the main attention's: 0 random, 1 aligned.")};
}

std::vector<ParameterSpec> mechanism_parameters() {
  ParameterSpec n = extent("n", "tokens", 4096, "Tokens of the sequence.");
  n.maximum = 1 << 24;
  std::vector<ParameterSpec> specs = {
      n, fixed(extent("queries", "1", 63, "Queries, evenly spread; the last one stands at the last token.")),
      fixed(extent("sequences", "1", 1, "Independent sequences.")),
      score_deviation("Factor on the mechanism's score scale: random weights give scores of about this deviation.")};
  for (ParameterSpec& spec : hidden_state_parameters()) specs.push_back(std::move(spec));
  return specs;
}

std::uint64_t weight_seed(std::uint64_t seed, Index layer) {
  const auto words = CounterRng(seed, "mechanism.weights").words(static_cast<std::uint64_t>(layer));
  return (static_cast<std::uint64_t>(words[0]) << 32) + words[1];
}

std::vector<MechanismLayer> layers_that_differ_in_weights(
    const Parameters& source, std::uint64_t seed,
    const std::function<std::shared_ptr<const Mechanism>(std::uint64_t)>& make) {
  std::vector<MechanismLayer> result;
  for (Index layer = 0; layer < source.integer("layers"); ++layer)
    result.push_back({.label = layer, .mechanism = make(weight_seed(seed, layer))});
  return result;
}

namespace {

std::vector<ParameterFault> check_queries(const Parameters& source) {
  return ParameterRules(source).at_most("queries", "n").faults();
}

}  // namespace

SourceKind mechanism_source_kind(std::string name, std::string sentence, const MechanismSourceParts& parts) {
  std::vector<ParameterSpec> parameters = mechanism_parameters();
  for (const std::vector<ParameterSpec>& part : parts.own)
    parameters.insert(parameters.end(), part.begin(), part.end());
  return {.name = std::move(name),
          .sentence = std::move(sentence),
          .parameters = std::move(parameters),
          .check =
              [own = parts.check](const Parameters& source) {
                std::vector<ParameterFault> faults = check_queries(source);
                for (ParameterFault& fault : own(source)) faults.push_back(std::move(fault));
                return faults;
              },
          .open =
              [layers = parts.layers](const Parameters& source, std::uint64_t seed) {
                return std::make_unique<MechanismSource>(source, seed, layers(source, seed));
              }};
}

MechanismSource::MechanismSource(const Parameters& parameters, std::uint64_t seed, std::vector<MechanismLayer> layers)
    : hidden_(HiddenStatesConfig::from(parameters)),
      seed_(seed),
      score_std_(parameters.real("score_std")),
      layers_(std::move(layers)) {
  require_no_faults(check_queries(parameters));
  const Index n = parameters.integer("n");
  const Index queries = parameters.integer("queries");
  const MechanismShape& first = layers_.front().mechanism->shape();
  for (Index i = 0; i < parameters.integer("sequences"); ++i) shape_.sequence.push_back(fmt::format("{}", i));
  for (Index i = 0; i < first.h_q; ++i) {
    shape_.head.push_back(i);
    shape_.kv_head.push_back(i * first.h_kv / first.h_q);
  }
  for (Index i = 0; i < queries; ++i) shape_.query_position.push_back((i + 1) * n / queries - 1);
  shape_.d_qk = first.d_qk;
  shape_.d_v = first.d_v;
  shape_.has_sink = !first.sink_logit.empty();
  shape_.shared_kv = first.shared_kv;
  shape_.has_local = first.local_window > 0;
  for (const MechanismLayer& layer : layers_) {
    const MechanismShape& shape = layer.mechanism->shape();
    shape_.layer.push_back(layer.label);
    if (!shape.has_rows && !layer.rows_of) shape_.without_rows.push_back(layer.label);
    if (shape.has_rows) shape_.keys = std::max(shape_.keys, n / shape.ratio);
    shape_.d_index = std::max(shape_.d_index, shape.d_index);
    shape_.has_index_slot |= layer.slot_of.has_value();
  }
}

Index MechanismSource::index_of(Index label) const {
  const auto found =
      std::find_if(layers_.begin(), layers_.end(), [&](const auto& layer) { return layer.label == label; });
  LACUNA_ASSERT(found != layers_.end());
  return found - layers_.begin();
}

std::shared_ptr<const MechanismSource::Pass> MechanismSource::run(Index sequence, Index layer) const {
  const std::lock_guard lock(mutex_);
  if (kept_sequence_ != sequence) kept_.clear();
  kept_sequence_ = sequence;
  if (const auto kept = kept_.find(layer); kept != kept_.end()) return kept->second;

  const Mechanism& mechanism = *layers_[layer].mechanism;
  auto pass = std::make_shared<Pass>();
  pass->cache = mechanism.start();
  HiddenStates states(hidden_, seed_, sequence, layers_[layer].label);
  std::vector<double> x(hidden_.d_model);
  auto query = shape_.query_position.begin();
  for (Index position = 0; position <= shape_.query_position.back(); ++position) {
    states.next(x);
    mechanism.append(x, pass->cache);
    if (position != *query) continue;
    pass->queries.push_back(mechanism.query(x, position));
    ++query;
  }
  const Index label = layers_[layer].label;
  const bool is_read_by_others = std::any_of(layers_.begin(), layers_.end(), [&](const MechanismLayer& other) {
    return other.rows_of == label || other.slot_of == label;
  });
  if (is_read_by_others) kept_[layer] = pass;
  return pass;
}

AttentionProblem MechanismSource::load(Index sequence, Index layer) const {
  const MechanismLayer& of_model = layers_[layer];
  const MechanismShape& shape = of_model.mechanism->shape();
  const auto own = run(sequence, layer);
  const auto owner = of_model.rows_of ? run(sequence, index_of(*of_model.rows_of)) : own;
  const bool reads_rows = of_model.rows_of.has_value() || shape.has_rows;
  AttentionProblem problem = problem_of<float>({.mechanism = of_model.mechanism.get(),
                                                .rows = reads_rows ? &owner->cache : nullptr,
                                                .local = &own->cache,
                                                .queries = own->queries,
                                                .query_position = shape_.query_position});
  problem.sm_scale *= score_std_;
  problem.selection_layer = of_model.selection_layer;
  if (of_model.slot_of && problem.index) {
    const std::vector<double>& keys = run(sequence, index_of(*of_model.slot_of))->cache.index_k;
    problem.index->slot_k = Tensor(1, static_cast<Index>(keys.size()) / shape.d_index, shape.d_index,
                                   std::vector<float>(keys.begin(), keys.end()));
  }
  return problem;
}

}  // namespace lacuna
