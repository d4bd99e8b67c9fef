// A replay as one part of model_divergence, against the replay that runs the two times one after the other.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "data/source/model.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/model_divergence/replay_check.hpp"
#include "experiments/model_divergence/run.hpp"
#include "experiments/read_numbers.hpp"
#include "experiments/replay_error/sequence_replays.hpp"
#include "experiments/run_line.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;
using testing_study::numbers;
using testing_study::run_line;
using Numbers = std::vector<double>;

/// 48 tokens; [[path]] tables follow. Positions from 39 on are compared, the last of a prefix of 40 among them.
std::string study(const std::string& preset, const std::string& experiment = "compare_from = 39\n") {
  return "schema = 1\n[experiment]\nkind = \"model_divergence\"\nseed = 3\n" + experiment +
         "[source]\nkind = \"model\"\npreset = \"" + preset +
         "\"\nd_model = 32\nvocabulary = 50\nn = 48\njudge_every = 3\nsequences = 2\nwindow = 5\n";
}

std::string replay_path(const std::string& name, const std::string& replay, const std::string& more = "") {
  return "[[path]]\nname = \"" + name + "\"\nreplay = { " + replay + " }\n" + more;
}

std::filesystem::path run(const Folder& folder, const std::string& text, int threads = 2) {
  char program[] = "program";
  char* arguments[] = {program, nullptr};
  return run_model_divergence(run_line(folder, text, threads), 1, arguments);
}

const std::string kLengths = "length = { grid = [1, 3, 8, 17, 33, 40] }";
constexpr Index kLength[] = {1, 3, 8, 17, 33, 40};
const std::string kSelection = "select = { by = \"indexer\", k = 6, share = \"layer\" }\n";

/// kl_exact_approx [length][sequence][step] of replays that run the two times one after the other.
Numbers replayed_kl(const ModelSource& source, const ReplayVariant& variant) {
  Numbers result;
  ReplayStudy study;
  for (const Index length : kLength) study.lengths.push_back(length);
  study.variants = {&variant};
  study.hits = {std::int64_t{20}};
  study.steps = 8;
  study.prefix = 40;
  std::vector<std::vector<ReplayOutcome>> outcomes;
  for (Index sequence = 0; sequence < 2; ++sequence) {
    const ExactSequence exact = exact_sequence(source, sequence, study, 2);
    outcomes.push_back(replay_sequence(source, sequence, study, exact, 2, [] {}));
  }
  for (std::size_t length = 0; length < std::size(kLength); ++length)
    for (const std::vector<ReplayOutcome>& of_sequence : outcomes)
      for (const NextTokenError& step : of_sequence[length].next_token) result.push_back(step.kl_exact_approx);
  return result;
}

TEST(ReplayBudget, IsTheReplayThatRunsTheTwoTimesOneAfterTheOtherToTheBit) {
  struct Case {
    const char* preset;
    const char* variant;
    const char* from_layer;
  };
  for (const Case& of :
       {Case{"v41_small", "decoder_first", ", from_layer = 8"},
        Case{"v41_small", "decoder_after_first", ", from_layer = 9"}, Case{"mistral_7b", "decoder_first", ""}}) {
    const Folder folder("replay_budget");
    const std::filesystem::path result =
        run(folder, study(of.preset) + replay_path("replay", "prefix = 40, " + kLengths + of.from_layer));
    const ModelSource source(
        read_study(folder.path() / "params.toml", {}, {.program = "model_divergence"}).source.cells.front(), 3);
    const Numbers expected = replayed_kl(source, replay_variant(of.variant));
    const Numbers kl = numbers(result, "/path/replay/kl_exact_approx");  // [length][sequence][39 .. 47]
    ASSERT_EQ(kl.size(), std::size(kLength) * 2 * 9);
    double most = 0;
    for (std::size_t row = 0; row < std::size(kLength) * 2; ++row)
      for (std::size_t step = 0; step < 8; ++step) {
        EXPECT_EQ(kl[row * 9 + step], expected[row * 8 + step]) << of.preset << ' ' << of.variant << ' ' << row;
        most = std::max(most, kl[row * 9 + step]);
      }
    EXPECT_GT(most, 1e-12) << of.preset;
  }
}

TEST(ReplayBudget, OfEnoughTokensIsThePathWithoutIt) {
  const Folder folder("replay_budget");
  const std::string prefix = "prefix = 40, from_layer = 8, length = ";
  const std::filesystem::path result =
      run(folder, study("v41_small") + "[[path]]\nname = \"without\"\n" + kSelection +
                      replay_path("whole", prefix + "40", kSelection) + replay_path("short", prefix + "2", kSelection));
  for (const char* name : {"kl_exact_approx", "hidden_error", "loss_approx"}) {
    const Numbers without = numbers(result, std::string("/path/without/") + name);
    const Numbers whole = numbers(result, std::string("/path/whole/") + name);
    for (std::size_t i = 0; i < without.size(); ++i)
      EXPECT_TRUE(whole[i] == without[i] || (std::isnan(whole[i]) && std::isnan(without[i]))) << name;
    EXPECT_NE(numbers(result, std::string("/path/short/") + name), without) << name;
  }
  for (const double status : numbers(result, "/path/short/status")) EXPECT_TRUE(status != 2 && status != 3);
}

