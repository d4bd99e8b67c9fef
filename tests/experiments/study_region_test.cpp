// [[path.region]]: a list of tables inside a path.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::errors;
using testing_study::kHead;
using testing_study::kSelect;
using testing_study::read;

const std::string kGraded =
    "[[path.region]]\n"
    "from = 0\n"
    "[[path.region]]\n"
    "from = 128\n"
    "compress = 4\n"
    "store = \"bf16\"\n";

std::string resolved(const Study& study, const std::string& key) {
  for (const ResolvedParameter& parameter : study.resolved)
    if (parameter.key == key) return parameter.value;
  return "absent";
}

TEST(StudyRegions, BecomeListsWithTheirDefaultsFilledIn) {
  const Study study = read(kHead + kGraded);
  const Parameters& path = study.paths.front().sweep.cells.front();
  EXPECT_EQ(path.at("region.from"), ParameterValue(std::vector<std::int64_t>{0, 128}));
  EXPECT_EQ(path.at("region.compress"), ParameterValue(std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(path.at("region.store"), ParameterValue(std::vector<std::string>{"exact", "bf16"}));
  EXPECT_TRUE(path.boolean("region_count_weight"));
  EXPECT_EQ(resolved(study, "path.top.region.from"), "[0, 128]");
  EXPECT_EQ(resolved(study, "path.top.region.store"), "[\"exact\", \"bf16\"]");
  EXPECT_FALSE(read(kHead + kSelect).paths.front().sweep.cells.front().has("region.from"));
  const Study set = read(kHead + kGraded, {"path.top.region=[{ from = 0, compress = 2 }]"});
  EXPECT_EQ(resolved(set, "path.top.region.compress"), "[2]");
}

TEST(StudyRegions, StandBesideASweptCountWeight) {
  const Study study = read(kHead + "region_count_weight = { grid = [true, false] }\n" + kGraded);
  ASSERT_EQ(study.paths.front().sweep.cells.size(), 2U);
  for (const Parameters& cell : study.paths.front().sweep.cells) EXPECT_TRUE(cell.has("region.from"));
}

TEST(StudyRegionFaults, AreNamedWithTheRegionThatTheyStandIn) {
  EXPECT_EQ(errors(kHead + "[[path.region]]\n"
                           "form = 0\n"
                           "compress = { grid = [1, 2] }\n"
                           "[[path.region]]\n"
                           "from = -1\n"
                           "compress = 65537\n"
                           "store = \"bf61\"\n"),
            "params.toml:8:1: error: missing key 'from' in region 1 of [[path]] \"top\": Distance from the newest "
            "visible key at which the region begins; 0 in the first.\n"
            "params.toml:9:1: error: unknown key 'form' in region 1 of [[path]] \"top\"; did you mean 'from'?\n"
            "params.toml:10:1: error: 'region.compress' in region 1 of [[path]] \"top\" cannot be swept\n"
            "params.toml:12:1: error: 'region.from' = -1 in region 2 of [[path]] \"top\" is out of range: must be "
            "between 0 and 2147483647\n"
            "params.toml:13:1: error: 'region.compress' = 65537 in region 2 of [[path]] \"top\" is out of range: must "
            "be between 1 and 65536\n"
            "params.toml:14:1: error: 'region.store' = \"bf61\" in region 2 of [[path]] \"top\" must be one of bf16, "
            "exact, f16, f32, fp4_e4m3_16, fp4_ue8m0_32, fp8_e4m3_f32_128, fp8_e4m3_ue8m0_32, fp8_e4m3_ue8m0_64, "
            "int8_token, mxfp4, mxfp8, nvfp4, q4_0, q4_1, q8_0; did you mean 'bf16'?");
}

TEST(StudyRegionFaults, ThatConcernTwoRegionsPointAtTheFartherOne) {
  EXPECT_EQ(
      errors(kHead + "[[path.region]]\n"
                     "from = 3\n"
                     "compress = 4\n"
                     "[[path.region]]\n"
                     "from = 2\n"
                     "[[path.region]]\n"
                     "from = 9\n"
                     "compress = 6\n"),
      "params.toml:9:1: error: in [[path]] \"top\": 'from' = 3 of the first region must be 0\n"
      "params.toml:11:1: error: in [[path]] \"top\": 'compress' = 1 of region 2 must be a multiple of that of the "
      "region before it, 4\n"
      "params.toml:12:1: error: in [[path]] \"top\": 'from' = 2 of region 2 must be greater than that of the "
      "region before it, 3");
}

TEST(StudyRegionFaults, AreListsAndStagesThatDoNotBelongTogether) {
  EXPECT_EQ(
      errors(kHead + "region = { from = 0 }\n"),
      "params.toml:8:1: error: 'region' in [[path]] \"top\" must be a list of tables, each [[path.region]], not a "
      "table");
  EXPECT_EQ(errors(kHead + "region = []\n"),
            "params.toml:8:1: error: 'region' in [[path]] \"top\" must be a list of tables, each [[path.region]], not "
            "empty");
  EXPECT_EQ(errors(kHead + "region = [3]\n"),
            "params.toml:8:11: error: 'region' in [[path]] \"top\" holds 3 where a table belongs");
  EXPECT_EQ(errors(kHead + "regoin = [3]\n"),
            "params.toml:8:1: error: unknown key 'regoin' in [[path]] \"top\"; did you mean 'region'?");
  EXPECT_EQ(
      errors(kHead + "window = 4\n" + kSelect + kGraded),
      "params.toml:8:1: error: in [[path]] \"top\": 'window' and 'region' do not go together: a path with regions "
      "reads every region as it is kept\n"
      "params.toml:9:12: error: in [[path]] \"top\": 'select.by' and 'region' do not go together: a path with "
      "regions reads every region as it is kept");
  EXPECT_EQ(errors(kHead + kGraded +
                   "[[path]]\n"
                   "name = \"reader\"\n"
                   "select = { by = \"path\", path = \"top\" }\n"),
            "params.toml:16:25: error: 'select.path' in [[path]] \"reader\" = \"top\" names a path with regions, which "
            "selects no keys");
}

TEST(StudyRegions, AreDocumentedAndInTheSchema) {
  testing_study::register_kinds();
  EXPECT_NE(print_defaults("attention_error", "gaussian").find("# [[path.region]]\n"), std::string::npos);
  const auto schema = nlohmann::json::parse(json_schema("attention_error"));
  const auto& region = schema["properties"]["path"]["items"]["properties"]["region"];
  EXPECT_EQ(region["type"], "array");
  EXPECT_EQ(region["minItems"], 1);
  EXPECT_EQ(region["items"]["required"], nlohmann::json({"from"}));
  EXPECT_EQ(region["items"]["properties"]["compress"]["maximum"], 65536);
  EXPECT_EQ(region["items"]["additionalProperties"], false);
}

}  // namespace
}  // namespace lacuna
