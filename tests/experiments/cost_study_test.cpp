#include "experiments/cache_cost/cost_study.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/model/preset.hpp"
#include "experiments/cache_cost/costs.hpp"
#include "experiments/cache_cost/parameters.hpp"
#include "experiments/harness/parameter_text.hpp"
#include "experiments/harness/toml_document.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;

/// Six lines; what a test is about follows from line 7.
const std::string kCostHead =
    "schema = 1\n"
    "[experiment]\n"
    "kind = \"cache_cost\"\n"
    "[cost]\n"
    "context = 1024\n"
    "[[architecture]]\n";
const std::string kV41 =
    "name = \"v41\"\npreset = \"v41_flash\"\nstore = \"v41_main_row\"\nindex_store = \"fp4_index_row\"\n"
    "store_local = \"v41_window_row\"\n";

CostStudy read_cost(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Folder folder("cost");
  return read_cost_study(folder.write(text), settings);
}

/// The errors, one per line, without the name of the folder.
std::string cost_errors(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Folder folder("cost");
  try {
    read_cost_study(folder.write(text), settings);
  } catch (const UsageError& error) {
    std::string message = error.what();
    const std::string prefix = folder.path().string() + "/";
    for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
      message.erase(at, prefix.size());
    return message;
  }
  return "";
}

CostStudy shipped(const std::string& name) {
  return read_cost_study(std::string(LACUNA_SOURCE_DIR) + "/experiments/params/" + name, {});
}

/// Exact bytes per token of main and index rows, of every architecture.
std::vector<std::string> bytes_of(const CostStudy& study) {
  std::vector<std::string> all;
  for (const Architecture& architecture : study.architectures) {
    const CacheBytes bytes = ArchitectureCosts::of(architecture, {1}).per_token;
    all.push_back(to_string(bytes[TensorKind::main].total + bytes[TensorKind::index].total));
  }
  return all;
}

TEST(ReadCostStudy, TakesAPresetAsItIsAndStoresItInBf16) {
  const CostStudy study = read_cost(kCostHead + "name = \"a\"\npreset = \"v3\"\n");
  EXPECT_EQ(study.contexts, (std::vector<Index>{1024}));
  ASSERT_EQ(study.architectures.size(), 1u);
  EXPECT_EQ(bytes_of(study), (std::vector<std::string>{"70272"}));
  EXPECT_EQ(study.architectures[0].parameters.text("store"), "bf16");
  EXPECT_FALSE(study.architectures[0].parameters.has("name"));
}

TEST(ReadCostStudy, SweepsContexts) {
  const std::string tail = "[[architecture]]\n" + kV41;
  const std::string head = "schema = 1\n[experiment]\nkind = \"cache_cost\"\n[cost]\n";
  EXPECT_EQ(read_cost(head + "context = { powers_of_2 = [256, 1024] }\n" + tail).contexts,
            (std::vector<Index>{256, 512, 1024}));
  EXPECT_EQ(read_cost(head + "context = { grid = [7, 3] }\n" + tail).contexts, (std::vector<Index>{7, 3}));
}

TEST(ReadCostStudy, ChangesWhatIsGivenOfThePool) {
  const auto pool = [](const std::string& line) {
    return read_cost(kCostHead + kV41 + line).architectures[0].model.pool;
  };
  ASSERT_TRUE(pool("").has_value());
  EXPECT_EQ(pool("")->blocks, 2048);
  EXPECT_FALSE(pool("pool.blocks = 0\n").has_value());
  EXPECT_EQ(pool("pool.blocks = 100\n")->blocks, 100);
  EXPECT_EQ(pool("pool.blocks = 100\n")->block_size, 8);
  EXPECT_EQ(pool("pool.from_layer = 8\n")->from_layer, 8);
}

