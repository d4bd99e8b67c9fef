#include "core/model/layer_pass.hpp"

#include <utility>

namespace lacuna {

void LayerPass::in_order(Index count, const std::function<void(Index)>& work) {
  for (Index t = 0; t < count; ++t) work(t);
}

LayerPass::LayerPass(const Decoder& decoder, std::span<const Index> tokens, EachToken each_token)
    : decoder_(&decoder), each_token_(std::move(each_token)), cache_(decoder.start()) {
  decoder.check_tokens(tokens, 0);
  for (const Index token : tokens) {
    const Index position = static_cast<Index>(position_.size());
    hidden_.push_back(decoder.embed(token, position));
    position_.push_back(position);
  }
  input_.resize(hidden_.size());
  open_layer();
}

bool LayerPass::done() const { return place_ == static_cast<Index>(decoder_->model().layers.size()); }

void LayerPass::open_layer() {
  queries_.clear();
  if (done()) {
    cache_.tokens = tokens();
    return;
  }
  each_token_(tokens(), [&](Index t) { input_[t] = decoder_->attention_input(place_, hidden_[t]); });
  const Mechanism* attention = decoder_->mechanism(place_);
  if (attention == nullptr) return;
  for (const std::vector<double>& x : input_) attention->append(x, std::get<LayerCache>(cache_.layers[place_]));
  queries_.resize(input_.size());
  each_token_(tokens(), [&](Index t) { queries_[t] = attention->query(input_[t], t); });
}

AttentionProblem LayerPass::problem(std::span<const Index> query_position) const {
  LACUNA_ASSERT(attends());
  std::vector<QueryRows> queries;
  for (const Index position : query_position) queries.push_back(queries_[position]);
  AttentionProblem problem = problem_of<double>(decoder_->attention_inputs(place_, cache_, queries, query_position));
  problem.selection_layer = decoder_->model().layers[place_].selection_of;
  return problem;
}

void LayerPass::advance(std::span<const double> o) {
  LACUNA_ASSERT(!done());
  if (const Mechanism* attention = decoder_->mechanism(place_)) {
    const Index width = attention->shape().h_q * attention->shape().d_v;
    LACUNA_ASSERT(static_cast<Index>(o.size()) == tokens() * width);
    each_token_(tokens(), [&](Index t) {
      decoder_->finish_layer(place_, attention->output(o.subspan(t * width, width), t), hidden_[t]);
    });
  } else {
    LACUNA_ASSERT(o.empty());
    for (Index t = 0; t < tokens(); ++t)
      decoder_->finish_layer(place_, decoder_->retain(place_, input_[t], cache_), hidden_[t]);
  }
  ++place_;
  open_layer();
}

}  // namespace lacuna
