#include "data/source/synthetic.hpp"

#include <cmath>

#include "data/source/parameter_rules.hpp"

namespace lacuna {
namespace {

ParameterSpec count(std::string key, std::string unit, std::int64_t most, std::int64_t value, bool sweepable,
                    std::string sentence) {
  return {.key = std::move(key),
          .type = ParameterType::integer,
          .unit = std::move(unit),
          .minimum = 1,
          .maximum = static_cast<double>(most),
          .default_value = value,
          .sweepable = sweepable,
          .sentence = std::move(sentence)};
}

}  // namespace

std::vector<ParameterSpec> synthetic_parameters() {
  return {
      count("n", "keys", 1 << 30, 4096, true, "Keys of the sequence."),
      count("queries", "1", 1 << 24, 64, false, "Queries, evenly spread; the last one stands at the last key."),
      count("sequences", "1", 100000, 1, false, "Independent sequences."),
      count("layers", "1", 100000, 1, false, "Independent layers."),
      count("heads", "1", 100000, 4, false, "Query heads."),
      count("kv_heads", "1", 100000, 1, false, "KV heads; divides heads. Equal: MHA, fewer: GQA, one: MQA."),
      count("d_qk", "channels", 65536, 64, true, "Width of queries and keys."),
      count("d_v", "channels", 65536, 64, true, "Width of values; with shared_kv it must equal d_qk."),
      {.key = "shared_kv",
       .type = ParameterType::boolean,
       .default_value = false,
       .sweepable = false,
       .sentence = "One shared state as key and value."},
      {.key = "sink_logit",
       .type = ParameterType::real,
       .unit = "nat",
       .minimum = -1e6,
       .maximum = 1e6,
       .sentence = "Logit of a sink in every head. Unset: none."},
      {.key = "score_std",
       .type = ParameterType::real,
       .unit = "nat",
       .minimum = 0,
       .maximum = 1e6,
       .default_value = 1.0,
       .sentence = "Standard deviation of the noise scores."},
  };
}

std::vector<ParameterFault> check_synthetic(const Parameters& source) {
  const Index d_qk = source.integer("d_qk"), d_v = source.integer("d_v");
  return ParameterRules(source)
      .at_most("queries", "n")
      .divides("kv_heads", "heads")
      .require(!source.boolean("shared_kv") || d_qk == d_v, "shared_kv",
               fmt::format("shared_kv needs d_v = d_qk, not {} and {}", d_v, d_qk))
      .faults();
}

CounterRng SyntheticPlace::rng(std::string_view purpose) const {
  const CounterRng at_sequence(seed, purpose, static_cast<std::uint64_t>(sequence));
  const auto w = at_sequence.words(static_cast<std::uint64_t>((layer << 32) + head));
  return CounterRng((static_cast<std::uint64_t>(w[0]) << 32) + w[1], purpose);
}

void fill_normal(const CounterRng& rng, Index index, Index width, float* row) {
  const Index stride = (width + 1) / 2 * 2;  // rows start on a pair of normals
  for (Index c = 0; c < width; ++c)
    row[c] = static_cast<float>(rng.normal(static_cast<std::uint64_t>(index * stride + c)));
}

SyntheticSource::SyntheticSource(const Parameters& parameters, std::uint64_t seed)
    : seed_(seed), kv_heads_(parameters.integer("kv_heads")), shared_kv_(parameters.boolean("shared_kv")) {
  require_no_faults(check_synthetic(parameters));
  const Index heads = parameters.integer("heads");
  const Index queries = parameters.integer("queries");
  shape_.keys = parameters.integer("n");
  shape_.d_qk = parameters.integer("d_qk");
  shape_.d_v = parameters.integer("d_v");
  for (Index i = 0; i < parameters.integer("sequences"); ++i) shape_.sequence.push_back(fmt::format("{}", i));
  for (Index i = 0; i < parameters.integer("layers"); ++i) shape_.layer.push_back(i);
  for (Index i = 0; i < heads; ++i) {
    shape_.head.push_back(i);
    shape_.kv_head.push_back(i * kv_heads_ / heads);
  }
  for (Index i = 0; i < queries; ++i) shape_.query_position.push_back((i + 1) * shape_.keys / queries - 1);
  shape_.shared_kv = shared_kv_;
  shape_.has_sink = parameters.has("sink_logit");
  if (shape_.has_sink) sink_logit_.assign(heads, parameters.real("sink_logit"));
  sm_scale_ = parameters.real("score_std") / std::sqrt(static_cast<double>(shape_.d_qk));
}

AttentionProblem SyntheticSource::load(Index sequence, Index layer) const {
  const Index heads = static_cast<Index>(shape_.head.size());
  const Index queries = static_cast<Index>(shape_.query_position.size());
  const auto place = [&](Index kv_head) { return SyntheticPlace{seed_, sequence, layer, kv_head}; };

  std::vector<float> q(heads * queries * d_qk());
  for (Index head = 0; head < heads; ++head)
    for (Index i = 0; i < queries; ++i)
      fill_query(place(shape_.kv_head[head]), head, i, q.data() + (head * queries + i) * d_qk());
  std::vector<float> k(kv_heads_ * keys() * d_qk());
  std::vector<float> v(shared_kv_ ? 0 : kv_heads_ * keys() * d_v());
  for (Index kv_head = 0; kv_head < kv_heads_; ++kv_head)
    for (Index j = 0; j < keys(); ++j) {
      fill_key(place(kv_head), j, k.data() + (kv_head * keys() + j) * d_qk());
      if (!shared_kv_) fill_value(place(kv_head), j, v.data() + (kv_head * keys() + j) * d_v());
    }

  AttentionProblem problem;
  problem.q = Tensor(heads, queries, d_qk(), std::move(q));
  problem.k = Tensor(kv_heads_, keys(), d_qk(), std::move(k));
  if (!shared_kv_) problem.v = Tensor(kv_heads_, keys(), d_v(), std::move(v));
  problem.query_position = shape_.query_position;
  problem.key_position.resize(keys());
  for (Index j = 0; j < keys(); ++j) problem.key_position[j] = j;
  problem.sink_logit = sink_logit_;
  problem.sm_scale = sm_scale_;
  problem.stored_element_bytes = 4;
  return problem;
}

void SyntheticSource::fill_query(const SyntheticPlace& place, Index head, Index query, float* row) const {
  const SyntheticPlace at{place.seed, place.sequence, place.layer, head};
  fill_normal(at.rng("synthetic.query"), query, d_qk(), row);
}

void SyntheticSource::fill_key(const SyntheticPlace& place, Index key, float* row) const {
  fill_normal(place.rng("synthetic.key"), key, d_qk(), row);
}

void SyntheticSource::fill_value(const SyntheticPlace& place, Index key, float* row) const {
  fill_normal(place.rng("synthetic.value"), key, d_v(), row);
}

}  // namespace lacuna
