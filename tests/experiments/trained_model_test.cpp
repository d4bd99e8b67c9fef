// A checkpoint that transformers wrote, through the parameter file and both experiments.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/mechanism/golden_file.hpp"
#include "experiments/attention_error/run.hpp"
#include "experiments/model_divergence/run.hpp"
#include "experiments/read_numbers.hpp"
#include "experiments/run_line.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::errors;
using testing_study::Folder;
using testing_study::numbers;
using testing_study::run_line;
using Numbers = std::vector<double>;

std::string golden_checkpoint(const std::string& name) {
  return std::string(LACUNA_SOURCE_DIR) + "/tests/data/checkpoint/golden/" + name;
}

GoldenFile logits_of(const std::string& name) {
  const std::string path = golden_checkpoint(name) + "/logits.golden";
  std::ifstream in(path);
  return GoldenFile(in, path);
}

/// A study of the checkpoint `name` reading the golden tokens, beside it, in a folder of its own.
CommandLine study(const Folder& folder, const std::string& kind, const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator(golden_checkpoint(name)))
    std::filesystem::copy(entry, folder.path() / entry.path().filename(),
                          std::filesystem::copy_options::overwrite_existing);
  folder.write(fmt::format("{}\n", fmt::join(logits_of(name)["tokens"].data, " ")), "tokens.txt");
  return run_line(folder, "schema = 1\n[experiment]\nkind = \"" + kind +
                              "\"\n[source]\nkind = \"model\"\ncheckpoint = \".\"\ntokens = \"tokens.txt\"\n"
                              "judge_every = 3\n[[path]]\nname = \"control\"\n[[path]]\nname = \"top\"\n"
                              "select = { by = \"main\", k = 3 }\n");
}

char* const kArguments[] = {const_cast<char*>("program"), nullptr};

TEST(TrainedModelGolden, LossesAreThoseOfTransformers) {
  for (const char* name : {"gpt2", "llama", "deepseek_v3"}) {
    const Folder folder("trained");
    const std::filesystem::path run =
        run_model_divergence(study(folder, "model_divergence", name), 1, const_cast<char**>(kArguments));
    for (const char* path : {"control", "top"})
      for (const double status : numbers(run, std::string("/path/") + path + "/status"))
        EXPECT_TRUE(status == 0 || status == 5) << name << ' ' << path;
    const GoldenFile golden = logits_of(name);
    const Numbers loss = numbers(run, "/exact/loss");
    ASSERT_EQ(loss.size(), 16u);
    for (Index t = 0; t + 1 < 16; ++t) {
      double sum = 0;
      for (const double z : golden["logits"].row(t)) sum += std::exp(z);
      const auto next = static_cast<Index>(golden["tokens"].data[t + 1]);
      EXPECT_NEAR(loss[t], std::log(sum) - golden["logits"].row(t)[next], 1e-12) << name << ' ' << t;
    }
    for (const double kl : numbers(run, "/path/control/kl_exact_approx")) EXPECT_EQ(kl, 0);
    EXPECT_GT(numbers(run, "/path/top/kl_exact_approx")[15], 0);
  }
}

TEST(TrainedModelFaults, ResultsNeverReplaceTheCheckpointOrTheTokens) {
  for (const char* kind : {"model_divergence", "attention_error"})
    for (const char* input : {"tokens.txt", "config.json", "model.safetensors"}) {
      const Folder folder("trained");
      CommandLine line = study(folder, kind, "llama");
      line.output = folder.path() / input;
      const auto bytes = std::filesystem::file_size(*line.output);
      const auto run = std::string(kind) == "attention_error" ? run_attention_error : run_model_divergence;
      EXPECT_THROW(run(line, 1, const_cast<char**>(kArguments)), EnvironmentError) << kind << ' ' << input;
      EXPECT_EQ(std::filesystem::file_size(*line.output), bytes);
    }
}

TEST(TrainedModelGolden, HeadsOfTheCheckpointAreStudiedOnTheirOwn) {
  const Folder folder("trained");
  const std::filesystem::path file =
      run_attention_error(study(folder, "attention_error", "llama"), 1, const_cast<char**>(kArguments));
  EXPECT_EQ(numbers(file, "/exact/layer"), (Numbers{0, 1}));
  EXPECT_EQ(numbers(file, "/exact/query"), (Numbers{2, 5, 8, 11, 14}));
  const Numbers omitted = numbers(file, "/path/top/omitted_mass");  // [1, 2, 4, 5]
  ASSERT_EQ(omitted.size(), 40u);
  for (std::size_t i = 0; i < omitted.size(); ++i) EXPECT_EQ(omitted[i] > 0, i % 5 != 0) << i;  // 3 of 3 keys are all
}

TEST(TrainedModelFaults, PointAtTheLineOfTheParameterFile) {
  const std::string head = "schema = 1\n[experiment]\nkind = \"model_divergence\"\n[source]\nkind = \"model\"\n";
  const std::string path = "[[path]]\nname = \"control\"\n";
  EXPECT_EQ(errors(head + path), "params.toml:5:1: error: in [source]: 'preset' or 'checkpoint' is missing");
  EXPECT_EQ(
      errors(head + "checkpoint = \"c\"\n" + path),
      "params.toml:6:1: error: in [source]: 'tokens' is missing: random tokens say nothing about a trained model\n"
      "params.toml:6:1: error: in [source]: c: No such file or directory");
  EXPECT_EQ(
      errors(head + "checkpoint = \"c\"\ntokens = \"t\"\npreset = \"v3\"\nd_model = { grid = [32, 128] }\n" + path),
      "params.toml:6:1: error: in [source]: c: No such file or directory\n"
      "params.toml:7:1: error: in [source]: t: No such file or directory\n"
      "params.toml:8:1: error: in [source]: a checkpoint has a model of its own; give one of the two\n"
      "params.toml:9:1: error: in [source]: 'd_model' shapes a preset; a checkpoint is taken as it is");
  EXPECT_EQ(errors(head + "checkpoint = \"\"\ntokens = \"t\"\n" + path),
            "params.toml:6:1: error: 'checkpoint' in [source] names no file");
}

}  // namespace
}  // namespace lacuna
