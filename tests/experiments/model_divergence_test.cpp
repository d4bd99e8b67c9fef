#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.hpp"
#include "data/source/model.hpp"
#include "experiments/attention_error/run.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/model_divergence/run.hpp"
#include "experiments/read_numbers.hpp"
#include "experiments/run_line.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;
using testing_study::numbers;
using testing_study::run_line;
using Numbers = std::vector<double>;

/// Twelve lines; paths follow.
std::string study(const std::string& preset, Index layers, const std::string& kind = "model_divergence") {
  return "schema = 1\n[experiment]\nkind = \"" + kind + "\"\nseed = 3\n[source]\nkind = \"model\"\npreset = \"" +
         preset + "\"\nlayers = " + std::to_string(layers) +
         "\nd_model = 64\nvocabulary = 50\nn = 48\njudge_every = 5\nsequences = 2\n";
}

char* const kArguments[] = {const_cast<char*>("program"), nullptr};

std::filesystem::path run(const Folder& folder, const std::string& text, int threads = 2) {
  return run_model_divergence(run_line(folder, text, threads), 1, const_cast<char**>(kArguments));
}

/// No judged row failed, and no bound was violated.
void expect_sound(const std::filesystem::path& file, const std::string& path) {
  for (const double status : numbers(file, "/path/" + path + "/status"))
    EXPECT_TRUE(status != 2 && status != 3) << path;
}

bool all_zero(const Numbers& values) {
  return std::ranges::all_of(values, [](double x) { return x == 0; });
}

const std::string kControl = "[[path]]\nname = \"control\"\n";
const std::string kPublished =
    "[[path]]\nname = \"published\"\nselect = { by = \"indexer\", k = 6, share = \"layer\" }\n"
    "pool = { blocks = 3, block_size = 4, rank_by = \"indexer\", from_layer = 8 }\nstore = \"fp4_e4m3_16\"\n"
    "store_local = \"fp8_e4m3_ue8m0_32\"\n";
const std::string kRandom = "[[path]]\nname = \"random\"\nselect = { by = \"random\", k = 5, trials = 2 }\n";
const std::string kTop = "[[path]]\nname = \"top\"\nselect = { by = \"main\", k = { grid = [4, 9] } }\n";
const std::string kReuse = "[[path]]\nname = \"reuse\"\nselect = { by = \"path\", path = \"top\", layers_back = 1 }\n";

TEST(ModelDivergence, OfTheExactPathIsExactlyZero) {
  for (const char* preset : {"v41_small", "yoco"}) {
    const Folder folder("divergence");
    const std::filesystem::path result = run(folder, study(preset, 0) + kControl);
    expect_sound(result, "control");
    for (const char* name :
         {"kl_exact_approx", "kl_approx_exact", "jensen_shannon", "total_variation", "logit_oscillation", "bound_kl",
          "bound_total_variation", "logit_error_max", "rank_of_exact_top", "hidden_error", "hidden_error_relative"})
      EXPECT_TRUE(all_zero(numbers(result, std::string("/path/control/") + name))) << preset << name;
    for (const double agrees : numbers(result, "/path/control/top_1_agrees")) EXPECT_EQ(agrees, 1);
  }
}

TEST(ModelDivergence, LossesAreThoseOfTheDecoderTokenByToken) {
  const Folder folder("divergence");
  const std::filesystem::path result = run(folder, study("v41_small", 0) + kControl);
  const Study read = read_study(folder.path() / "params.toml", {});
  const ModelSource source(read.source.cells.front(), 3);
  const Numbers loss = numbers(result, "/exact/loss");
  const Numbers entropy = numbers(result, "/exact/entropy");
  for (Index sequence = 0; sequence < 2; ++sequence) {
    const std::vector<Index> tokens = source.tokens(sequence);
    ModelCache cache = source.decoder().start();
    for (Index t = 0; t < 48; ++t) {
      const Numbers h = source.decoder().append(std::span(tokens).subspan(t, 1), cache);
      const Numbers z = source.decoder().logits(h);
      double sum = 0, expected_entropy = 0;
      for (const double x : z) sum += std::exp(x);
      for (const double x : z) expected_entropy -= std::exp(x) / sum * (x - std::log(sum));
      EXPECT_NEAR(entropy[sequence * 48 + t], expected_entropy, 1e-10);
      if (t == 47)
        EXPECT_TRUE(std::isnan(loss[sequence * 48 + t]));
      else
        EXPECT_NEAR(loss[sequence * 48 + t], std::log(sum) - z[tokens[t + 1]], 1e-10);
    }
  }
}

TEST(ModelDivergence, OfAPathInLaterLayersLeavesTheEarlierOnesExact) {
  const Folder folder("divergence");
  const std::filesystem::path result =
      run(folder, study("llama_7b", 4) + "[[path]]\nname = \"late\"\nlayers = [2]\nstore = \"fp4_e4m3_16\"\n", 2);
  const Numbers error = numbers(result, "/path/late/hidden_error");  // [2, 4, 48]
  for (Index sequence = 0; sequence < 2; ++sequence)
    for (Index layer = 0; layer < 4; ++layer)
      for (Index t = 1; t < 48; ++t)
        EXPECT_EQ(error[(sequence * 4 + layer) * 48 + t] == 0, layer < 2) << layer << ' ' << t;
  EXPECT_FALSE(all_zero(numbers(result, "/path/late/kl_exact_approx")));
}