TEST(ReadCostStudy, SettingsAddressAnArchitectureByItsName) {
  const std::string two = kCostHead + kV41 + "[[architecture]]\nname = \"other\"\npreset = \"v3\"\n";
  const CostStudy study = read_cost(two, {"architecture.v41.shared=false", "cost.context=3"});
  EXPECT_EQ(bytes_of(study), (std::vector<std::string>{"10324", "70272"}));
  EXPECT_EQ(study.contexts, (std::vector<Index>{3}));
  EXPECT_EQ(cost_errors(two, {"architecture.v14.shared=false"}),
            "--set:1: error: no [[architecture]] is named 'v14'; did you mean 'v41'?");
}

TEST(ReadCostStudy, ResolvesEveryParameter) {
  const CostStudy study = read_cost(kCostHead + kV41);
  const auto line = [&](const std::string& key) {
    for (const ResolvedParameter& parameter : study.resolved)
      if (parameter.key == key) return parameter.value + (parameter.given ? "" : " by default");
    return std::string("absent");
  };
  EXPECT_EQ(line("architecture.v41.preset"), "\"v41_flash\"");
  EXPECT_EQ(line("architecture.v41.shared"), "true by default");
  EXPECT_EQ(line("cost.context"), "1024");
  EXPECT_EQ(line("experiment.seed"), "0 by default");
}

TEST(ReadCostStudyFaults, ReportsAllErrorsAtOnce) {
  std::vector<std::string> presets;
  for (const ModelPreset& preset : ModelPresetRegistry::instance().kinds()) presets.push_back(preset.name);
  EXPECT_EQ(
      cost_errors("schema = 1\n"
                  "[experiment]\n"
                  "kind = \"cache_cost\"\n"
                  "[cost]\n"
                  "contxt = 5\n"
                  "[[architecture]]\n"
                  "name = \"a\"\n"
                  "preset = \"v41_flsh\"\n"
                  "[[architecture]]\n"
                  "name = \"b\"\n"
                  "preset = \"v3\"\n"
                  "store = \"v41_main_row\"\n"
                  "[[architecture]]\n"
                  "name = \"b\"\n"
                  "preset = \"v1_67b\"\n"
                  "[[architecture]]\n"
                  "name = \"c\"\n"
                  "preset = \"v1_67b\"\n"
                  "kv_heads = 7\n"
                  "[path]\n"),
      "params.toml:4:2: error: missing key 'context' in [cost]: Tokens in the cache, the one that is decoded among "
      "them.\n"
      "params.toml:5:1: error: unknown key 'contxt' in [cost]; did you mean 'context'?\n"
      "params.toml:8:1: error: 'preset' = \"v41_flsh\" in [[architecture]] \"a\" must be one of " +
          joined(presets, ", ") +
          "; did you mean 'v41_flash'?\n"
          "params.toml:12:1: error: in [[architecture]] \"b\": layer 0: v41_main_row stores rows of 512 channels, and "
          "these have 576\n"
          "params.toml:14:1: error: a [[architecture]] named \"b\" stands already in line 10\n"
          "params.toml:19:1: error: in [[architecture]] \"c\": kv_heads is 7; it must divide 64\n"
          "params.toml:20:2: error: unknown key 'path' in the top level");
}

TEST(ReadCostStudyFaults, PointsAtTheFieldThatDoesNotGoWithTheModel) {
  EXPECT_EQ(cost_errors(kCostHead + "name = \"a\"\npreset = \"v3\"\npool = { blocks = 4 }\n"),
            "params.toml:9:10: error: in [[architecture]] \"a\": the preset has no pool: blocks, block_size and "
            "from_layer are all needed");
  EXPECT_EQ(
      cost_errors(kCostHead + kV41 + "top_k = 510\npool.blocks = 64\n"),
      "params.toml:13:6: error: in [[architecture]] \"v41\": pool holds 505 to 512 rows, and top_k is 510; one must "
      "be the smaller in any case");
  EXPECT_EQ(cost_errors(kCostHead + kV41 + "layers = 41\n"),
            "params.toml:12:1: error: in [[architecture]] \"v41\": layers is 41; the model has 40");
}

