#include "experiments/cache_cost/recording.hpp"

#include <functional>

#include "experiments/harness/default_plot.hpp"

namespace lacuna {
namespace {

template <std::size_t N>
std::vector<std::string> names(const std::array<std::string_view, N>& kinds) {
  return {kinds.begin(), kinds.end()};
}

/// The variables of one architecture, as [context] or [context, kinds].
class CostGroup {
 public:
  CostGroup(ResultsGroup group, const std::vector<ContextCosts>& contexts) : group_(group), contexts_(contexts) {
    std::vector<std::int64_t> tokens;
    for (const ContextCosts& context : contexts) tokens.push_back(context.context);
    group_.dimension({"context", tokens, "token", "tokens in the cache, the decoded one among them"});
    group_.dimension({"kind", names(kTensorKinds), "", "kind of cached tensor"});
    group_.dimension({"operation", names(kOperationKinds), "", "part of a decoded token's operations"});
  }

  void counts(const std::string& name, const std::string& units, const std::string& long_name,
              const std::function<Index(const ContextCosts&)>& value) {
    std::vector<std::int64_t> values;
    for (const ContextCosts& context : contexts_) values.push_back(value(context));
    group_.label({name, VariableType::i64, {"context"}, units, long_name, {}}, std::span<const std::int64_t>(values));
  }

  void numbers(const std::string& name, const std::string& units, const std::string& long_name,
               const std::function<double(const ContextCosts&)>& value) {
    std::vector<double> values;
    for (const ContextCosts& context : contexts_) values.push_back(value(context));
    group_.label({name, VariableType::f64, {"context"}, units, long_name, {}}, std::span<const double>(values));
  }

  /// value [context][kind of `dimension`]
  template <std::size_t N>
  void table(const std::string& name, const std::string& dimension, const std::string& units,
             const std::string& long_name, const std::function<std::array<Rational, N>(const ContextCosts&)>& value) {
    std::vector<double> values;
    for (const ContextCosts& context : contexts_)
      for (const Rational& number : value(context)) values.push_back(number.value());
    group_.label({name, VariableType::f64, {"context", dimension}, units, long_name, {}},
                 std::span<const double>(values));
  }

  void per_token(const std::string& name, const std::string& long_name,
                 const std::array<Rational, kTensorKinds.size()>& bytes) {
    std::vector<double> values;
    std::string exact;
    for (const Rational& number : bytes) {
      values.push_back(number.value());
      exact += fmt::format("{}{}", exact.empty() ? "" : " ", to_string(number));
    }
    group_.label({name, VariableType::f64, {"kind"}, "byte", long_name, {{"exact", exact}}},
                 std::span<const double>(values));
  }

 private:
  ResultsGroup group_;
  const std::vector<ContextCosts>& contexts_;
};

using PerKind = std::array<Rational, kTensorKinds.size()>;

PerKind totals(const CacheBytes& bytes) {
  PerKind result;
  for (std::size_t kind = 0; kind < result.size(); ++kind) result[kind] = bytes.kinds[kind].total;
  return result;
}

PerKind scales(const CacheBytes& bytes) {
  PerKind result;
  for (std::size_t kind = 0; kind < result.size(); ++kind) result[kind] = bytes.kinds[kind].scales;
  return result;
}

}  // namespace

void record_costs(ResultsFile& file, const ArchitectureCosts& costs) {
  ResultsGroup group = file.group("/cost/" + costs.architecture->name);
  for (const auto& [key, value] : costs.architecture->parameters.values()) group.attribute(key, to_string(value));
  group.attribute("layer_count", static_cast<std::int64_t>(costs.architecture->model.layers.size()));

  default_signal(group, "bytes_stored", {"context"});

  CostGroup of(group, costs.contexts);
  of.per_token("bytes_per_token", "growth of the cache per token", totals(costs.per_token));
  of.per_token("scale_bytes_per_token", "of which scales", scales(costs.per_token));
  of.table<kTensorKinds.size()>("bytes", "kind", "byte", "bytes of a sequence",
                                [](const ContextCosts& c) { return totals(c.held); });
  of.table<kTensorKinds.size()>("scale_bytes", "kind", "byte", "of which scales",
                                [](const ContextCosts& c) { return scales(c.held); });
  of.numbers("bytes_stored", "byte", "bytes of a sequence, of all kinds but the routing workspace",
             [](const ContextCosts& c) { return c.held.stored().value(); });
  of.table<kTensorKinds.size()>("bytes_read", "kind", "byte", "bytes of the cache read per decoded token",
                                [](const ContextCosts& c) { return totals(c.read); });
  of.counts("main_keys_scored", "1", "rows over the prefix scored per decoded token, summed over layers",
            [](const ContextCosts& c) { return c.scored.main; });
  of.counts("local_keys_scored", "1", "rows of windows scored per decoded token, summed over layers",
            [](const ContextCosts& c) { return c.scored.local; });
  of.counts("index_keys_scored", "1", "index keys scored per decoded token, summed over layers",
            [](const ContextCosts& c) { return c.scored.index; });
  of.counts("index_keys_scored_without_pool", "1", "the same if no pool limited them",
            [](const ContextCosts& c) { return c.scored.index_without_pool; });
  of.counts("prefill_layer_tokens", "1", "tokens through layers in prefill, later layers on the last window only",
            [](const ContextCosts& c) { return c.prefill_layer_tokens; });
  of.counts("full_layer_tokens", "1", "tokens through layers in prefill, every layer on every token",
            [](const ContextCosts& c) { return c.full_layer_tokens; });
  of.table<kOperationKinds.size()>("operations", "operation", "1", "floating-point operations per decoded token",
                                   [](const ContextCosts& c) { return c.operations.kinds; });
  of.numbers("recomputation_operations", "1", "floating-point operations per decoded token without a cache",
             [](const ContextCosts& c) { return c.recomputation; });
}

}  // namespace lacuna