TEST(ModelDivergence, OfOneLayerIsJudgedAsAttentionErrorJudgesIt) {
  const std::string path = "[[path]]\nname = \"store\"\nstore = \"mxfp4\"\n";
  for (const char* preset : {"llama_7b", "v41_small"}) {
    SCOPED_TRACE(preset);
    const Folder folder("divergence");
    const std::string wide = "d_model = 128";
    const auto widened = [&](std::string text) { return text.replace(text.find("d_model = 64"), 12, wide); };
    const std::filesystem::path whole = run(folder, widened(study(preset, 1)) + path);
    std::map<std::string, Numbers> expected;
    for (const char* name : {"omitted_mass", "output_error", "bound", "status"})
      expected[name] = numbers(whole, std::string("/path/store/") + name);
    const Numbers accumulated = numbers(whole, "/path/store/output_error_accumulated");
    const std::filesystem::path single = run_attention_error(
        run_line(folder, widened(study(preset, 1, "attention_error")) + path), 1, const_cast<char**>(kArguments));
    for (const auto& [name, values] : expected) {
      EXPECT_EQ(values.size(), 2u * 1 * 4 * 9);
      const Numbers single_values = numbers(single, "/path/store/" + name);
      ASSERT_EQ(single_values.size(), values.size());
      // the run attends whole layers at a time, attention_error query by query: equal up to rounding
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_TRUE(std::abs(single_values[i] - values[i]) <= 1e-12) << name << ' ' << single_values[i];
    }
    // in the first layer the run's inputs are the exact run's
    for (std::size_t i = 0; i < accumulated.size(); ++i)
      EXPECT_NEAR(accumulated[i], expected["output_error"][i], 1e-13);
  }
}

TEST(ModelDivergence, APathWithoutAnAnswerAttendsEverything) {
  const Folder folder("divergence");
  const std::filesystem::path result = run(folder, study("llama_7b", 2) + kTop + kReuse);
  const Numbers error = numbers(result, "/path/reuse/hidden_error");  // [2 cells, 2, 2, 48]
  const Numbers mass = numbers(result, "/path/reuse/omitted_mass");   // [2 cells, 2, 2, 4, 9]
  const Numbers status = numbers(result, "/path/reuse/status");
  for (Index outer = 0; outer < 4; ++outer) {
    for (Index t = 0; t < 48; ++t) EXPECT_EQ(error[outer * 96 + t], 0);
    for (Index row = 0; row < 36; ++row) EXPECT_EQ(mass[outer * 72 + row], 0);
    EXPECT_GT(error[outer * 96 + 95], 0);
    EXPECT_GT(mass[outer * 72 + 71], 0);
  }
  EXPECT_TRUE(std::ranges::none_of(status, [](double s) { return s == 1; }));
}

TEST(ModelDivergenceBounds, HoldOnEveryJudgedRow) {
  const Folder folder("divergence");
  const std::filesystem::path result = run(folder, study("v41_small", 0) + kPublished + kRandom + kTop);
  for (const char* path : {"published", "random", "top"}) {
    expect_sound(result, path);
    const std::string group = std::string("/path/") + path + "/";
    const Numbers error = numbers(result, group + "output_error");
    const Numbers bound = numbers(result, group + "bound");
    const Numbers status = numbers(result, group + "status");
    Index within = 0;
    for (std::size_t i = 0; i < error.size(); ++i) {
      EXPECT_TRUE(error[i] <= bound[i]) << group << i;
      EXPECT_TRUE(status[i] == 0 || status[i] == 5) << group << i << ' ' << status[i];
      within += error[i] > 0 ? 1 : 0;
    }
    EXPECT_GT(within, 0);
    const Numbers kl = numbers(result, group + "kl_exact_approx");
    const Numbers kl_bound = numbers(result, group + "bound_kl");
    const Numbers variation = numbers(result, group + "total_variation");
    const Numbers variation_bound = numbers(result, group + "bound_total_variation");
    for (std::size_t i = 0; i < kl.size(); ++i) {
      EXPECT_LE(kl[i], kl_bound[i] * (1 + 1e-12));
      EXPECT_LE(variation[i], variation_bound[i] * (1 + 1e-12));
    }
  }
}

TEST(ModelDivergence, LayersWithoutAttentionHaveNoJudgedRows) {
  const Folder folder("divergence");
  const std::filesystem::path result = run(folder, study("yoco", 0) + kControl);
  const Study read = read_study(folder.path() / "params.toml", {});
  const ModelSource source(read.source.cells.front(), 3);
  const auto layers = static_cast<Index>(source.decoder().model().layers.size());
  const Numbers status = numbers(result, "/path/control/status");  // [2, layers, 4, 9]
  ASSERT_EQ(static_cast<Index>(status.size()), 2 * layers * 36);
  Index retention = 0;
  for (Index row = 0; row < static_cast<Index>(status.size()); ++row) {
    const bool attends = source.decoder().mechanism(row / 36 % layers) != nullptr;
    EXPECT_EQ(status[row] == 1, !attends);
    retention += attends ? 0 : 1;
  }
  EXPECT_GT(retention, 0);
}

