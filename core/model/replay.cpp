#include "core/model/replay.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/model/dense_attention.hpp"

namespace lacuna {
namespace {

using HeadRows = std::vector<std::vector<double>>;  // [h_kv][rows, width]

/// Exact attention of one query of the layer, whose token is in the cache.
std::vector<double> attend_one(const Decoder& decoder, Index place, const ModelCache& cache, const QueryRows& query,
                               Index position) {
  return ExactAttend().attend(decoder.model().layers[place].label,
                              decoder.attention_inputs(place, cache, std::span(&query, 1), std::span(&position, 1)));
}

void copy_row(const HeadRows& from, HeadRows& to, Index row) {
  for (std::size_t g = 0; g < from.size(); ++g)
    std::ranges::copy(from[g], to[g].begin() + row * static_cast<Index>(from[g].size()));
}

/// The window row of a token that the cache holds, from x [d_model]. The mechanism makes it in a cache of that token
/// alone, whose other rows are dropped.
void renew_window_row(const Mechanism& mechanism, std::span<const double> x, Index position, LayerCache& cache) {
  if (mechanism.shape().local_window == 0) return;
  LayerCache one = mechanism.start();
  one.tokens = position;
  mechanism.append(x, one);
  copy_row(one.local, cache.local, position);
  copy_row(one.local_v, cache.local_v, position);
}

/// Tokens whose states are not there, up to `tokens`, in a layer that makes no rows but those of its window.
void append_absent(const Mechanism& mechanism, Index tokens, LayerCache& cache) {
  const MechanismShape& shape = mechanism.shape();
  LACUNA_ASSERT(!shape.has_rows);
  cache.tokens = tokens;
  if (shape.local_window == 0) return;
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  for (std::vector<double>& rows : cache.local) rows.resize(tokens * shape.d_qk, kAbsent);
  for (std::vector<double>& rows : cache.local_v) rows.resize(tokens * shape.d_v, kAbsent);
}

void lose_window_rows(const MechanismShape& shape, Index first, LayerCache& cache) {
  if (shape.local_window == 0) return;
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  for (std::vector<double>& rows : cache.local) std::fill_n(rows.begin(), first * shape.d_qk, kAbsent);
  for (std::vector<double>& rows : cache.local_v) std::fill_n(rows.begin(), first * shape.d_v, kAbsent);
  cache.first_local = first;
}

class Replaying {
 public:
  Replaying(const Decoder& decoder, const ReplayPlan& plan, ModelCache cache, TokenStates entering,
            const EachIndex& each_token)
      : decoder_(decoder), plan_(plan), each_token_(each_token), h_(std::move(entering)) {
    LACUNA_ASSERT(cache.tokens == plan.kept);
    result_.cache = std::move(cache);
    result_.states.resize(plan.layers.size());
  }

  Replay run() {
    const Index first = plan_.first_place();
    LACUNA_ASSERT(first_position() == plan_.layers[first].first_run);
    for (Index place = first; place < static_cast<Index>(plan_.layers.size()); ++place) go_through(place);
    result_.cache.tokens = plan_.tokens;
    return std::move(result_);
  }

 private:
  /// Of the tokens whose states are there: the newest ones.
  Index first_position() const { return plan_.tokens - static_cast<Index>(h_.size()); }

  void go_through(Index place) {
    const Mechanism* attention = decoder_.mechanism(place);
    LACUNA_ASSERT(attention != nullptr);  // a plan replays no retention layer
    take_in(place, *attention);
    h_.erase(h_.begin(), h_.begin() + (plan_.layers[place].first_run - first_position()));
    const Index first = first_position();
    each_token_(static_cast<Index>(h_.size()), [&](Index t) {
      std::vector<double>& h = h_[t];
      const QueryRows query = attention->query(decoder_.attention_input(place, h), first + t);
      const std::vector<double> o = attend_one(decoder_, place, result_.cache, query, first + t);
      decoder_.finish_layer(place, attention->output(o, first + t), h);
    });
    result_.layer_tokens += static_cast<Index>(h_.size());
    result_.states[place] = h_;
  }

  /// The rows of all tokens whose states are there.
  void take_in(Index place, const Mechanism& attention) {
    LayerCache& cache = std::get<LayerCache>(result_.cache.layers[place]);
    const Index first = first_position();
    if (cache.tokens < first) append_absent(attention, first, cache);
    const Index held = cache.tokens;
    for (Index t = first; t < plan_.tokens; ++t) {
      const std::vector<double> x = decoder_.attention_input(place, h_[t - first]);
      if (t < held)
        renew_window_row(attention, x, t, cache);
      else
        attention.append(x, cache);
    }
    lose_window_rows(attention.shape(), plan_.layers[place].first_window, cache);
  }

  const Decoder& decoder_;
  const ReplayPlan& plan_;
  const EachIndex& each_token_;
  TokenStates h_;
  Replay result_;
};

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b, Index count) {
  const auto size = static_cast<std::size_t>(count);
  if (a.size() < size || b.size() < size) return false;
  return size == 0 || std::memcmp(a.data(), b.data(), size * sizeof(T)) == 0;
}

bool same_bytes(const HeadRows& a, const HeadRows& b, Index rows, Index all_rows) {
  if (a.size() != b.size()) return false;
  for (std::size_t g = 0; g < a.size(); ++g) {
    const Index width = all_rows > 0 ? static_cast<Index>(a[g].size()) / all_rows : 0;
    if (!same_bytes(a[g], b[g], rows * width)) return false;
  }
  return true;
}

Index rows_before(const LayerCache& cache, Index tokens) {
  return std::ranges::lower_bound(cache.key_position, tokens) - cache.key_position.begin();
}

}  // namespace

ExactRun exact_run(const Decoder& decoder, std::span<const Index> tokens, const EachIndex& each_token) {
  LayerPass pass(decoder, tokens, each_token);
  const auto states = [&] {
    TokenStates h;
    for (Index t = 0; t < pass.tokens(); ++t) h.emplace_back(pass.hidden(t).begin(), pass.hidden(t).end());
    return h;
  };
  ExactRun run;
  run.states.push_back(states());
  while (!pass.done()) {
    pass.advance(pass.attends() ? dense_attention(pass.problem(), each_token) : std::vector<double>());
    run.states.push_back(states());
    run.layer_tokens.push_back(static_cast<Index>(run.states.back().size()));
  }
  run.cache = pass.cache();
  return run;
}

Replay replay(const Decoder& decoder, const ReplayPlan& plan, ModelCache cache, TokenStates entering,
              const EachIndex& each_token) {
  return Replaying(decoder, plan, std::move(cache), std::move(entering), each_token).run();
}

bool same_global_rows(const ModelCache& a, const ModelCache& b, Index tokens) {
  LACUNA_ASSERT(a.layers.size() == b.layers.size());
  for (std::size_t place = 0; place < a.layers.size(); ++place) {
    const auto* left = std::get_if<LayerCache>(&a.layers[place]);
    const auto* right = std::get_if<LayerCache>(&b.layers[place]);
    if (left == nullptr || right == nullptr) continue;  // a state, which has no rows
    const Index rows = rows_before(*left, tokens);
    const Index width = left->rows() > 0 ? static_cast<Index>(left->index_k.size()) / left->rows() : 0;
    if (rows != rows_before(*right, tokens) || !same_bytes(left->key_position, right->key_position, rows) ||
        !same_bytes(left->k, right->k, rows, left->rows()) || !same_bytes(left->v, right->v, rows, left->rows()) ||
        !same_bytes(left->index_k, right->index_k, rows * width))
      return false;
  }
  return true;
}

}  // namespace lacuna
