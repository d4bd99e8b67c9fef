#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/harness/results_file.hpp"
#include "experiments/harness/toml_document.hpp"
#include "experiments/read_numbers.hpp"
#include "experiments/replay_error/parameters.hpp"
#include "experiments/replay_error/run.hpp"
#include "experiments/replay_error/sequence_replays.hpp"
#include "experiments/run_line.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;
using testing_study::numbers;
using testing_study::run_line;
using Numbers = std::vector<double>;

/// Twelve lines; [replay] follows. A prefix of 40 tokens where there are 8 steps.
std::string replay_source(const std::string& preset, Index layers = 0) {
  return "schema = 1\n[experiment]\nkind = \"replay_error\"\nseed = 3\n[source]\nkind = \"model\"\npreset = \"" +
         preset + "\"\nlayers = " + std::to_string(layers) +
         "\nd_model = 32\nvocabulary = 50\nn = 48\nsequences = 2\nwindow = 5\n";
}

const std::string kAllVariants = "variant = { grid = [\"decoder_first\", \"decoder_after_first\", \"prefix_hit\"] }\n";

std::string replay_table_of(const std::string& lines) { return "[replay]\nsteps = 8\n" + lines; }

std::filesystem::path run(const Folder& folder, const std::string& text, int threads = 2) {
  char program[] = "program";
  char* arguments[] = {program, nullptr};
  return run_replay_error(run_line(folder, text, threads), 1, arguments);
}

ModelSource source_of(const Folder& folder) {
  return ModelSource(read_replay_study(folder.path() / "params.toml", {}).source.cells.front(), 3);
}

bool all_are(const Numbers& values, double wanted) {
  return std::ranges::all_of(values, [&](double x) { return x == wanted; });
}

/// No row over the prefix was overwritten, and as many tokens ran as the formulas say.
void expect_sound(const std::filesystem::path& file) {
  EXPECT_TRUE(all_are(numbers(file, "/replay/global_rows_unchanged"), 1));
  const Numbers counted = numbers(file, "/replay/layer_tokens"),
                formula = numbers(file, "/replay/layer_tokens_formula");
  const std::size_t sequences = counted.size() / formula.size();
  ASSERT_EQ(counted.size(), sequences * formula.size());
  for (std::size_t i = 0; i < counted.size(); ++i) EXPECT_EQ(counted[i], formula[i / sequences]) << i;
}

TEST(ReplayError, OfTheWholePrefixIsExactlyZero) {
  for (const char* preset : {"v41_small", "mistral_7b"}) {
    const Folder folder("replay");
    const std::filesystem::path result =
        run(folder, replay_source(preset, preset[0] == 'm' ? 3 : 0) + replay_table_of("length = 40\n" + kAllVariants));
    expect_sound(result);
    for (const char* name : {"kl_exact_approx", "kl_approx_exact", "jensen_shannon", "total_variation",
                             "loss_difference", "step_hidden_error", "step_hidden_error_relative"})
      EXPECT_TRUE(all_are(numbers(result, std::string("/replay/") + name), 0)) << preset << name;
    for (const char* name : {"top_1_agrees", "greedy_agrees", "global_rows_unchanged"})
      EXPECT_TRUE(all_are(numbers(result, std::string("/replay/") + name), 1)) << preset << name;
    EXPECT_TRUE(all_are(numbers(result, "/replay/greedy_first_disagreement"), 8));
    for (const double error : numbers(result, "/replay/hidden_error")) EXPECT_TRUE(error == 0 || std::isnan(error));
  }
}