TEST(ReplayBudget, WithFormatsAndASelectionViolatesNoBound) {
  const Folder folder("replay_budget");
  const std::string formats = "store = \"fp4_e4m3_16\"\nstore_local = \"bf16\"\n";
  const std::string replay = "prefix = 40, length = 3, from_layer = 8";
  const std::filesystem::path result = run(folder, study("v41_small", "") + replay_path("stored", replay, formats) +
                                                       replay_path("all", replay, formats + kSelection));
  for (const char* path : {"stored", "all"}) {
    Index judged = 0;
    for (const double status : numbers(result, std::string("/path/") + path + "/status")) {
      EXPECT_TRUE(status != 2 && status != 3) << path;
      judged += status == 0 ? 1 : 0;
    }
    EXPECT_GT(judged, 500) << path;
  }
}

TEST(ReplayBudgetContract, IsTheSameForAnyNumberOfThreads) {
  std::vector<std::string> hashes;
  for (const int threads : {1, 2, 3}) {
    const Folder folder("replay_budget");
    hashes.push_back(content_sha256(
        run(folder, study("v41_small") + replay_path("r", "prefix = 40, " + kLengths + ", from_layer = 8", kSelection),
            threads)));
  }
  for (const std::string& hash : hashes) EXPECT_EQ(hash, hashes.front());
}

TEST(ReplayBudget, PositionsBeforeTheFirstComparedAreLeftOutAndNothingElseChanges) {
  const Folder folder("replay_budget"), whole_folder("replay_budget_whole");
  const std::string path = "[[path]]\nname = \"p\"\n" + kSelection;
  const std::filesystem::path part = run(folder, study("v41_small") + path),
                              whole = run(whole_folder, study("v41_small", "") + path);
  for (const char* name : {"/exact/loss", "/exact/entropy", "/exact/hidden_norm", "/path/p/kl_exact_approx",
                           "/path/p/hidden_error", "/path/p/rank_of_exact_top"}) {
    const Numbers some = numbers(part, name), all = numbers(whole, name);
    ASSERT_EQ(some.size() * 48, all.size() * 9) << name;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double expected = all[i / 9 * 48 + 39 + i % 9];
      EXPECT_TRUE(some[i] == expected || (std::isnan(some[i]) && std::isnan(expected))) << name << ' ' << i;
    }
  }
  EXPECT_EQ(numbers(part, "/path/p/position").front(), 39);
  EXPECT_EQ(numbers(part, "/path/p/omitted_mass").size(), numbers(whole, "/path/p/omitted_mass").size());
}

TEST(ReplayBudgetFaults, SayWhyAReplayCannotBeRun) {
  const auto message = [](const std::string& text) {
    const Folder folder("replay_budget");
    try {
      run(folder, text);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto says = [&](const std::string& text, const std::string& part) {
    const std::string found = message(text);
    EXPECT_NE(found.find(part), std::string::npos) << part << " in: " << found;
  };
  const std::string small = study("v41_small");
  says(small + replay_path("r", "prefix = 40, length = 4, from_layer = 2"), "layer 5 makes rows over the prefix");
  says(small + replay_path("r", "prefix = 40, length = 41, from_layer = 8"), "more tokens run again");
  says(small + replay_path("r", "prefix = 48, length = 4, from_layer = 8"), "the last query stands at position 47");
  says(small + replay_path("r", "prefix = 40, length = 4, from_layer = 77"), "no layer from there on that the path approximates");
  says(study("v41_small", "compare_from = 48\n") + "[[path]]\nname = \"p\"\n", "the last token stands at position 47");
}

TEST(ReplayBudgetFaults, RefuseRetentionAndLayersWithoutWindows) {
  Parameters path;
  path.set("replay.prefix", std::int64_t{40});
  path.set("replay.length", std::int64_t{4});
  ModelDescription model;
  ProjectedConfig dense;
  model.layers = {{.label = 0, .attention = dense}};
  EXPECT_EQ(check_replay_of_model(path, model)->message, "no layer from there on has a window to lose");
  model.layers.push_back({.label = 1, .attention = RetentionConfig{}});
  EXPECT_NE(check_replay_of_model(path, model)->message.find("layer 1 is a retention layer"), std::string::npos);
  EXPECT_EQ(check_replay_of_model(Parameters{}, model), std::nullopt);
}

}  // namespace
}  // namespace lacuna