TEST(ModelDivergence, OfASweepIsThatOfItsCells) {
  const Folder folder("divergence");
  const auto with_std = [](const std::string& value) {
    std::string text = study("v41_small", 4);
    return text + "score_std = " + value + "\n";
  };
  const auto top = [](const std::string& k) {
    return "[[path]]\nname = \"top\"\nselect = { by = \"main\", k = " + k + " }\n";
  };
  const std::filesystem::path swept = run(folder, with_std("{ grid = [1.0, 3.0] }") + top("{ grid = [4, 9] }"));
  const std::vector<std::string> names = {"kl_exact_approx", "hidden_error", "output_error", "rank_of_exact_top"};
  std::map<std::string, Numbers> all, parts;
  for (const std::string& name : names) all[name] = numbers(swept, "/path/top/" + name);
  const Numbers hidden_norm = numbers(swept, "/exact/hidden_norm");
  Numbers norm_parts;
  for (const char* value : {"1.0", "3.0"})
    for (const char* k : {"4", "9"}) {
      const std::filesystem::path one = run(folder, with_std(value) + top(k));
      for (const std::string& name : names)
        for (const double x : numbers(one, "/path/top/" + name)) parts[name].push_back(x);
      if (*k == '4')
        for (const double x : numbers(one, "/exact/hidden_norm")) norm_parts.push_back(x);
    }
  EXPECT_EQ(all, parts);
  EXPECT_EQ(hidden_norm, norm_parts);
}

TEST(ModelDivergenceBounds, TheExactRunAgreesWithTheRulerWithinTheirRadii) {
  for (const char* preset : {"v41_small", "yoco", "v3", "llama_7b"}) {
    SCOPED_TRACE(preset);
    const Folder folder("divergence");
    const std::filesystem::path result = run(folder, study(preset, 0) + kControl);
    const Numbers error = numbers(result, "/exact/output_error");
    const Numbers radius = numbers(result, "/exact/output_error_radius");
    const Numbers status = numbers(result, "/exact/status");
    Index judged = 0, moved = 0;
    for (std::size_t i = 0; i < error.size(); ++i) {
      if (status[i] == 1) continue;  // a layer without attention
      ++judged;
      moved += error[i] > 0 ? 1 : 0;
      EXPECT_EQ(status[i], 0);
      EXPECT_TRUE(error[i] <= radius[i]);
      EXPECT_TRUE(radius[i] > 0 && radius[i] < 1e-12);
    }
    EXPECT_GT(judged, 0);
    EXPECT_GT(moved, judged / 2);  // two roundings, not one number twice
  }
}

TEST(ModelDivergence, OfAStoreThatChangesNothingIsZero) {
  const Folder folder("divergence");
  const std::filesystem::path result =
      run(folder, study("llama_7b", 2) + "[[path]]\nname = \"kept\"\nstore = \"exact\"\n");
  EXPECT_TRUE(all_zero(numbers(result, "/path/kept/hidden_error")));
}

TEST(ModelDivergenceContract, IsTheSameForAnyNumberOfThreads) {
  std::vector<std::string> hashes;
  for (const int threads : {1, 2, 3, 7}) {
    const Folder folder("divergence");
    hashes.push_back(
        content_sha256(run(folder, study("v41_small", 0) + kPublished + kRandom + kTop + kReuse, threads)));
  }
  for (const std::string& hash : hashes) EXPECT_EQ(hash, hashes.front());
}

TEST(ModelDivergenceFaults, NameWhatDoesNotSuit) {
  const auto message = [](std::string text, const std::string& from, const std::string& to) {
    const Folder folder("divergence");
    text += kControl;
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    try {
      run(folder, text);
    } catch (const UsageError& error) {
      EXPECT_FALSE(std::filesystem::exists(folder.path() / "r.h5"));
      return std::string(error.what());
    }
    return std::string();
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string text = study("v41_small", 0);
  EXPECT_TRUE(
      says(message(text, "kind = \"model\"", "kind = \"v32\""), "'kind' = \"v32\" in [source] must be \"model\""));
  EXPECT_TRUE(says(message(text, "model_divergence", "attention_error"), "this program runs \"model_divergence\""));
  EXPECT_TRUE(
      says(message(text, "seed = 3", "record_selected = true"), "unknown key 'record_selected' in [experiment]"));
  EXPECT_TRUE(says(message(text, "d_model = 64", "d_model = 2048"), "published extents are refused"));
  EXPECT_TRUE(says(message(text, "name = \"control\"", "name = \"control\"\nlayers = [77]"), "names layers 77"));
}

}  // namespace
}  // namespace lacuna