TEST(ReplayError, StatesAreThoseOfTheReplay) {
  const Folder folder("replay");
  const std::filesystem::path result =
      run(folder,
          replay_source("v41_small") + replay_table_of("length = { grid = [3, 30] }\n" + kAllVariants + "hit = 25\n"));
  expect_sound(result);
  const ModelSource source = source_of(folder);
  const Decoder& decoder = source.decoder();
  const Index layers = 16, most = 40;  // prefix_hit runs 40 - 25 + 25 tokens through the encoder
  std::vector<hsize_t> shape;
  const Numbers error = numbers(result, "/replay/hidden_error", &shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{2, 3, 2, 16, 40}));
  const Numbers relative = numbers(result, "/replay/hidden_error_relative");
  const Numbers flag = numbers(result, "/replay/state_exact");
  const Numbers norm = numbers(result, "/exact/hidden_norm");             // [2, 16, 40]
  const Numbers starts = numbers(result, "/replay/replay_start");         // [2, 3, 16]
  const Numbers promised = numbers(result, "/replay/exact_from_offset");  // [2, 3, 16]
  Index equal = 0, differing = 0;
  for (Index sequence = 0; sequence < 2; ++sequence) {
    const std::vector<Index> tokens = source.tokens(sequence);
    const ExactRun exact = exact_run(decoder, std::span(tokens).first(40));
    Index cell = 0;
    for (const Index length : {3, 30})
      for (const ReplayVariant& variant : replay_variants()) {
        const ReplayPlan plan = ReplayPlan::of(decoder.model(), variant, {.tokens = 40, .length = length, .hit = 25});
        const Index first = plan.first_place();
        const Replay replayed =
            replay(decoder, plan, exact_run(decoder, std::span(tokens).first(plan.kept)).cache,
                   {exact.states[first].begin() + plan.layers[first].first_run, exact.states[first].end()});
        for (Index layer = 0; layer < layers; ++layer) {
          const Index start = plan.layers[layer].first_run;
          EXPECT_EQ(starts[cell * layers + layer], start);
          for (Index offset = 0; offset < most; ++offset) {
            const Index at = ((cell * 2 + sequence) * layers + layer) * most + offset;
            if (start + offset >= 40) {
              EXPECT_TRUE(std::isnan(error[at]) && flag[at] == 2);
              continue;
            }
            const std::vector<double>& h = exact.states[layer + 1][start + offset];
            const std::vector<double>& moved = replayed.states[layer][offset];
            double squares = 0, length_squared = 0;
            for (std::size_t c = 0; c < h.size(); ++c) squares += std::pow(moved[c] - h[c], 2);
            for (const double x : h) length_squared += x * x;
            EXPECT_NEAR(error[at], std::sqrt(squares), 1e-13);
            EXPECT_NEAR(relative[at], std::sqrt(squares / length_squared), 1e-13);
            EXPECT_NEAR(norm[(sequence * layers + layer) * 40 + start + offset], std::sqrt(length_squared), 1e-12);
            EXPECT_EQ(flag[at], moved == h ? 1 : 0);
            EXPECT_TRUE(offset < promised[cell * layers + layer] || flag[at] == 1);
            (flag[at] == 1 ? equal : differing) += 1;
          }
        }
        ++cell;
      }
  }
  EXPECT_GT(equal, 300);
  EXPECT_GT(differing, 300);
}

