#include "core/approx/path.hpp"

#include "core/approx/share.hpp"
#include "core/approx/union_softmax.hpp"

namespace lacuna {

bool covers(const Parameters& path, const char* key, Index label) {
  if (!path.has(key)) return true;
  const auto& labels = path.get<std::vector<std::int64_t>>(key);
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

PathTraits PathTraits::of(const Parameters& path) {
  PathTraits traits;
  if (path.has("pool.blocks")) {
    const BlockRankerKind& ranker = BlockRankerRegistry::instance().at(path.text("pool.rank_by"));
    traits.has_pool = true;
    traits.is_oracle = ranker.is_oracle;
    traits.reads_summaries = ranker.reads_summaries;
    traits.uses_indexer = ranker.needs_indexer;
  }
  if (path.has("select.by")) {
    const SelectorKind& selector = SelectorRegistry::instance().at(path.text("select.by"));
    traits.selects = true;
    traits.is_oracle |= selector.is_oracle && !traits.has_pool;  // within a pool it reads the pool
    traits.reads_summaries |= selector.reads_summaries;
    traits.uses_indexer |= selector.needs_indexer;
    traits.is_random = selector.is_random;
    if (traits.is_random) traits.trials = path.integer("select.trials");
  }
  traits.stores = StoredCache::wanted(path);
  traits.replays = ReplayWindow::wanted(path);
  traits.other_support = path.has("region.from");
  return traits;
}

Path::Path(const Parameters& parameters, const StageContext& context)
    : traits_(PathTraits::of(parameters)),
      window_(parameters.integer("window")),
      sink_tokens_(parameters.integer("sink_tokens")),
      attends_everything_(!traits_.has_pool && !traits_.selects && window_ == 0 && sink_tokens_ == 0),
      replay_(parameters, (*context.layer_label)[context.layer]),
      selections_(context.selections),
      path_name_(context.path),
      path_cell_(context.path_cell) {
  const LayerView& layer = *context.problem;
  std::vector<Index> heads;
  const bool in_layer = covers(parameters, "layers", (*context.layer_label)[context.layer]);
  for (Index head = 0; head < layer.h_q(); ++head)
    (in_layer && covers(parameters, "heads", (*context.head_label)[head]) ? heads : exact_heads_).push_back(head);

  if (traits_.stores) store_ = std::make_unique<StoredCache>(parameters, layer);
  if (traits_.stores && !exact_heads_.empty()) {
    Parameters exact = parameters;
    for (const char* key : {"store", "store_k", "store_v", "store_local"})
      if (exact.has(key)) exact.set(key, std::string("exact"));
    exact_store_ = std::make_unique<StoredCache>(exact, layer);
  }
  if (traits_.other_support) regions_ = std::make_unique<RegionCache>(parameters, layer);
  std::string share = "head";
  if (traits_.uses_indexer && layer.index) index_ = std::make_unique<IndexScorer>(parameters, layer);
  if (traits_.has_pool) open_pool(parameters, context);
  if (traits_.selects) {
    share = parameters.text("select.share");
    outside_window_ = parameters.boolean("select.outside_window");
    selector_ = SelectorRegistry::instance().at(parameters.text("select.by")).open(parameters, context);
  }
  groups_ = share_groups(layer, heads, share);
}

void Path::open_pool(const Parameters& parameters, const StageContext& context) {
  const std::vector<Index>& labels = *context.layer_label;
  const bool by_indexer = BlockRankerRegistry::instance().at(parameters.text("pool.rank_by")).needs_indexer;
  const Index own = labels[context.layer];
  const Index source = context.problem->selection_layer.value_or(own);  // where this layer's selection is made
  Index builder = own;
  if (parameters.has("pool.from_layer")) {
    builder = parameters.integer("pool.from_layer");
    pool_role_ = own == builder     ? PoolRole::builds_for_later
                 : source > builder ? PoolRole::reads_earlier
                                    : PoolRole::none;
  } else if (by_indexer && !index_ && source != own) {  // it takes over a selection that was made within a pool
    builder = source;
    pool_role_ = PoolRole::reads_earlier;
  } else {
    pool_role_ = PoolRole::restricts;
  }
  pool_layer_ = std::find(labels.begin(), labels.end(), builder) - labels.begin();
  if (pool_role_ == PoolRole::reads_earlier && !selections_->same_rows(pool_layer_, context.problem->key_position))
    pool_role_ = PoolRole::none;  // a pool of another cache's rows
  const bool builds = pool_role_ == PoolRole::restricts || pool_role_ == PoolRole::builds_for_later;
  if (builds && (!by_indexer || index_)) pool_ = std::make_unique<Pool>(parameters, *context.problem);
}

void Path::append(const LayerView& layer, Index begin, Index end) {
  const LayerView& kept = store_ ? store_->layer() : layer;
  const Index first = store_ ? store_->append(layer, begin, end) : begin;
  if (exact_store_) exact_store_->append(layer, begin, end);
  if (regions_) regions_->append(layer, begin, end);
  if (index_) index_->append(begin, end);
  if (pool_) pool_->append(kept, first, end);
  if (selector_) selector_->append(kept, first, end);
}

std::vector<PathRow> Path::answer(QueryView& query, Published* publish) {
  const Index absent = replay_.absent(query.seen(), query.position());
  std::optional<QueryView> of_stored;
  if (store_) {
    store_->append_local(query.layer(), query.seen().without_oldest_local(absent));
    if (exact_store_) exact_store_->append_local(query.layer(), query.seen());
    of_stored.emplace(store_->layer(), query.backend(), query.query());
  }
  QueryView& view = store_ ? *of_stored : query;

  const Index heads = query.layer().h_q();
  std::vector<PathRow> rows(heads);
  std::vector<HeadCost> cost(heads);
  for (const std::vector<Index>& group : groups_) {
    GroupQuery group_query{view, group, cost, index_.get()};
    if (!regions_) answer_group(group_query, rows, publish);
    for (const Index head : group) {
      rows[head].absent_local = absent;
      attend(view, head, rows[head]);
    }
  }
  for (const Index head : exact_heads_) {
    rows[head].kept = key_range(0, query.visible());
    rows[head].reachable = rows[head].kept;
    if (publish != nullptr) publish[head].selected = rows[head].kept;
    attend(query, head, rows[head]);
  }
  charge(query, cost, rows);
  for (PathRow& row : rows) add_local_rows(query.seen(), row);
  return rows;
}

std::optional<KeySet> Path::candidates(GroupQuery& query, Published* publish) {
  const KeySet everything = key_range(0, query.view.visible());
  if (pool_role_ == PoolRole::reads_earlier) {
    KeySet pool;
    for (const Index head : query.heads) {
      const std::optional<Published>& published =
          selections_->at(path_name_, path_cell_, pool_layer_, query.view.query(), head);
      if (!published || !published->pool) return std::nullopt;
      pool = set_union(pool, *published->pool);
    }
    return set_intersection(pool, everything);
  }
  if (!pool_) {
    if (pool_role_ == PoolRole::restricts) return std::nullopt;  // ranked by an indexer that the layer does not have
    return everything;
  }
  const KeySet pool = pool_->candidates(query);
  if (publish != nullptr)
    for (const Index head : query.heads) publish[head].pool = pool;
  return pool_role_ == PoolRole::restricts ? pool : everything;
}

void Path::answer_group(GroupQuery& query, std::vector<PathRow>& rows, Published* publish) {
  const Index visible = query.view.visible();
  const KeySet always = set_union(key_range(0, std::min(sink_tokens_, visible)),
                                  key_range(std::max<Index>(visible - window_, 0), visible));
  const auto has_no_answer = [&] {
    for (const Index head : query.heads) rows[head].ran = false;
  };
  std::optional<KeySet> pool = candidates(query, publish);
  if (!pool) return has_no_answer();
  const KeySet reachable = set_union(*pool, always);

  KeySet selected;
  if (selector_) {
    if (outside_window_) pool = set_difference(*pool, always);
    std::optional<KeySet> answer = selector_->answer(query, *pool);
    if (!answer) return has_no_answer();
    selected = std::move(*answer);
  } else if (traits_.has_pool || attends_everything_) {
    selected = std::move(*pool);
  }

  const KeySet kept = set_union(selected, always);
  for (const Index head : query.heads) {
    rows[head].kept = kept;
    rows[head].reachable = reachable;
    rows[head].ties_at_cut = query.cost[head].ties_at_cut;
    if (index_ && index_->answered(query.view.query())) rows[head].index = index_->answer();
    if (publish != nullptr) publish[head].selected = selector_ ? selected : kept;
  }
}

void Path::attend(const QueryView& query, Index head, PathRow& row) const {
  const LayerView& layer = query.layer();
  const Index kv_head = layer.kv_head_of(head);
  UnionSoftmax softmax(query.backend(), layer.d_v(), row.o);
  if (const RegionCache* of_head = regions(head)) {
    of_head->attend(query, head, softmax);
    row.entries = of_head->entries(query.visible());
  } else {
    std::vector<double> s(query.visible());
    query.score_listed(head, row.kept, s);
    softmax.add(layer.values(kv_head), 0, s, row.kept);
  }
  const SeenRows& seen = query.seen();
  if (seen.local > 0) {
    const KeySet there = key_range(row.absent_local, seen.local);
    softmax.add(layer.local_values(kv_head), seen.local_begin, query.score_local(head, there), there);
  }
  row.log_sum_exp = softmax.normalize(layer.sink(head));
}

void Path::add_local_rows(const SeenRows& seen, PathRow& row) {
  const KeySet local = key_range(seen.cached + row.absent_local, seen.count());
  row.kept.insert(row.kept.end(), local.begin(), local.end());
  row.reachable.insert(row.reachable.end(), local.begin(), local.end());
}

Index Path::bytes_read(const LayerView& layer, const KeySet& scored, const KeySet& attended, Index visible) const {
  if (store_)
    return store_->keys().bytes_read(scored, visible) +
           (store_->shared_kv() ? 0 : store_->values().bytes_read(attended, visible));
  const Index key_bytes = layer.stored_element_bytes * layer.d_qk();
  const Index value_bytes = layer.row_bytes() - key_bytes;  // 0 for a shared state: read with the key
  return static_cast<Index>(scored.size()) * key_bytes + static_cast<Index>(attended.size()) * value_bytes;
}

void Path::charge(const QueryView& query, const std::vector<HeadCost>& cost, std::vector<PathRow>& rows) const {
  const LayerView& layer = query.layer();
  // the indexer's scores serve all heads
  const bool asked = index_ && index_->answered(query.query());
  const Index index_scored = asked ? static_cast<Index>(index_->answer()->scored.size()) : 0;
  for (Index kv_head = 0; kv_head < layer.h_kv(); ++kv_head) {
    KeySet attended;
    KeySet scored;
    bool every_key = false;
    bool reads_rows = !regions_;  // with regions: some head that the path leaves exact
    bool reads_entries = false;
    Index summary_bytes = 0;
    Index local = 0;  // a head that the path leaves exact reads them all
    for (Index head = 0; head < layer.h_q(); ++head) {
      if (layer.kv_head_of(head) != kv_head || !rows[head].ran) continue;
      local = std::max(local, query.seen().local - rows[head].absent_local);
      attended = set_union(attended, rows[head].kept);
      scored = set_union(scored, set_union(cost[head].scored, rows[head].kept));
      every_key |= cost[head].scored_every_key;
      (regions(head) != nullptr ? reads_entries : reads_rows) = true;
      summary_bytes = std::max(summary_bytes, cost[head].summary_bytes);  // read once for the KV head
    }
    const Index local_bytes = store_ ? store_->local_bytes_read(local) : local * layer.row_bytes();
    Index main_bytes =
        bytes_read(layer, every_key ? key_range(0, query.visible()) : scored, attended, query.visible()) + local_bytes;
    Index stored = store_ ? store_->bytes(query.visible()) : reads_rows ? query.visible() * layer.row_bytes() : 0;
    stored += local_bytes;
    if (reads_entries) main_bytes += regions_->bytes_read(query.visible());
    if (reads_entries) stored += regions_->bytes_stored(query.visible());
    if (index_) stored += index_->key_bytes(query.visible());
    if (pool_) stored += pool_->stored_bytes(query.visible());
    if (selector_) stored += selector_->stored_bytes(query.visible());
    for (Index head = 0; head < layer.h_q(); ++head) {
      if (layer.kv_head_of(head) != kv_head || !rows[head].ran) continue;
      PathRow& row = rows[head];
      row.keys_scored =
          query.seen().local - row.absent_local + row.entries +
          (cost[head].scored_every_key ? query.visible()
                                       : static_cast<Index>(set_union(cost[head].scored, row.kept).size()));
      row.index_keys_scored = index_scored;
      row.bytes_read_main = main_bytes;
      row.bytes_read_summary = summary_bytes;
      row.bytes_read_index = index_ ? index_->key_bytes(index_scored) : 0;
      row.bytes_stored = stored;
    }
  }
}

}  // namespace lacuna
