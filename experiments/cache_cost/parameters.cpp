#include "experiments/cache_cost/parameters.hpp"

#include "core/model/cost/row_storage.hpp"
#include "core/model/preset.hpp"
#include "experiments/harness/parameter_docs.hpp"
#include "experiments/harness/parameter_schema.hpp"

namespace lacuna {
namespace {

using enum ParameterType;

constexpr double kLongestContext = 1 << 30;

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const ModelPreset& preset : ModelPresetRegistry::instance().kinds()) names.push_back(preset.name);
  return names;
}

ParameterSpec storage(const std::string& key, const std::string& rows) {
  return {.key = key,
          .type = text,
          .choices = RowStorage::names(),
          .default_value = std::string("bf16"),
          .sweepable = false,
          .sentence = "How " + rows + " are stored: a published row layout, padding included, or a format."};
}

ParameterSpec labels(const std::string& key, const std::string& sentence) {
  return {.key = key,
          .type = integer_list,
          .unit = "1",
          .minimum = 0,
          .maximum = 1 << 24,
          .sweepable = false,
          .sentence = sentence};
}

ParameterSpec change(const std::string& key, const std::string& unit, double minimum, const std::string& sentence) {
  return {.key = key,
          .type = integer,
          .unit = unit,
          .minimum = minimum,
          .maximum = kLongestContext,
          .sweepable = false,
          .sentence = sentence};
}

}  // namespace

ParameterTable cost_table() {
  ParameterTable table;
  table.specs = {{.key = "context",
                  .type = integer,
                  .unit = "tokens",
                  .minimum = 1,
                  .maximum = kLongestContext,
                  .required = true,
                  .sentence = "Tokens in the cache, the one that is decoded among them."}};
  return table;
}

ParameterTable architecture_table() {
  ParameterTable table;
  table.specs = {
      {.key = "name",
       .type = text,
       .required = true,
       .sweepable = false,
       .sentence = "Names the architecture's group in the results file; unique."},
      {.key = "preset",
       .type = text,
       .choices = preset_names(),
       .required = true,
       .sweepable = false,
       .sentence = "The described model; unset parameters leave it as published."},
      {.key = "against",
       .type = text,
       .sweepable = false,
       .sentence = "Another architecture of the study, which the first table of the report sets its costs against."},
      storage("store", "rows that reach over the prefix (K and V of a head, latents, entries)"),
      storage("index_store", "index keys"),
      storage("store_local", "rows of the window"),
      change("layers", "1", 1, "Keeps only so many first layers."),
      labels("ratios", "Tokens per entry of every layer, 0 for a window alone; of models with a shared state."),
      change("kv_heads", "1", 1, "KV heads of every layer; of models with projected attention."),
      {.key = "shared",
       .type = boolean,
       .default_value = true,
       .sweepable = false,
       .sentence = "False: every layer makes the rows, the index keys and the selection that it reads."},
      labels("row_sources", "Layers that own rows; every other reads the latest before it of the same ratio."),
      labels("index_sources", "Layers that own an indexer; unset with row_sources: the same layers."),
      change("local_window", "tokens", 1, "Window of the layers that have one."),
      change("top_k", "rows", 1, "Rows that a layer with an indexer selects."),
      change("pool.blocks", "blocks", 0, "Blocks in the candidate pool of one token; 0: no pool. Unset: as published."),
      change("pool.block_size", "rows", 1, "Rows of a block. Unset: as published."),
      change("pool.from_layer", "1", 0, "The layer that builds the pool for the later ones. Unset: as published."),
  };
  return table;
}

std::string print_cost_defaults() {
  std::string file =
      "## Every parameter of a study of cache_cost with its default. What may be swept takes { grid = [a, b, ...] } "
      "or\n"
      "## { powers_of_2 = [first, last] } for a value.\nschema = 1\n\n[experiment]\n";
  print_parameters(file, common_experiment_table().specs, "", {{"kind", std::string("cache_cost")}});
  file += "\n[cost]\n";
  print_parameters(file, cost_table().specs, "", {{"context", std::int64_t{1} << 20}});
  file += "\n## One for each architecture.\n[[architecture]]\n";
  print_parameters(file, architecture_table().specs, "",
                   {{"name", std::string("v41")}, {"preset", std::string("v41_flash")}});
  file += "\n[architecture.pool]\n";
  print_parameters(file, architecture_table().specs, "pool");
  return file;
}

std::string cost_json_schema() {
  using schema::Json;
  const std::vector<ParameterSpec> specs = architecture_table().specs;
  Json architecture = schema::table(specs, "", "", "");
  architecture["properties"]["pool"] = schema::table(specs, "pool", "", "");
  architecture["properties"]["name"]["pattern"] = "^[A-Za-z_][A-Za-z0-9_]*$";
  Json properties;
  properties["schema"] = {{"const", 1}, {"description", "Version of the layout of a parameter file."}};
  properties["experiment"] = schema::table(common_experiment_table().specs, "", "", "");
  properties["cost"] = schema::table(cost_table().specs, "", "", "");
  properties["architecture"] = {{"type", "array"}, {"items", architecture}, {"minItems", 1}};
  return schema::parameter_file(properties, {"schema", "experiment", "cost", "architecture"}).dump(2) + "\n";
}

}  // namespace lacuna
