#include "experiments/cache_cost/cost_study.hpp"

#include <algorithm>

#include "core/base/suggestion.hpp"
#include "core/model/cost/layer_reads.hpp"
#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"
#include "experiments/cache_cost/parameters.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/resolved.hpp"
#include "experiments/harness/settings.hpp"

namespace lacuna {
namespace {

std::optional<Index> integer_of(const Parameters& parameters, const std::string& key) {
  return parameters.has(key) ? std::optional(parameters.integer(key)) : std::nullopt;
}

std::optional<std::vector<Index>> list_of(const Parameters& parameters, const std::string& key) {
  return parameters.has(key) ? std::optional(parameters.get<std::vector<std::int64_t>>(key)) : std::nullopt;
}

/// The preset's pool with what is given of it changed.
std::optional<CandidatePool> pool_of(const Parameters& parameters, const std::optional<CandidatePool>& published) {
  const auto blocks = integer_of(parameters, "pool.blocks");
  const auto block_size = integer_of(parameters, "pool.block_size");
  const auto from_layer = integer_of(parameters, "pool.from_layer");
  if (blocks == 0) return CandidatePool{};
  if (!blocks && !block_size && !from_layer) return std::nullopt;
  if (!published && !(blocks && block_size && from_layer))
    throw PatternFault("pool.blocks", "the preset has no pool: blocks, block_size and from_layer are all needed");
  CandidatePool pool = published.value_or(CandidatePool{});
  pool.blocks = blocks.value_or(pool.blocks);
  pool.block_size = block_size.value_or(pool.block_size);
  pool.from_layer = from_layer.value_or(pool.from_layer);
  return pool;
}

PatternChanges changes_of(const Parameters& parameters, const ModelDescription& published) {
  return {.layers = integer_of(parameters, "layers"),
          .ratios = list_of(parameters, "ratios"),
          .kv_heads = integer_of(parameters, "kv_heads"),
          .shared = parameters.boolean("shared"),
          .row_sources = list_of(parameters, "row_sources"),
          .index_sources = list_of(parameters, "index_sources"),
          .local_window = integer_of(parameters, "local_window"),
          .top_k = integer_of(parameters, "top_k"),
          .pool = pool_of(parameters, published.pool)};
}

std::string storage_key(const std::string& kind) {
  return kind == "main" ? "store" : kind == "index" ? "index_store" : "store_local";
}

class CostStudyReader {
 public:
  CostStudyReader(const TomlNode::Table& root, CostStudy& study, Diagnostics& diagnostics)
      : root_(root), study_(study), diagnostics_(diagnostics) {}

  void read() {
    const ParameterTable experiment = common_experiment_table();
    read_top_level(root_, {"experiment", "cost", "architecture"}, experiment, diagnostics_);
    study_.resolved.push_back({.key = "schema", .value = "1", .given = true});
    const ParameterSet experiment_set = read_table(root_, "experiment", experiment, diagnostics_);
    study_.experiment = values_of(experiment_set);
    append_resolved(study_.resolved, "experiment.", experiment_set);

    const ParameterSet cost = read_table(root_, "cost", cost_table(), diagnostics_);
    if (const ReadParameter* context = cost.find("context"))
      for (const ParameterValue& value : context->values) study_.contexts.push_back(std::get<std::int64_t>(value));
    append_resolved(study_.resolved, "cost.", cost);

    const auto table_of = [](const TomlNode::Table&) { return architecture_table(); };
    const std::vector<NamedTable> tables = read_named_tables(root_, "architecture", table_of, diagnostics_);
    for (const NamedTable& table : tables) {
      check_against(table, tables);
      append_resolved(study_.resolved, "architecture." + table.name + ".", table.set);
      if (table.sound) add(table);
    }
  }

 private:
  void check_against(const NamedTable& table, const std::vector<NamedTable>& tables) {
    const std::string against = table.set.text("against");
    if (against.empty()) return;
    std::vector<std::string> others;
    for (const NamedTable& other : tables)
      if (other.name != table.name) others.push_back(other.name);
    if (std::ranges::find(others, against) == others.end())
      report(table.set, "against",
             fmt::format("against names '{}', which is no other [[architecture]]{}", against,
                         did_you_mean(against, others)));
  }

  void add(const NamedTable& table) {
    const Parameters parameters = values_of(table.set);
    const ModelDescription published = describe_model(parameters.text("preset"));
    try {
      Architecture architecture{.name = table.name,
                                .model = changed(published, changes_of(parameters, published)),
                                .storage = {.main = RowStorage(parameters.text("store")),
                                            .index = RowStorage(parameters.text("index_store")),
                                            .local = RowStorage(parameters.text("store_local"))},
                                .against = parameters.has("against") ? parameters.text("against") : "",
                                .parameters = {}};
      for (const auto& [key, value] : parameters.values())
        if (key != "name") architecture.parameters.set(key, value);
      for (const StoragePolicy::Fault& fault : architecture.storage.check(architecture.model))
        report(table.set, storage_key(fault.kind), fault.message);
      layer_reads(architecture.model);  // whether the pool and top_k go together
      study_.architectures.push_back(std::move(architecture));
    } catch (const PatternFault& fault) {
      report(table.set, fault.field.empty() ? "preset" : fault.field, fault.what());
    } catch (const UsageError& error) {
      report(table.set, "pool.blocks", error.what());
    }
  }

  void report(const ParameterSet& set, const std::string& key, const std::string& message) {
    diagnostics_.error(set.position_of(key), fmt::format("in {}: {}", set.owner, message));
  }

  const TomlNode::Table& root_;
  CostStudy& study_;
  Diagnostics& diagnostics_;
};

}  // namespace

CostStudy read_cost_study(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  CostStudy study;
  study.file = file;
  TomlDocument document = read_toml(file);
  study.text = std::move(document.text);
  Diagnostics diagnostics(file.string());
  apply_settings(document.root, settings, diagnostics);
  require_kind(document.root, "cache_cost", file.string());
  CostStudyReader(*document.root.table(), study, diagnostics).read();
  diagnostics.throw_if_any();
  return study;
}

}  // namespace lacuna