TEST(ReplayError, StepsAreThoseOfBothRunsTokenByToken) {
  const Folder folder("replay");
  const std::filesystem::path result = run(folder, replay_source("v41_small") + replay_table_of("length = 2\n"));
  const ModelSource source = source_of(folder);
  const Decoder& decoder = source.decoder();
  const Numbers kl = numbers(result, "/replay/kl_exact_approx"), back = numbers(result, "/replay/kl_approx_exact");
  const Numbers variation = numbers(result, "/replay/total_variation");
  const Numbers loss = numbers(result, "/exact/loss"), loss_approx = numbers(result, "/replay/loss_approx");
  const Numbers greedy = numbers(result, "/replay/greedy_token"), exact_greedy = numbers(result, "/exact/greedy_token");
  const Numbers first = numbers(result, "/replay/greedy_first_disagreement");
  for (Index sequence = 0; sequence < 2; ++sequence) {
    const std::vector<Index> tokens = source.tokens(sequence);
    const auto head = std::span(tokens).first(40);
    const ExactRun exact = exact_run(decoder, head);
    const ReplayPlan plan =
        ReplayPlan::of(decoder.model(), replay_variant("decoder_first"), {.tokens = 40, .length = 2, .hit = 0});
    const Replay replayed = replay(decoder, plan, exact.cache, {exact.states[8].begin() + 38, exact.states[8].end()});
    const auto softmax = [&](const std::vector<double>& h) {
      std::vector<double> p = decoder.logits(h);
      double z = 0;
      for (double& x : p) z += x = std::exp(x);
      for (double& x : p) x /= z;
      return p;
    };
    const auto top = [](const std::vector<double>& p) { return std::ranges::max_element(p) - p.begin(); };
    ModelCache cache = exact.cache, cache_approx = replayed.cache;
    std::vector<double> h = exact.states.back().back(), h_approx = replayed.states.back().back();
    for (Index step = 0; step < 8; ++step) {
      const Index at = sequence * 8 + step;
      const std::vector<double> p = softmax(h), q = softmax(h_approx);
      double expected = 0, expected_back = 0, expected_variation = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        expected += p[i] * std::log(p[i] / q[i]);
        expected_back += q[i] * std::log(q[i] / p[i]);
        expected_variation += std::abs(p[i] - q[i]) / 2;
      }
      EXPECT_NEAR(kl[at], expected, 1e-12);
      EXPECT_NEAR(back[at], expected_back, 1e-12);
      EXPECT_NEAR(variation[at], expected_variation, 1e-12);
      EXPECT_GT(kl[at], 0);
      EXPECT_NEAR(loss[at], -std::log(p[tokens[40 + step]]), 1e-12);
      EXPECT_NEAR(loss_approx[at], -std::log(q[tokens[40 + step]]), 1e-12);
      h = decoder.append(std::span(tokens).subspan(40 + step, 1), cache);
      h_approx = decoder.append(std::span(tokens).subspan(40 + step, 1), cache_approx);
    }
    Index agreeing = 8;
    for (const auto& [start, state, recorded] :
         {std::tuple(&exact.cache, &exact.states.back().back(), &exact_greedy),
          std::tuple(&replayed.cache, &replayed.states.back().back(), &greedy)}) {
      ModelCache going = *start;
      std::vector<double> state_now = *state;
      for (Index step = 0; step < 8; ++step) {
        const Index token = top(softmax(state_now));
        EXPECT_EQ((*recorded)[sequence * 8 + step], token);
        state_now = decoder.append(std::span(&token, 1), going);
      }
    }
    for (Index step = 8; step-- > 0;)
      if (greedy[sequence * 8 + step] != exact_greedy[sequence * 8 + step]) agreeing = step;
    EXPECT_EQ(first[sequence], agreeing);
  }
}

TEST(ReplayError, LayerTokensAreCountedAndAreThoseOfTheFormula) {
  const Folder folder("replay");
  const std::filesystem::path result = run(
      folder, replay_source("v41_small") + replay_table_of("length = { grid = [4, 40] }\nhit = 10\n" + kAllVariants));
  expect_sound(result);
  const double few = 40 * 8 + 4 * 8, from_hit = (4 + 30) * 8 + 4 * 8, all = 40 * 16;
  const Numbers each = {few, few, from_hit, all, all, all};
  EXPECT_EQ(numbers(result, "/replay/layer_tokens_formula"), each);
  Numbers of_sequences;
  for (const double count : each) of_sequences.insert(of_sequences.end(), 2, count);
  EXPECT_EQ(numbers(result, "/replay/layer_tokens"), of_sequences);
  EXPECT_EQ(numbers(result, "/replay/hit_tokens"), (Numbers{0, 0, 10, 0, 0, 10}));
}

