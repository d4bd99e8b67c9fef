#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/harness/parameter_table.hpp"
#include "experiments/harness/toml_document.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using nlohmann::json;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PrintDefaults, IsTomlThatHoldsTheDefaults) {
  testing_study::register_kinds();
  const TomlNode root = parse_toml(print_defaults("attention_error", "test_other_source"), "defaults");
  const TomlEntry* experiment = find(*root.table(), "experiment");
  ASSERT_NE(experiment, nullptr);
  EXPECT_EQ(std::get<std::int64_t>(find(*experiment->node.table(), "seed")->node.value), 0);
  const TomlEntry* path = find(*root.table(), "path");
  ASSERT_NE(path, nullptr);
  const TomlNode::Table& first = *path->node.array()->front().table();
  EXPECT_EQ(std::get<std::int64_t>(find(first, "window")->node.value), 0);
  EXPECT_EQ(*find(*find(first, "select")->node.table(), "share")->node.text(), "head");
  EXPECT_EQ(std::get<std::int64_t>(find(*find(first, "pool")->node.table(), "block_size")->node.value), 8);
}

TEST(PrintDefaults, NamesEveryParameterWithItsFacts) {
  testing_study::register_kinds();
  const std::string text = print_defaults("attention_error", "test_other_source");
  for (const ParameterTable& table :
       {experiment_table("attention_error"), source_table("test_source"), path_table("test_select")}) {
    for (const ParameterSpec& spec : table.specs) {
      EXPECT_TRUE(contains(text, "## " + spec.sentence + "\n")) << spec.key;
      EXPECT_TRUE(contains(text, std::string(last_part(spec.key)) + " =")) << spec.key;
    }
  }
  EXPECT_TRUE(contains(text, "# [source]\n# kind = \"test_source\"\n"));
  EXPECT_TRUE(contains(text, "# [path.select]\n# by = \"test_select\"\n"));
  EXPECT_TRUE(contains(text, "## an integer; unit keys; between 1 and 1000000; may be swept.\n# n = 64\n"));
  EXPECT_TRUE(contains(text, "one of round, square"));
  EXPECT_TRUE(contains(text,
                       "## a count or a fraction; unit keys; a count between 1 and 1000000 or a fraction in (0, 1]; "
                       "may be swept; required.\n# k =\n"));
}

TEST(JsonSchema, ParsesAndDescribesEveryKind) {
  testing_study::register_kinds();
  const json schema = json::parse(json_schema("attention_error"));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["required"], json({"schema", "experiment", "source", "path"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["experiment"]["properties"]["seed"]["minimum"], 0);
  bool found = false;
  for (const json& kind : schema["properties"]["source"]["oneOf"]) {
    if (kind["properties"]["kind"]["const"] != "test_source") continue;
    found = true;
    EXPECT_EQ(kind["properties"]["n"]["default"], 64);
    EXPECT_EQ(kind["properties"]["n"]["description"], "Keys. Unit: keys.");
    EXPECT_FALSE(kind["properties"].contains("m"));
    EXPECT_EQ(kind["required"], json({"kind"}));
  }
  EXPECT_TRUE(found);
}

TEST(JsonSchema, AcceptsSweepsWhereTheTableDoes) {
  testing_study::register_kinds();
  const json path = json::parse(json_schema("attention_error"))["properties"]["path"]["items"]["properties"];
  const json& window = path["window"]["anyOf"];
  EXPECT_EQ(window[0]["type"], "integer");
  EXPECT_EQ(window[1]["oneOf"][0]["properties"]["grid"]["items"], window[0]);
  EXPECT_EQ(window[1]["oneOf"][1]["required"], json({"powers_of_2"}));
  EXPECT_FALSE(path["layers"].contains("anyOf"));
  EXPECT_TRUE(path["pool"]["properties"].contains("blocks"));
  EXPECT_EQ(path["name"]["pattern"], "^[A-Za-z_][A-Za-z0-9_]*$");
  for (const json& kind : path["select"]["oneOf"]) {
    if (kind["properties"]["by"]["const"] != "test_select") continue;
    EXPECT_EQ(kind["required"], json({"by", "k"}));
  }
}

}  // namespace
}  // namespace lacuna
