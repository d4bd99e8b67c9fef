#include "experiments/bound_audit/instance.hpp"

#include <cmath>

#include "core/approx/store.hpp"

namespace lacuna {
namespace {

/// One of some values.
double one_of(std::initializer_list<double> values, Draws& draws) {
  return *(values.begin() + draws.integer(0, static_cast<Index>(values.size()) - 1));
}

std::string fitting_format(const AuditInstance& instance, Draws& draws) {
  std::vector<std::string> fitting;
  for (const FormatKind& kind : FormatRegistry::instance().kinds())
    if (!StoredCache::check(stored_path(kind.name), instance.d_qk, instance.d_v, instance.shared, false))
      fitting.push_back(kind.name);
  LACUNA_ASSERT(!fitting.empty());
  return fitting[draws.integer(0, static_cast<Index>(fitting.size()) - 1)];
}

/// At least one key is not attended.
void leave_one_out(AuditInstance& instance, Draws& draws) {
  for (const char kept : instance.kept)
    if (kept == 0) return;
  instance.kept[draws.integer(0, instance.keys - 1)] = 0;
}

void copy_row(std::vector<double>& rows, Index width, Index from, Index to, double factor) {
  for (Index c = 0; c < width; ++c) rows[to * width + c] = factor * rows[from * width + c];
}

/// One number, or one row of them, moved.
void move(std::vector<double>& rows, Index width, double by, Draws& draws) {
  const Index row = draws.integer(0, static_cast<Index>(rows.size()) / width - 1);
  const bool whole = draws.chance(0.3);
  const Index channel = draws.integer(0, width - 1);
  for (Index c = 0; c < width; ++c)
    if (whole || c == channel) rows[row * width + c] += by * draws.normal();
}

/// Rows [keys, width] around a centre, one centre for all or one for each block, near it or far, and all of them
/// shifted.
std::vector<double> rows_in_blocks(const AuditInstance& instance, Index width, Draws& draws) {
  const double shift = one_of({0, 0, 1, 10, 1e6}, draws);
  std::vector<double> common(width);
  for (double& x : common) x = draws.normal();
  std::vector<double> rows;
  for (Index begin = 0; begin < instance.keys; begin += instance.block_size) {
    std::vector<double> centre = common;
    const double apart = one_of({0, 1, 3}, draws);
    for (double& x : centre) x += apart * draws.normal();
    const double spread = one_of({0, 0.1, 1, 3}, draws);
    for (Index j = begin; j < std::min(begin + instance.block_size, instance.keys); ++j)
      for (const double x : centre) rows.push_back(x + spread * draws.normal() + shift);
  }
  return rows;
}

}  // namespace

Parameters stored_path(const std::string& format) {
  Parameters path;
  for (const ParameterSpec& spec : store_parameters())
    if (spec.default_value) path.set(spec.key, *spec.default_value);
  path.set("store", format);
  return path;
}

AttentionProblem AuditInstance::problem() const {
  AttentionProblem problem;
  problem.q = Tensor(1, 1, d_qk, q);
  problem.k = Tensor(1, keys, d_qk, k);
  if (!shared) problem.v = Tensor(1, keys, d_v, v);
  problem.query_position = {keys - 1};
  for (Index j = 0; j < keys; ++j) problem.key_position.push_back(j);
  if (sink) problem.sink_logit = {*sink};
  problem.sm_scale = sm_scale;
  return problem;
}

KeySet AuditInstance::kept_keys() const {
  KeySet result;
  for (Index j = 0; j < keys; ++j)
    if (kept[j] != 0) result.push_back(static_cast<RowIndex>(j));
  return result;
}

AuditInstance random_instance(const InstanceExtents& largest, bool stored, Draws& draws) {
  AuditInstance instance;
  instance.keys = draws.integer(2, largest.keys);
  instance.d_qk = draws.integer(1, largest.channels);
  instance.shared = draws.chance(0.2);
  instance.d_v = instance.shared ? instance.d_qk : draws.integer(1, largest.channels);
  instance.block_size = draws.integer(1, 4);
  instance.sm_scale = one_of({0.1, 1, 3}, draws) / std::sqrt(static_cast<double>(instance.d_qk));
  if (draws.chance(0.5)) instance.sink = 2 * draws.normal();
  for (Index c = 0; c < instance.d_qk; ++c) instance.q.push_back(draws.normal());
  instance.k = rows_in_blocks(instance, instance.d_qk, draws);
  instance.v = rows_in_blocks(instance, instance.d_v, draws);
  const double share = draws.uniform();
  for (Index j = 0; j < instance.keys; ++j) instance.kept.push_back(draws.chance(share) ? 1 : 0);
  if (instance.shared) instance.v = instance.k;
  if (stored) instance.format = fitting_format(instance, draws);
  leave_one_out(instance, draws);
  return instance;
}

AuditInstance neighbour(AuditInstance instance, Draws& draws) {
  const double by = std::exp(draws.uniform(std::log(1e-4), std::log(3.0)));
  const Index a = draws.integer(0, instance.keys - 1);
  const Index b = draws.integer(0, instance.keys - 1);
  const double change = draws.uniform();
  if (change < 0.3) {
    move(instance.k, instance.d_qk, by, draws);
  } else if (change < 0.6) {
    move(instance.v, instance.d_v, by, draws);
  } else if (change < 0.7) {
    move(instance.q, instance.d_qk, by, draws);
  } else if (change < 0.75) {
    copy_row(instance.k, instance.d_qk, a, b, 1);
  } else if (change < 0.8) {
    copy_row(instance.v, instance.d_v, a, b, draws.chance(0.3) ? -1 : 1);
  } else if (change < 0.87) {
    instance.kept[a] = instance.kept[a] != 0 ? 0 : 1;
    leave_one_out(instance, draws);
  } else if (change < 0.94) {
    instance.sm_scale *= std::exp(by * draws.normal());
  } else if (instance.sink) {
    *instance.sink += by * draws.normal();
  }
  if (instance.shared) instance.v = instance.k;
  return instance;
}

}  // namespace lacuna
