#include "core/mechanism/mla_projections.hpp"

#include <cmath>

#include "core/mechanism/norm.hpp"
#include "core/mechanism/require.hpp"

namespace lacuna {
namespace {

double std_of_fan_in(Index columns) { return 1 / std::sqrt(static_cast<double>(columns)); }

Matrix random_weight(Index rows, Index columns, std::uint64_t seed, std::string_view purpose) {
  return Matrix::random(rows, columns, std_of_fan_in(columns), {seed, purpose});
}

const MlaConfig& checked(const MlaConfig& config) {
  config.check();
  return config;
}

}  // namespace

void MlaConfig::check() const {
  require_positive({{"d_model", d_model},
                    {"heads", heads},
                    {"kv_lora_rank", kv_lora_rank},
                    {"qk_nope", qk_nope},
                    {"qk_rope", qk_rope},
                    {"d_v", d_v}});
  if (q_lora_rank < 0) throw UsageError(fmt::format("q_lora_rank is {}; it must be at least 0", q_lora_rank));
  require_rope("qk_rope", rope(RopePairs::interleaved), {"qk_rope", qk_rope});
  if (!(eps >= 0)) throw UsageError(fmt::format("eps is {}; it must be at least 0", eps));
}

double MlaConfig::sm_scale() const {
  const double m = yarn ? 0.1 * mscale * std::log(yarn->factor) + 1 : 1;
  return m * m / std::sqrt(static_cast<double>(d_qk()));
}

RopeParameters MlaConfig::rope(RopePairs pairs) const {
  return {.channels = qk_rope, .base = rope_base, .pairs = pairs, .yarn = yarn};
}

MlaWeights MlaWeights::random(const MlaConfig& config, double score_std, std::uint64_t seed) {
  config.check();
  const Index query_input = config.query_input();
  const Index heads_out = config.heads * config.d_v;
  MlaWeights weights;
  if (config.q_lora_rank > 0) {
    weights.wqa = random_weight(config.q_lora_rank, config.d_model, seed, "mla.wqa");
    weights.q_norm.assign(config.q_lora_rank, 1.0);
  }
  weights.wqb = Matrix::random(config.heads * config.d_qk(), query_input, score_std * std_of_fan_in(query_input),
                               {seed, "mla.wqb"});
  weights.wkva = random_weight(config.latent_width(), config.d_model, seed, "mla.wkva");
  weights.kv_norm.assign(config.kv_lora_rank, 1.0);
  weights.wkvb = random_weight(config.heads * (config.qk_nope + config.d_v), config.kv_lora_rank, seed, "mla.wkvb");
  weights.wo = random_weight(config.d_model, heads_out, seed, "mla.wo");
  return weights;
}

Mla::Mla(const MlaConfig& config, MlaWeights weights)
    : config_(checked(config)), rope_(config.rope(RopePairs::interleaved)) {
  const Index key_and_value = config.qk_nope + config.d_v;
  require_shape("wqa", weights.wqa, config.q_lora_rank, config.q_lora_rank > 0 ? config.d_model : 0);
  require_size("q_norm", weights.q_norm, config.q_lora_rank);
  require_shape("wqb", weights.wqb, config.heads * config.d_qk(), config.query_input());
  require_shape("wkva", weights.wkva, config.latent_width(), config.d_model);
  require_size("kv_norm", weights.kv_norm, config.kv_lora_rank);
  require_shape("wkvb", weights.wkvb, config.heads * key_and_value, config.kv_lora_rank);
  require_shape("wo", weights.wo, config.d_model, config.heads * config.d_v);
  for (Index h = 0; h < config.heads; ++h) {
    wuk_.push_back(weights.wkvb.row_block(h * key_and_value, config.qk_nope));
    wuv_.push_back(weights.wkvb.row_block(h * key_and_value + config.qk_nope, config.d_v));
  }
  wqa_ = std::move(weights.wqa);
  q_norm_ = std::move(weights.q_norm);
  wqb_ = std::move(weights.wqb);
  wkva_ = std::move(weights.wkva);
  kv_norm_ = std::move(weights.kv_norm);
  wo_ = std::move(weights.wo);
}

std::vector<double> Mla::low_rank_query(std::span<const double> x) const {
  if (config_.q_lora_rank == 0) return {x.begin(), x.end()};
  std::vector<double> qr = wqa_ * x;
  for (std::span<double> rest = qr; !rest.empty(); rest = rest.subspan(config_.q_lora_rank))
    rms_norm(rest.first(config_.q_lora_rank), q_norm_, config_.eps);
  return qr;
}

std::vector<double> Mla::queries(std::span<const double> qr, Index first) const {
  std::vector<double> q = wqb_ * qr;
  Index h = 0;
  for (std::span<double> rest = q; !rest.empty(); rest = rest.subspan(config_.d_qk()), ++h)
    rope_.rotate(rest.subspan(config_.qk_nope, config_.qk_rope), first + h / config_.heads);
  return q;
}

void Mla::latent_rows(std::span<const double> x, Index first, std::span<double> latent) const {
  wkva_.multiply(x, latent);
  for (Index position = first; !latent.empty(); latent = latent.subspan(config_.latent_width()), ++position) {
    rms_norm(latent.first(config_.kv_lora_rank), kv_norm_, config_.eps);
    rope_.rotate(latent.subspan(config_.kv_lora_rank, config_.qk_rope), position);
  }
}

void Mla::key_nope(Index head, TokenVectors<const double> c, TokenVectors<double> k_nope) const {
  wuk_[head].multiply(c, k_nope);
}

void Mla::value(Index head, TokenVectors<const double> c, TokenVectors<double> v) const { wuv_[head].multiply(c, v); }

void Mla::absorb(Index head, TokenVectors<const double> q_nope, TokenVectors<double> q_latent) const {
  wuk_[head].multiply_transposed(q_nope, q_latent);
}

std::vector<double> Mla::output(std::span<const double> o) const { return wo_ * o; }

}  // namespace lacuna
