#include "core/model/layer_pass.hpp"

#include <algorithm>
#include <utility>

namespace lacuna {
namespace {

constexpr Index kBlock = 96;  ///< tokens

}  // namespace

LayerPass::LayerPass(const Decoder& decoder, std::span<const Index> tokens, EachIndex each)
    : decoder_(&decoder), each_(std::move(each)), cache_(decoder.start()) {
  decoder.check_tokens(tokens, 0);
  for (const Index token : tokens) {
    const Index position = static_cast<Index>(position_.size());
    const std::vector<double> h = decoder.embed(token, position);
    hidden_.insert(hidden_.end(), h.begin(), h.end());
    position_.push_back(position);
  }
  input_.resize(hidden_.size());
  open_layer();
}

void LayerPass::each_block_of_tokens(const std::function<void(Index first, Index count)>& work) const {
  each_((tokens() + kBlock - 1) / kBlock, [&](Index block) {
    const Index first = block * kBlock;
    work(first, std::min(kBlock, tokens() - first));
  });
}

bool LayerPass::done() const { return place_ == static_cast<Index>(decoder_->model().layers.size()); }

void LayerPass::open_layer() {
  queries_.clear();
  if (done()) {
    cache_.tokens = tokens();
    return;
  }
  each_block_of_tokens([&](Index first, Index count) {
    std::ranges::copy(decoder_->attention_input(place_, rows(hidden_, first, count)),
                      input_.begin() + first * decoder_->model().d_model);
  });
  const Mechanism* attention = decoder_->mechanism(place_);
  if (attention == nullptr) return;
  attention->append(input_, std::get<LayerCache>(cache_.layers[place_]));
  queries_.resize(position_.size());
  each_block_of_tokens([&](Index first, Index count) {
    std::ranges::move(attention->queries(rows(input_, first, count), first), queries_.begin() + first);
  });
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
    each_block_of_tokens([&](Index first, Index count) {
      const Index d_model = decoder_->model().d_model;
      decoder_->finish_layer(place_, attention->output(o.subspan(first * width, count * width), first),
                             std::span(hidden_).subspan(first * d_model, count * d_model));
    });
  } else {
    LACUNA_ASSERT(o.empty());
    const std::vector<double> y = decoder_->retain(place_, input_, cache_);
    each_block_of_tokens([&](Index first, Index count) {
      const Index d_model = decoder_->model().d_model;
      decoder_->finish_layer(place_, rows(y, first, count),
                             std::span(hidden_).subspan(first * d_model, count * d_model));
    });
  }
  ++place_;
  open_layer();
}

}  // namespace lacuna