TEST(ReadCostStudyFaults, OneOfAnArchitectureDoesNotHideAnother) {
  EXPECT_EQ(cost_errors(kCostHead + kV41 + "layers = 41\nkv_heads = 3\nstroe = \"f32\"\nratios = [1]\n"),
            "params.toml:12:1: error: in [[architecture]] \"v41\": layers is 41; the model has 40\n"
            "params.toml:13:1: error: in [[architecture]] \"v41\": kv_heads: layer 0 has no KV heads of its own\n"
            "params.toml:14:1: error: unknown key 'stroe' in [[architecture]] \"v41\"; did you mean 'store'?\n"
            "params.toml:15:1: error: in [[architecture]] \"v41\": ratios has 1 numbers; the model has 40 layers");
}

TEST(ReadCostStudyFaults, LeavesOtherExperimentsToTheirPrograms) {
  EXPECT_EQ(cost_errors("schema = 1\n[experiment]\nkind = \"attention_error\"\n[source]\n"),
            "params.toml:3:1: error: experiment.kind is \"attention_error\"; this program runs \"cache_cost\"");
}

TEST(ShippedCostStudies, GoFromV1ToV41AndFromV4ToV41OneChangeAtATime) {
  EXPECT_EQ(bytes_of(shipped("cost_waterfall.toml")),
            (std::vector<std::string>{"3112960", "389120", "70272", "48068", "14057/4", "890", "14057/4", "50939/16",
                                      "6194", "652", "1630", "890", "890"}));
}

TEST(ShippedCostStudies, CoverEveryPublishedArchitecture) {
  EXPECT_EQ(bytes_of(shipped("cache_cost.toml")),
            (std::vector<std::string>{"524288", "389120", "4096", "4096", "70272", "48068", "14057/4", "80503/16",
                                      "890", "890", "10324"}));
}

TEST(ReadCostStudyFaults, AgainstNamesAnotherArchitecture) {
  EXPECT_EQ(cost_errors(kCostHead + kV41 + "against = \"v41\"\n"),
            "params.toml:12:1: error: in [[architecture]] \"v41\": against names 'v41', which is no other "
            "[[architecture]]");
  EXPECT_EQ(cost_errors(kCostHead + kV41 +
                        "against = \"thre\"\n[[architecture]]\nname = \"three\"\npreset = "
                        "\"v3\"\n"),
            "params.toml:12:1: error: in [[architecture]] \"v41\": against names 'thre', which is no other "
            "[[architecture]]; did you mean 'three'?");
}

TEST(CostParameters, DefaultsAreTomlThatNamesEveryParameter) {
  const std::string text = print_cost_defaults();
  const TomlNode root = parse_toml(text, "defaults");
  ASSERT_NE(find(*root.table(), "architecture"), nullptr);
  for (const ParameterTable& table : {cost_table(), architecture_table(), common_experiment_table()})
    for (const ParameterSpec& spec : table.specs)
      EXPECT_NE(text.find("## " + spec.sentence + "\n"), std::string::npos) << spec.key;
}

TEST(CostParameters, TheSchemaClosesEveryTable) {
  const auto schema = nlohmann::json::parse(cost_json_schema());
  EXPECT_EQ(schema["required"], nlohmann::json({"schema", "experiment", "cost", "architecture"}));
  const auto& architecture = schema["properties"]["architecture"]["items"];
  EXPECT_EQ(architecture["additionalProperties"], false);
  EXPECT_EQ(architecture["required"], nlohmann::json({"name", "preset"}));
  EXPECT_EQ(architecture["properties"]["pool"]["properties"]["blocks"]["minimum"], 0);
  EXPECT_FALSE(schema["properties"]["experiment"]["properties"].contains("record_selected"));
}

}  // namespace
}  // namespace lacuna
