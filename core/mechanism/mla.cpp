#include "core/mechanism/mla.hpp"

#include <algorithm>

namespace lacuna {
namespace {

/// The next `count` numbers of a growing tensor.
std::span<double> grow(std::vector<double>& tensor, Index count) {
  tensor.resize(tensor.size() + count);
  return std::span(tensor).last(count);
}

}  // namespace

MlaAbsorbed::MlaAbsorbed(std::shared_ptr<const Mla> mla) : mla_(std::move(mla)) {
  const MlaConfig& config = mla_->config();
  shape_ = {.d_model = config.d_model,
            .h_q = config.heads,
            .h_kv = 1,
            .d_qk = config.latent_width(),
            .d_v = config.kv_lora_rank,
            .shared_kv = true,
            .sm_scale = config.sm_scale()};
}

LayerCache MlaAbsorbed::start() const {
  LayerCache cache;
  cache.k.resize(1);
  return cache;
}

void MlaAbsorbed::append(std::span<const double> x, LayerCache& cache) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) % shape_.d_model == 0);
  const Index tokens = static_cast<Index>(x.size()) / shape_.d_model;
  mla_->latent_rows(x, cache.tokens, grow(cache.k[0], tokens * shape_.d_qk));
  for (Index t = 0; t < tokens; ++t) cache.key_position.push_back(cache.tokens++);
}

std::vector<QueryRows> MlaAbsorbed::queries(std::span<const double> x, Index first) const {
  return queries_of_low_rank(mla_->low_rank_query(x), first);
}

std::vector<QueryRows> MlaAbsorbed::queries_of_low_rank(std::span<const double> qr, Index first) const {
  const MlaConfig& config = mla_->config();
  const std::vector<double> q = mla_->queries(qr, first);
  const Index width = config.heads * config.d_qk(), absorbed_width = config.heads * shape_.d_qk;
  const Index tokens = static_cast<Index>(q.size()) / width;
  std::vector<double> absorbed(tokens * absorbed_width);  // [tokens, heads, kv_lora_rank + d_r]
  for (Index h = 0; h < config.heads; ++h)
    mla_->absorb(h, {q.data() + h * config.d_qk(), tokens, width},
                 {absorbed.data() + h * shape_.d_qk, tokens, absorbed_width});
  std::vector<QueryRows> rows(tokens);
  for (Index t = 0; t < tokens; ++t) {
    rows[t].q.assign(absorbed.begin() + t * absorbed_width, absorbed.begin() + (t + 1) * absorbed_width);
    for (Index h = 0; h < config.heads; ++h)
      std::copy_n(q.begin() + t * width + h * config.d_qk() + config.qk_nope, config.qk_rope,
                  rows[t].q.begin() + h * shape_.d_qk + config.kv_lora_rank);
  }
  return rows;
}

std::vector<double> MlaAbsorbed::output(std::span<const double> u /* [tokens, heads, kv_lora_rank] */,
                                        Index /*first*/) const {
  const Index d_v = mla_->config().d_v, width = shape_.h_q * shape_.d_v;
  const Index tokens = static_cast<Index>(u.size()) / width;
  std::vector<double> o(tokens * shape_.h_q * d_v);  // [tokens, heads, d_v]
  for (Index h = 0; h < shape_.h_q; ++h)
    mla_->value(h, {u.data() + h * shape_.d_v, tokens, width}, {o.data() + h * d_v, tokens, shape_.h_q * d_v});
  return mla_->output(o);
}

MlaExpanded::MlaExpanded(std::shared_ptr<const Mla> mla) : mla_(std::move(mla)) {
  const MlaConfig& config = mla_->config();
  shape_ = {.d_model = config.d_model,
            .h_q = config.heads,
            .h_kv = config.heads,
            .d_qk = config.d_qk(),
            .d_v = config.d_v,
            .sm_scale = config.sm_scale()};
}

LayerCache MlaExpanded::start() const {
  LayerCache cache;
  cache.k.resize(shape_.h_kv);
  cache.v.resize(shape_.h_kv);
  return cache;
}

void MlaExpanded::append_expanded(std::span<const double> latents /* [tokens, c + d_r] */, LayerCache& cache) const {
  const MlaConfig& config = mla_->config();
  const Index width = config.latent_width();
  const Index tokens = static_cast<Index>(latents.size()) / width;
  const TokenVectors<const double> c{latents.data(), tokens, width};
  for (Index h = 0; h < shape_.h_kv; ++h) {
    const auto k = grow(cache.k[h], tokens * shape_.d_qk);
    mla_->key_nope(h, c, {k.data(), tokens, shape_.d_qk});
    for (Index t = 0; t < tokens; ++t)
      std::ranges::copy(latents.subspan(t * width + config.kv_lora_rank, config.qk_rope),
                        k.begin() + t * shape_.d_qk + config.qk_nope);
    mla_->value(h, c, {grow(cache.v[h], tokens * shape_.d_v).data(), tokens, shape_.d_v});
  }
  for (Index t = 0; t < tokens; ++t) cache.key_position.push_back(cache.tokens++);
}

void MlaExpanded::append(std::span<const double> x, LayerCache& cache) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) % shape_.d_model == 0);
  std::vector<double> latents(x.size() / shape_.d_model * mla_->config().latent_width());
  mla_->latent_rows(x, cache.tokens, latents);
  append_expanded(latents, cache);
}

LayerCache MlaExpanded::expand(const LayerCache& latent) const {
  LayerCache cache = start();
  append_expanded(latent.k[0], cache);
  return cache;
}

std::vector<QueryRows> MlaExpanded::queries(std::span<const double> x, Index first) const {
  const std::vector<double> q = mla_->queries(mla_->low_rank_query(x), first);
  const Index width = shape_.h_q * shape_.d_qk;
  std::vector<QueryRows> rows(q.size() / width);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto begin = q.begin() + static_cast<Index>(t) * width;
    rows[t].q.assign(begin, begin + width);
  }
  return rows;
}

std::vector<double> MlaExpanded::output(std::span<const double> o, Index /*first*/) const { return mla_->output(o); }

}  // namespace lacuna
