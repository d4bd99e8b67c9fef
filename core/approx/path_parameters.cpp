#include "core/approx/path_parameters.hpp"

#include "core/approx/block_ranker.hpp"
#include "core/approx/index_scorer.hpp"
#include "core/approx/path.hpp"
#include "core/approx/region.hpp"
#include "core/approx/replay_window.hpp"
#include "core/approx/selector.hpp"
#include "core/approx/store.hpp"

namespace lacuna {
namespace {

template <class Kind>
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Kind& kind : Registry<Kind>::instance().kinds()) result.push_back(kind.name);
  return result;
}

constexpr double kMost = 2147483647;  // rows are numbered with 31 bits

}  // namespace

std::vector<ParameterSpec> path_parameters() {
  using enum ParameterType;
  std::vector<ParameterSpec> specs = {
      {.key = "window",
       .type = integer,
       .unit = "keys",
       .minimum = 0,
       .maximum = kMost,
       .default_value = std::int64_t{0},
       .sentence = "Newest keys that are always read; the query's own key counts, so 1 reads itself only."},
      {.key = "sink_tokens",
       .type = integer,
       .unit = "keys",
       .minimum = 0,
       .maximum = kMost,
       .default_value = std::int64_t{0},
       .sentence = "First keys of the sequence that are always read."},
      {.key = "layers",
       .type = integer_list,
       .minimum = 0,
       .sweepable = false,
       .sentence = "Layers (their labels) that the path approximates; exact in the others. Unset: all."},
      {.key = "heads",
       .type = integer_list,
       .minimum = 0,
       .sweepable = false,
       .sentence = "Query heads (their labels) that the path approximates; exact in the others. Unset: all."},
      {.key = "select.by",
       .type = text,
       .choices = names<SelectorKind>(),
       .required = true,
       .sweepable = false,
       .sentence = "What decides which keys are read."},
      {.key = "select.share",
       .type = text,
       .choices = {"head", "kv_group", "layer"},
       .default_value = std::string("head"),
       .sentence = "Which query heads share one selection (and one pool): each its own, those of a KV head, or all."},
      {.key = "select.outside_window",
       .type = boolean,
       .default_value = false,
       .sentence = "Whether the selection's budget is spent only on keys outside the window and the sink tokens."},
      {.key = "pool.blocks",
       .type = integer,
       .unit = "blocks",
       .minimum = 1,
       .maximum = kMost,
       .required = true,
       .sentence = "Blocks of consecutive keys that stay candidates."},
      {.key = "pool.block_size",
       .type = integer,
       .unit = "keys",
       .minimum = 1,
       .maximum = kMost,
       .default_value = std::int64_t{8},
       .sentence = "Keys per block of the pool."},
      {.key = "pool.rank_by",
       .type = text,
       .choices = names<BlockRankerKind>(),
       .default_value = std::string("max"),
       .sentence = "What ranks the blocks of the pool."},
      {.key = "pool.pin_newest",
       .type = boolean,
       .default_value = true,
       .sentence = "Whether the block of the newest visible key is always in the pool."},
  };
  specs.push_back({.key = "pool.from_layer",
                   .type = integer,
                   .minimum = 0,
                   .sweepable = false,
                   .sentence = "Layer (its label) that builds the pool; only later layers choose within it. Unset: "
                               "every layer builds its own and chooses within it."});
  specs.push_back({.key = "region_count_weight",
                   .type = boolean,
                   .default_value = true,
                   .sentence = "Whether an entry of m keys counts as m keys (log m is added to its score) or as one."});
  for (ParameterSpec& spec : replay_parameters()) specs.push_back(std::move(spec));
  for (ParameterSpec& spec : store_parameters()) specs.push_back(std::move(spec));
  for (ParameterSpec& spec : index_parameters()) specs.push_back(std::move(spec));
  return specs;
}

std::vector<ParameterFault> check_path(const Parameters& path) {
  if (std::vector<ParameterFault> faults = check_regions(path); !faults.empty()) return faults;
  if (const auto fault = check_replay(path)) return {*fault};
  for (const char* key : {"store_rotate", "store_exact_tail"})
    if (path.integer(key) > 0 && !StoredCache::wanted(path))
      return {{key, fmt::format("'{}' needs a format: give 'store', 'store_k', 'store_v' or 'store_local'", key)}};
  if (path.integer("store_exact_tail") > 0)
    for (const char* key : {"store", "store_k", "store_v", "store_local"})
      if (path.has(key) && !FormatRegistry::instance().at(path.text(key)).takes_exact_tail)
        return {{"store_exact_tail", fmt::format("the format '{}' keeps no exact tail", path.text(key))}};
  const std::int64_t rotate = path.integer("store_rotate");
  if (rotate > 0 && (rotate & (rotate - 1)) != 0)
    return {{"store_rotate", fmt::format("{} is not a power of two", rotate)}};
  if (path.has("pool.from_layer")) {
    if (PathTraits::of(path).is_random)
      return {{"pool.from_layer", "a random selection has trials of its own: it cannot share one layer's pool"}};
    if (!covers(path, "layers", path.integer("pool.from_layer")))
      return {{"pool.from_layer", fmt::format("layer {} builds the pool, so it must be among the path's 'layers'",
                                              path.integer("pool.from_layer"))}};
  }
  if (!PathTraits::of(path).uses_indexer)
    for (const char* key : {"index_store", "index_rotate", "index_slot_defect"})
      if (path.has(key) && path.at(key) != ParameterValue(std::int64_t{0}) && path.at(key) != ParameterValue(false))
        return {{key, fmt::format("'{}' needs select.by = \"indexer\" or pool.rank_by = \"indexer\"", key)}};
  const std::int64_t rotate_index = path.integer("index_rotate");
  if (rotate_index > 0 && (rotate_index & (rotate_index - 1)) != 0)
    return {{"index_rotate", fmt::format("{} is not a power of two", rotate_index)}};
  return {};
}

}  // namespace lacuna