TEST(ReplayError, AHitMattersToTheVariantThatHasOne) {
  const Folder folder("replay");
  const std::filesystem::path result =
      run(folder,
          replay_source("v41_small") + replay_table_of("length = 3\nhit = { grid = [0.25, 0.5] }\n" + kAllVariants));
  std::vector<hsize_t> shape;
  const Numbers kl = numbers(result, "/replay/kl_exact_approx", &shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{2, 1, 3, 2, 8}));  // hit, length, variant, sequence, step
  for (Index i = 0; i < 48; ++i) EXPECT_EQ(kl[i] == kl[48 + i], i < 32) << i;
  EXPECT_EQ(numbers(result, "/replay/hit_tokens"), (Numbers{0, 0, 10, 0, 0, 20}));
  EXPECT_EQ(numbers(result, "/replay/hit"), (Numbers{0.25, 0.5}));
}

TEST(ReplayError, OfASweepIsThatOfItsCells) {
  const Folder folder("replay");
  const auto with = [](const std::string& std, const std::string& length) {
    return replay_source("mistral_7b", 2) + "score_std = " + std + "\n" + replay_table_of("length = " + length + "\n");
  };
  const std::vector<std::string> names = {"hidden_error", "kl_exact_approx", "greedy_token", "layer_tokens"};
  const std::filesystem::path swept = run(folder, with("{ grid = [1.0, 3.0] }", "{ grid = [6, 4] }"));
  std::map<std::string, Numbers> all, parts;
  std::vector<hsize_t> shape;
  for (const std::string& name : names) all[name] = numbers(swept, "/replay/" + name);
  numbers(swept, "/replay/hidden_error", &shape);
  EXPECT_EQ(shape, (std::vector<hsize_t>{2, 2, 1, 2, 2, 6}));  // score_std, length, variant, sequence, layer, offset
  const auto kept = [](const Numbers& values) {                // shorter replays have fewer offsets
    Numbers some;
    for (const double x : values)
      if (!std::isnan(x)) some.push_back(x);
    return some;
  };
  for (const char* std : {"1.0", "3.0"})
    for (const char* length : {"6", "4"}) {
      const std::filesystem::path one = run(folder, with(std, length));
      for (const std::string& name : names)
        for (const double x : numbers(one, "/replay/" + name)) parts[name].push_back(x);
    }
  for (const std::string& name : names) EXPECT_EQ(kept(all[name]), parts[name]) << name;
}

TEST(ReplayErrorContract, IsTheSameForAnyNumberOfThreads) {
  std::vector<std::string> hashes;
  for (const int threads : {1, 2, 3, 7}) {
    const Folder folder("replay");
    hashes.push_back(content_sha256(
        run(folder,
            replay_source("v41_small") +
                replay_table_of("length = { grid = [1, 5, 9] }\nhit = { grid = [7, 30] }\n" + kAllVariants),
            threads)));
  }
  for (const std::string& hash : hashes) EXPECT_EQ(hash, hashes.front());
}

/// The errors without the name of the folder.
std::string errors_of(const std::string& text) {
  const Folder folder("replay");
  std::string message;
  try {
    run(folder, text);
  } catch (const UsageError& error) {
    message = error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "r.h5"));
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
    message.erase(at, prefix.size());
  return message;
}

TEST(ReplayErrorFaults, NameTheLineAndTheKey) {
  EXPECT_EQ(errors_of(replay_source("v41_small") + "[replay]\nlength = 0\nvariant = \"decoder_frist\"\nhitt = 3\n"),
            "params.toml:15:1: error: 'length' = 0 in [replay] is out of range: must be between 1 and 16777216\n"
            "params.toml:16:1: error: 'variant' = \"decoder_frist\" in [replay] must be one of decoder_first, "
            "decoder_after_first, prefix_hit; did you mean 'decoder_first'?\n"
            "params.toml:17:1: error: unknown key 'hitt' in [replay]; did you mean 'hit'?");
  EXPECT_EQ(errors_of(replay_source("v41_small") + "[replay]\nlength = 3\nsteps = 48\n"),
            "params.toml:16:1: error: in [replay]: 'steps' = 48 leaves no prefix: source.n is 48");
  EXPECT_EQ(
      errors_of(replay_source("v41_small") + "[replay]\nlength = 3\nsteps = 8\nhit = { grid = [40, 41] }\n"),
      "params.toml:17:1: error: in [replay]: 'hit' = 41 is more than the prefix, which has 40 tokens: source.n is "
      "48 and 8 are the steps");
  EXPECT_EQ(errors_of("schema = 1\n[experiment]\nkind = \"replay_error\"\n"),
            "params.toml:1:1: error: missing table [replay]\nparams.toml:1:1: error: missing table [source]");
}

