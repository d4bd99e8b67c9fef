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
  for (; !x.empty(); x = x.subspan(shape_.d_model)) {
    mla_->latent_row(x.first(shape_.d_model), cache.tokens, grow(cache.k[0], shape_.d_qk));
    cache.key_position.push_back(cache.tokens++);
  }
}

QueryRows MlaAbsorbed::query(std::span<const double> x, Index position) const {
  return query_of_low_rank(mla_->low_rank_query(x), position);
}

QueryRows MlaAbsorbed::query_of_low_rank(std::span<const double> qr, Index position) const {
  const MlaConfig& config = mla_->config();
  const std::vector<double> q = mla_->queries(qr, position);
  QueryRows rows;
  for (Index h = 0; h < shape_.h_q; ++h) {
    const auto head = std::span(q).subspan(h * config.d_qk(), config.d_qk());
    const auto absorbed = grow(rows.q, shape_.d_qk);
    mla_->absorb(h, head.first(config.qk_nope), absorbed.first(config.kv_lora_rank));
    std::ranges::copy(head.last(config.qk_rope), absorbed.last(config.qk_rope).begin());
  }
  return rows;
}

std::vector<double> MlaAbsorbed::output(std::span<const double> u /* [heads, kv_lora_rank] */,
                                        Index /*position*/) const {
  std::vector<double> o;  // [heads, d_v]
  for (Index h = 0; h < shape_.h_q; ++h)
    mla_->value(h, u.subspan(h * shape_.d_v, shape_.d_v), grow(o, mla_->config().d_v));
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

void MlaExpanded::append_expanded(std::span<const double> latent /* [c + d_r] */, LayerCache& cache) const {
  const MlaConfig& config = mla_->config();
  const auto c = latent.first(config.kv_lora_rank);
  for (Index h = 0; h < shape_.h_kv; ++h) {
    const auto k = grow(cache.k[h], shape_.d_qk);
    mla_->key_nope(h, c, k.first(config.qk_nope));
    std::ranges::copy(latent.last(config.qk_rope), k.last(config.qk_rope).begin());
    mla_->value(h, c, grow(cache.v[h], shape_.d_v));
  }
  cache.key_position.push_back(cache.tokens++);
}

void MlaExpanded::append(std::span<const double> x, LayerCache& cache) const {
  LACUNA_ASSERT(static_cast<Index>(x.size()) % shape_.d_model == 0);
  std::vector<double> latent(mla_->config().latent_width());
  for (; !x.empty(); x = x.subspan(shape_.d_model)) {
    mla_->latent_row(x.first(shape_.d_model), cache.tokens, latent);
    append_expanded(latent, cache);
  }
}

LayerCache MlaExpanded::expand(const LayerCache& latent) const {
  const Index width = mla_->config().latent_width();
  LayerCache cache = start();
  for (Index j = 0; j < latent.rows(); ++j) append_expanded(std::span(latent.k[0]).subspan(j * width, width), cache);
  return cache;
}

QueryRows MlaExpanded::query(std::span<const double> x, Index position) const {
  QueryRows rows;
  rows.q = mla_->queries(mla_->low_rank_query(x), position);
  return rows;
}

std::vector<double> MlaExpanded::output(std::span<const double> o, Index /*position*/) const { return mla_->output(o); }

}  // namespace lacuna
