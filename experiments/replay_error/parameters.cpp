#include "experiments/replay_error/parameters.hpp"

#include "core/model/replay_plan.hpp"
#include "experiments/harness/parameter_docs.hpp"
#include "experiments/harness/parameter_schema.hpp"

namespace lacuna {
namespace {

using enum ParameterType;

constexpr double kLongest = 1 << 24;

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const ReplayVariant& variant : replay_variants()) names.push_back(variant.name);
  return names;
}

std::string variant_sentence() {
  std::string text = "What is replayed.";
  for (const ReplayVariant& variant : replay_variants()) text += " " + variant.name + ": " + variant.sentence + ".";
  return text;
}

}  // namespace

ParameterTable replay_table() {
  ParameterTable table;
  table.specs = {
      {.key = "length",
       .type = integer,
       .unit = "tokens",
       .minimum = 1,
       .maximum = kLongest,
       .required = true,
       .sentence = "Last tokens of the prefix, and of what a hit found, that are run again; at most the prefix, and of "
                   "a hit at most all of it."},
      {.key = "variant",
       .type = text,
       .choices = variant_names(),
       .default_value = std::string("decoder_first"),
       .sentence = variant_sentence()},
      {.key = "hit",
       .type = count_or_fraction,
       .unit = "tokens",
       .maximum = kLongest,
       .default_value = 0.5,
       .sentence = "Tokens of the prefix that are found in the store, of prefix_hit; a fraction is one of the prefix."},
      {.key = "steps",
       .type = integer,
       .unit = "tokens",
       .minimum = 1,
       .maximum = kLongest,
       .default_value = std::int64_t{16},
       .sweepable = false,
       .sentence = "Tokens behind the prefix whose distributions are compared; the prefix is the rest of source.n."}};
  return table;
}

std::string print_replay_defaults() {
  std::string file =
      "## Every parameter of a study of replay_error with its default. What may be swept takes { grid = [a, b, ...] } "
      "or\n## { powers_of_2 = [first, last] } for a value; [[sweep.zip]] lets swept values of the source walk "
      "together.\nschema = 1\n\n[experiment]\n";
  print_parameters(file, common_experiment_table().specs, "", {{"kind", std::string("replay_error")}});
  file += "\n[source]\n";
  std::vector<ParameterSpec> source = source_table("model").specs;
  source.front().default_value = std::string("model");
  source.front().choices = {"model"};
  print_parameters(file, source, "", {{"preset", std::string("v41_small")}});
  file += "\n[replay]\n";
  print_parameters(file, replay_table().specs, "", {{"length", std::int64_t{32}}});
  return file;
}

std::string replay_json_schema() {
  using schema::Json;
  const Json keys = {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 2}, {"uniqueItems", true}};
  const Json zips = {{"type", "array"}, {"items", schema::closed_table({{"keys", keys}}, {"keys"})}};
  Json properties;
  properties["schema"] = {{"const", 1}, {"description", "Version of the layout of a parameter file."}};
  properties["experiment"] = schema::table(common_experiment_table().specs, "", "", "");
  properties["source"] = schema::table(source_table("model").specs, "", "kind", "model");
  properties["replay"] = schema::table(replay_table().specs, "", "", "");
  properties["sweep"] = schema::closed_table({{"zip", zips}}, {});
  return schema::parameter_file(properties, {"schema", "experiment", "source", "replay"}).dump(2) + "\n";
}

}  // namespace lacuna
