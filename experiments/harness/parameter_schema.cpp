// json_schema(): the parameter table as a JSON Schema, for editors that complete and check TOML.
#include "experiments/harness/parameter_schema.hpp"

#include <cmath>

#include "core/approx/selector.hpp"
#include "data/problem_source.hpp"
#include "experiments/harness/parameter_table.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {
namespace schema {
namespace {

void limit(Json& schema, const ParameterSpec& spec) {
  if (std::isfinite(spec.minimum)) schema["minimum"] = spec.minimum;
  if (std::isfinite(spec.maximum)) schema["maximum"] = spec.maximum;
}

Json one_value(const ParameterSpec& spec) {
  Json schema;
  switch (spec.type) {
    case ParameterType::integer:
      schema["type"] = "integer";
      limit(schema, spec);
      break;
    case ParameterType::real:
      schema["type"] = "number";
      limit(schema, spec);
      break;
    case ParameterType::boolean:
      schema["type"] = "boolean";
      break;
    case ParameterType::text:
      schema["type"] = "string";
      if (!spec.choices.empty()) schema["enum"] = spec.choices;
      break;
    case ParameterType::count_or_fraction: {
      Json count = {{"type", "integer"}, {"minimum", 1}};
      if (std::isfinite(spec.maximum)) count["maximum"] = spec.maximum;
      const Json fraction = {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}};
      schema["anyOf"] = Json::array({count, fraction});
      break;
    }
    case ParameterType::integer_list: {
      Json element = {{"type", "integer"}};
      limit(element, spec);
      schema = {{"type", "array"}, {"items", element}, {"minItems", 1}};
      break;
    }
    case ParameterType::text_list: {
      const Json list = {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
      schema["anyOf"] = Json::array({{{"type", "string"}}, list});
      break;
    }
  }
  return schema;
}

}  // namespace

Json closed_table(const Json& properties, const std::vector<std::string>& required) {
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

namespace {

Json sweep_of(const Json& value) {
  const Json grid = {{"type", "array"}, {"items", value}, {"minItems", 1}, {"uniqueItems", true}};
  const Json ends = {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
  return {{"oneOf", Json::array({closed_table({{"grid", grid}}, {"grid"}),
                                 closed_table({{"powers_of_2", ends}}, {"powers_of_2"})})}};
}

Json parameter(const ParameterSpec& spec) {
  const Json value = one_value(spec);
  Json schema = value;
  if (spec.sweepable) schema = {{"anyOf", Json::array({value, sweep_of(value)})}};
  schema["description"] = spec.unit.empty() ? spec.sentence : fmt::format("{} Unit: {}.", spec.sentence, spec.unit);
  if (spec.default_value)
    std::visit([&](const auto& default_value) { schema["default"] = default_value; }, *spec.default_value);
  return schema;
}

}  // namespace

Json table(const std::vector<ParameterSpec>& specs, std::string_view subtable, std::string_view kind_key,
           const std::string& kind) {
  Json properties = Json::object();
  std::vector<std::string> required;
  for (const ParameterSpec& spec : specs) {
    if (subtable_of(spec.key) != subtable) continue;
    const std::string name(last_part(spec.key));
    properties[name] = parameter(spec);
    if (spec.key == kind_key) properties[name] = {{"const", kind}, {"description", spec.sentence}};
    if (spec.required) required.push_back(name);
  }
  return closed_table(properties, required);
}

Json parameter_file(const Json& properties, const std::vector<std::string>& required) {
  Json file = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Lacuna parameter file"}};
  file.update(closed_table(properties, required));
  return file;
}

}  // namespace schema

namespace {

using schema::closed_table;
using schema::Json;
using schema::table;

Json source() {
  Json kinds = Json::array();
  for (const SourceKind& kind : SourceRegistry::instance().kinds()) {
    kinds.push_back(table(source_table(kind.name).specs, "", "kind", kind.name));
    kinds.back()["description"] = kind.sentence;
  }
  return {{"description", "Where the attention problems come from."}, {"oneOf", kinds}};
}

Json select() {
  Json kinds = Json::array();
  for (const SelectorKind& kind : SelectorRegistry::instance().kinds()) {
    kinds.push_back(table(path_table(kind.name).specs, "select", "select.by", kind.name));
    kinds.back()["description"] = kind.sentence;
  }
  return {{"description", "Which keys are read."}, {"oneOf", kinds}};
}

Json path() {
  const ParameterTable of_path = path_table("");
  const std::vector<ParameterSpec>& specs = of_path.specs;
  Json schema = table(specs, "", "", "");
  for (const ParameterSpec& spec : specs) {
    const std::string subtable(subtable_of(spec.key));
    if (subtable.empty() || schema["properties"].contains(subtable)) continue;
    schema["properties"][subtable] = subtable == "select" ? select() : table(specs, subtable, "", "");
  }
  for (const ParameterSpec& spec : of_path.listed) {
    const std::string subtable(subtable_of(spec.key));
    schema["properties"][subtable] = {
        {"type", "array"}, {"items", table(of_path.listed, subtable, "", "")}, {"minItems", 1}};
  }
  schema["properties"]["name"]["pattern"] = "^[A-Za-z_][A-Za-z0-9_]*$";
  return schema;
}

Json sweep() {
  const Json keys = {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 2}, {"uniqueItems", true}};
  const Json zips = {{"type", "array"}, {"items", closed_table({{"keys", keys}}, {"keys"})}};
  return closed_table({{"zip", zips}}, {});
}

}  // namespace

std::string json_schema(const std::string& program) {
  Json properties;
  properties["schema"] = {{"const", 1}, {"description", "Version of the layout of a parameter file."}};
  properties["experiment"] = table(experiment_table(program).specs, "", "", "");
  properties["source"] = source();
  properties["path"] = {{"type", "array"}, {"items", path()}, {"minItems", 1}};
  properties["sweep"] = sweep();
  return schema::parameter_file(properties, {"schema", "experiment", "source", "path"}).dump(2) + "\n";
}

}  // namespace lacuna
