#include "core/approx/query_view.hpp"

#include "core/approx/share.hpp"

namespace lacuna {

void score_rows(const LayerView& layer, const kernels::Backend& backend, Index head, Index query, const Rows& keys,
                Index begin, Index end, double* s) {
  const Rows queries = layer.queries(head);
  keys.visit([&]<class T>(const TypedRows<T>& k) {
    queries.visit([&]<class U>(const TypedRows<U>& q) {
      if constexpr (std::is_same_v<T, U>) {
        kernels::ScoreParams<T> params;
        params.q = q.row(query);
        params.k = k.row(begin);
        params.s = s;
        params.h = 1;
        params.s_kv = end - begin;
        params.d_qk = k.width;
        params.q_stride = q.stride;
        params.k_stride = k.stride;
        params.sm_scale = layer.sm_scale;
        backend.score(params);
      } else {
        throw InternalError("queries and keys have different element types");
      }
    });
  });
}

QueryView::QueryView(const LayerView& layer, const kernels::Backend& backend, Index query)
    : layer_(layer),
      backend_(backend),
      query_(query),
      position_(layer.query_position[query]),
      seen_(layer.seen(position_)),
      q_(layer.h_q()),
      scores_(layer.h_q()) {
  for (Index head = 0; head < layer.h_q(); ++head) {
    q_[head].resize(layer.d_qk());
    for (Index c = 0; c < layer.d_qk(); ++c) q_[head][c] = layer.queries(head).at(query, c);
  }
}

std::span<const double> QueryView::scores(Index head, HeadCost& cost) {
  cost.scored_every_key = true;
  std::vector<double>& s = scores_[head];
  if (s.empty() && visible() > 0) {
    s.resize(visible());
    score_rows(layer_, backend_, head, query_, layer_.keys(layer_.kv_head_of(head)), 0, visible(), s.data());
  }
  return s;
}

void QueryView::score_listed(Index head, const KeySet& keys, std::vector<double>& s) const {
  for_each_run(keys, [&](Index begin, Index end) {
    score_rows(layer_, backend_, head, query_, layer_.keys(layer_.kv_head_of(head)), begin, end, s.data() + begin);
  });
}

std::vector<double> QueryView::score_local(Index head, const KeySet& listed) const {
  std::vector<double> s(seen_.local);
  for_each_run(listed, [&](Index begin, Index end) {
    score_rows(layer_, backend_, head, query_, layer_.local_keys(layer_.kv_head_of(head)), seen_.local_begin + begin,
               seen_.local_begin + end, s.data() + begin);
  });
  return s;
}

std::vector<double> GroupQuery::scores(const KeySet& among) {
  std::vector<std::vector<double>> by_head;
  for (const Index head : heads) {
    if (static_cast<Index>(among.size()) == view.visible()) {
      const auto s = view.scores(head, cost[head]);
      by_head.emplace_back(s.begin(), s.end());
    } else {
      by_head.emplace_back(static_cast<std::size_t>(view.visible()), 0.0);
      view.score_listed(head, among, by_head.back());
      cost[head].scored = set_union(cost[head].scored, among);
    }
  }
  return shared_scores(by_head, among);
}

}  // namespace lacuna
