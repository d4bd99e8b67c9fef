#include "experiments/cache_cost/cost_study.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/suggestion.hpp"
#include "core/model/cost/layer_reads.hpp"
#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"
#include "experiments/cache_cost/parameters.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/study_file.hpp"

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

/// All but the pool's.
PatternChanges changes_of(const Parameters& parameters) {
  return {.layers = integer_of(parameters, "layers"),
          .ratios = list_of(parameters, "ratios"),
          .kv_heads = integer_of(parameters, "kv_heads"),
          .shared = parameters.has("shared") ? std::optional(parameters.boolean("shared")) : std::nullopt,
          .row_sources = list_of(parameters, "row_sources"),
          .index_sources = list_of(parameters, "index_sources"),
          .local_window = integer_of(parameters, "local_window"),
          .top_k = integer_of(parameters, "top_k")};
}

/// Takes a change back, so that what is wrong beside it can be found; false where it was not one.
bool take_back(PatternChanges& changes, const std::string& field) {
  const auto reset = [](auto& change) { return std::exchange(change, std::nullopt).has_value(); };
  if (field == "layers") return reset(changes.layers);
  if (field == "ratios") return reset(changes.ratios);
  if (field == "kv_heads") return reset(changes.kv_heads);
  if (field == "shared") return reset(changes.shared);
  if (field == "row_sources") return reset(changes.row_sources);
  if (field == "index_sources") return reset(changes.index_sources);
  if (field == "local_window") return reset(changes.local_window);
  if (field == "top_k") return reset(changes.top_k);
  return field.starts_with("pool") && reset(changes.pool);
}

RowStorage storage_of(const Parameters& parameters, const std::string& key) {
  return RowStorage(parameters.has(key) ? parameters.text(key) : "bf16");
}

std::string storage_key(const std::string& kind) {
  return kind == "main" ? "store" : kind == "index" ? "index_store" : "store_local";
}

class CostStudyReader {
 public:
  CostStudyReader(const TomlNode::Table& root, CostStudy& study, Diagnostics& diagnostics)
      : root_(root), study_(study), diagnostics_(diagnostics) {}

  void read() {
    const ParameterSet cost = read_table(root_, "cost", cost_table(), diagnostics_);
    if (const ReadParameter* context = cost.find("context"))
      for (const ParameterValue& value : context->values) study_.contexts.push_back(std::get<std::int64_t>(value));
    record_table(study_, "cost", cost);

    const auto table_of = [](const TomlNode::Table&) { return architecture_table(); };
    const std::vector<NamedTable> tables = read_named_tables(root_, "architecture", table_of, diagnostics_);
    for (const NamedTable& table : tables) {
      check_against(table, tables);
      record_table(study_, "architecture." + table.name, table.set);
      add(table);
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

  /// The architecture, with what is legal of it: the rest was reported, or is here.
  void add(const NamedTable& table) {
    const Parameters parameters = values_of(table.set);
    if (!parameters.has("preset")) return;
    Architecture architecture{.name = table.name,
                              .model = changed_model(table.set, parameters),
                              .storage = {.main = storage_of(parameters, "store"),
                                          .index = storage_of(parameters, "index_store"),
                                          .local = storage_of(parameters, "store_local")},
                              .against = parameters.has("against") ? parameters.text("against") : "",
                              .parameters = {}};
    for (const auto& [key, value] : parameters.values())
      if (key != "name") architecture.parameters.set(key, value);
    for (const StoragePolicy::Fault& fault : architecture.storage.check(architecture.model))
      report(table.set, storage_key(fault.kind), fault.message);
    try {
      layer_reads(architecture.model);  // whether the pool and top_k go together
    } catch (const UsageError& error) {
      report(table.set, "pool.blocks", error.what());
    }
    study_.architectures.push_back(std::move(architecture));
  }

  ModelDescription changed_model(const ParameterSet& set, const Parameters& parameters) {
    const ModelDescription published = describe_model(parameters.text("preset"));
    PatternChanges changes = changes_of(parameters);
    try {
      changes.pool = pool_of(parameters, published.pool);
    } catch (const PatternFault& fault) {
      report(set, fault.field, fault.what());
    }
    while (true) try {
        return changed(published, changes);
      } catch (const PatternFault& fault) {
        report(set, fault.field.empty() ? "preset" : fault.field, fault.what());
        if (!take_back(changes, fault.field)) return published;
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
  const StudyTables tables{
      .program = "cache_cost", .experiment = common_experiment_table(), .others = {"cost", "architecture"}};
  read_study_file(study, file, settings, tables, [&](const TomlNode::Table& root, Diagnostics& diagnostics) {
    CostStudyReader(root, study, diagnostics).read();
  });
  return study;
}

}  // namespace lacuna
