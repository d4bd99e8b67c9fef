#include "core/approx/index_scorer.hpp"

#include <limits>

namespace lacuna {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

bool stores(const Parameters& path) { return path.has("index_store") || path.integer("index_rotate") > 0; }

RowShape shape_of(Index d_index) { return {.width = d_index, .exact_tail = 0, .source_bytes = 8}; }

}  // namespace

IndexScorer::IndexScorer(const Parameters& path, const LayerView& layer)
    : index_(*layer.index),
      has_slot_defect_(path.boolean("index_slot_defect") && !index_.slot_k.empty()),
      row_bytes_(layer.stored_element_bytes * index_.k.width()),
      key_position_(layer.key_position) {
  if (!stores(path)) return;
  const FormatKind& format =
      FormatRegistry::instance().at(path.has("index_store") ? path.text("index_store") : "exact");
  const auto keep = [&](const Tensor& exact, std::unique_ptr<StoredTensor>& stored, Tensor& decoded) {
    stored = std::make_unique<StoredTensor>(format, shape_of(exact.width()), path.integer("index_rotate"),
                                            layer.stored_element_bytes, exact.outer(), exact.rows());
    decoded = Tensor::view(exact.outer(), exact.rows(), exact.width(), stored->decoded());
  };
  keep(index_.q, stored_q_, q_);
  keep(index_.k, stored_k_, k_);
  if (has_slot_defect_) keep(index_.slot_k, stored_slot_k_, slot_k_);
}

std::optional<ParameterFault> IndexScorer::check(const Parameters& path, Index d_index, bool has_slot) {
  const Index rotate = path.integer("index_rotate");
  if (rotate > 0 && d_index % rotate != 0)
    return ParameterFault{"index_rotate", fmt::format("the index width {} is not divisible by it", d_index)};
  if (path.boolean("index_slot_defect") && !has_slot)
    return ParameterFault{"index_slot_defect", "no layer of this source shares a slot of index keys"};
  if (!path.has("index_store")) return std::nullopt;
  const FormatKind& format = FormatRegistry::instance().at(path.text("index_store"));
  if (format.code_bits == 0) return std::nullopt;
  if (const auto why = format.check(shape_of(d_index))) return ParameterFault{"index_store", *why};
  return std::nullopt;
}

void IndexScorer::append(Index begin, Index end) {
  if (!stored_k_) return;
  stored_k_->append(0, index_.k[0], begin, end);
  if (stored_slot_k_) stored_slot_k_->append(0, index_.slot_k[0], begin, end);
}

bool IndexScorer::completes_row(const QueryView& query) const {
  return query.visible() > 0 && key_position_[query.visible() - 1] == query.position();
}

const std::vector<double>& IndexScorer::scores(GroupQuery& query, const KeySet& among) {
  const Index visible = query.view.visible();
  if (asked_ != query.view.query()) {
    asked_ = query.view.query();
    answer_ = std::make_shared<IndexAnswer>();
    answer_->s.assign(visible, kNever);
    if (stored_q_)
      for (Index head = 0; head < index_.q.outer(); ++head) stored_q_->append(head, index_.q[head], asked_, asked_ + 1);
  }
  const KeySet more = set_difference(among, answer_->scored);
  compute(query, more, answer_->s);
  answer_->scored = set_union(answer_->scored, more);
  return answer_->s;
}

void IndexScorer::compute(const GroupQuery& query, const KeySet& among, std::vector<double>& s) const {
  const Index heads = index_.q.outer();
  std::vector<double> weight(heads);
  for (Index head = 0; head < heads; ++head) weight[head] = index_.weight[0].at(query.view.query(), head);
  const bool from_slot = has_slot_defect_ && !completes_row(query.view);
  const Tensor& keys = from_slot ? (stored_slot_k_ ? slot_k_ : index_.slot_k) : (stored_k_ ? k_ : index_.k);
  const Tensor& queries = stored_q_ ? q_ : index_.q;

  keys[0].visit([&]<class T>(const TypedRows<T>& k) {
    queries[0].visit([&]<class U>(const TypedRows<U>& q) {
      if constexpr (std::is_same_v<T, U>) {
        kernels::IndexScoreParams<T> params;
        params.q = q.row(query.view.query());
        params.weight = weight.data();
        params.h = heads;
        params.d_index = k.width;
        params.q_stride = queries.rows() * q.stride;  // a head's queries lie after those of the head before
        params.k_stride = k.stride;
        for_each_run(among, [&](Index begin, Index end) {
          params.k = k.row(begin);
          params.s = s.data() + begin;
          params.s_kv = end - begin;
          query.view.backend().index_score(params);
        });
      } else {
        throw InternalError("index queries and keys have different element types");
      }
    });
  });
}

Index IndexScorer::key_bytes(Index rows) const { return stored_k_ ? stored_k_->bytes(rows) : rows * row_bytes_; }

std::vector<ParameterSpec> index_parameters() {
  using enum ParameterType;
  std::vector<std::string> formats;
  for (const FormatKind& kind : FormatRegistry::instance().kinds())
    if (kind.rows_per_group == 1) formats.push_back(kind.name);
  return {
      {.key = "index_store",
       .type = text,
       .choices = formats,
       .sentence = "Format of the indexer's queries and keys. Unset: exactly, as the source has them."},
      {.key = "index_rotate",
       .type = integer,
       .unit = "channels",
       .minimum = 0,
       .maximum = 65536,
       .default_value = std::int64_t{0},
       .sentence = "Channels (a power of two) that a Hadamard matrix mixes before index vectors are stored; 0: none."},
      {.key = "index_slot_defect",
       .type = boolean,
       .default_value = false,
       .sentence = "Whether index keys are read as the published decoder of DeepSeek-V4.1-Flash does, from a slot that "
                   "is not renewed at every token."},
  };
}

}  // namespace lacuna