TEST(ReplayErrorFaults, LeaveOtherExperimentsAndSourcesToTheirPrograms) {
  std::string text = replay_source("v41_small") + replay_table_of("length = 3\n");
  EXPECT_EQ(errors_of(text.replace(text.find("replay_error"), 12, "cache_cost")),
            "params.toml:3:1: error: experiment.kind is \"cache_cost\"; this program runs \"replay_error\"");
  text = replay_source("v41_small") + replay_table_of("length = 3\n");
  EXPECT_EQ(errors_of(text.replace(text.find("\"model\""), 7, "\"v32\"")),
            "params.toml:6:1: error: 'kind' = \"v32\" in [source] must be \"model\"");
}

TEST(ReplayErrorFaults, NameTheRetentionLayerThatNoReplayRebuilds) {
  EXPECT_EQ(errors_of(replay_source("yoco") + replay_table_of("length = 3\nvariant = \"prefix_hit\"\n")),
            "params.toml:17:1: error: in [replay]: prefix_hit: layer 0 is a retention layer, whose state sums over all "
            "tokens; a replay of "
            "the last ones cannot rebuild it");
  const Folder folder("replay");  // behind them there is nothing to rebuild, and nothing to lose
  const std::filesystem::path result = run(folder, replay_source("yoco") + replay_table_of("length = 1\n"));
  EXPECT_TRUE(all_are(numbers(result, "/replay/kl_exact_approx"), 0));
}

TEST(ReplayErrorFaults, ADryRunWritesNothing) {
  const Folder folder("replay");
  CommandLine line = run_line(folder, replay_source("v41_small") + replay_table_of("length = { grid = [3, 4] }\n"));
  line.dry_run = true;
  testing::internal::CaptureStdout();
  EXPECT_TRUE(run_replay_error(line, 0, nullptr).empty());
  EXPECT_NE(testing::internal::GetCapturedStdout().find(
                "a prefix of 40 tokens and 8 steps behind it; 2 replays of each sequence"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(*line.output));
  line.dry_run = false;
  line.backend = "cuda";
  EXPECT_THROW(run_replay_error(line, 0, nullptr), UsageError);
}

TEST(ReplayParameters, DefaultsAreTomlThatNamesEveryParameter) {
  const std::string text = print_replay_defaults();
  const TomlNode root = parse_toml(text, "defaults");
  ASSERT_NE(find(*root.table(), "replay"), nullptr);
  for (const ParameterTable& table : {replay_table(), source_table("model"), common_experiment_table()})
    for (const ParameterSpec& spec : table.specs)
      EXPECT_NE(text.find("## " + spec.sentence + "\n"), std::string::npos) << spec.key;
}

TEST(ReplayParameters, TheSchemaClosesEveryTable) {
  const auto schema = nlohmann::json::parse(replay_json_schema());
  EXPECT_EQ(schema["required"], nlohmann::json({"schema", "experiment", "source", "replay"}));
  for (const char* table : {"experiment", "source", "replay"})
    EXPECT_EQ(schema["properties"][table]["additionalProperties"], false) << table;
  EXPECT_EQ(schema["properties"]["source"]["properties"]["kind"]["const"], "model");
  EXPECT_EQ(schema["properties"]["replay"]["required"], nlohmann::json({"length"}));
}

}  // namespace
}  // namespace lacuna
