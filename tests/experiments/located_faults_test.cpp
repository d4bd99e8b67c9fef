// Every fault of a study is reported at once, at the line of its parameter, whatever it takes to find it: the text, the
// files that it names, or the source that it describes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.hpp"
#include "experiments/attention_error/run.hpp"
#include "experiments/harness/diagnostics.hpp"
#include "experiments/model_divergence/run.hpp"
#include "experiments/replay_error/run.hpp"
#include "experiments/run_line.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;
using testing_study::run_line;

using Program = std::filesystem::path (*)(const CommandLine&, int, char**);

/// "CODE\n" and the errors, without the name of the folder; nothing was written.
std::string refusal_of(Program program, const Folder& folder, const std::string& text) {
  char name[] = "program";
  char* arguments[] = {name, nullptr};
  std::string message;
  try {
    program(run_line(folder, text), 1, arguments);
  } catch (const Error& error) {
    message = fmt::format("{}\n{}", static_cast<int>(error.code()), error.what());
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "r.h5"));
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
    message.erase(at, prefix.size());
  return message;
}

std::string refusal_of(Program program, const std::string& text) {
  return refusal_of(program, Folder("located"), text);
}

/// Four lines; the source's own parameters follow from line 5.
std::string head(const std::string& kind, const std::string& source) {
  return "schema = 1\nexperiment.kind = \"" + kind + "\"\n[source]\nkind = \"" + source + "\"\n";
}

TEST(LocatedFaults, WhatIsNoFileIsNamedByWhatItIsAtItsParameter) {
  const Folder folder("located");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder.path() / "folder");
  EXPECT_EQ(refusal_of(run_attention_error, folder,
                       head("attention_error", "trace") +
                           "file = [\"none.h5\", \"folder\", \"/dev/null\", \"pipe\"]\n[[path]]\nname = \"p\"\n"
                           "select = { by = \"file\", file = \"pipe\" }\n"),
            "3\n"
            "params.toml:5:1: error: in [source]: /dev/null: not a regular file but a device\n"
            "params.toml:5:1: error: in [source]: folder: not a regular file but a directory\n"
            "params.toml:5:1: error: in [source]: none.h5: No such file or directory\n"
            "params.toml:5:1: error: in [source]: pipe: not a regular file but a pipe\n"
            "params.toml:8:25: error: in [[path]] \"p\": pipe: not a regular file but a pipe");
}

TEST(LocatedFaults, FilesThatCannotBeReadAreNamedOnceAtTheirParameter) {
  const Folder folder("located");
  folder.write("nothing of a trace", "a.h5");
  folder.write("nothing either", "b.h5");
  EXPECT_EQ(refusal_of(run_attention_error, folder,
                       head("attention_error", "trace") + "file = [\"a.h5\", \"b.h5\"]\n[[path]]\nname = \"p\"\n"),
            "3\nparams.toml:5:1: error: in [source]: a.h5: neither HDF5 nor safetensors, or truncated\n"
            "params.toml:5:1: error: in [source]: b.h5: neither HDF5 nor safetensors, or truncated");
  EXPECT_EQ(refusal_of(run_attention_error, folder,
                       head("attention_error", "gaussian") +
                           "n = 8\nqueries = 2\n[[path]]\nname = \"p\"\nselect = { by = \"file\", file = \"a.h5\" }\n"),
            "3\na.h5: cannot open it as HDF5: file signature not found");
}

TEST(LocatedFaults, AFaultOfTheFileDoesNotHideOneOfTheText) {
  EXPECT_EQ(refusal_of(run_model_divergence, head("model_divergence", "model") +
                                                 "checkpoint = \"none\"\ntokens = \"none.txt\"\nsequences = 2\n"
                                                 "[[path]]\nname = \"p\"\nwindwo = 3\n"),
            "2\n"
            "params.toml:5:1: error: in [source]: none: No such file or directory\n"
            "params.toml:6:1: error: in [source]: none.txt: No such file or directory\n"
            "params.toml:7:1: error: in [source]: the rows of the file of tokens are the sequences\n"
            "params.toml:10:1: error: unknown key 'windwo' in [[path]] \"p\"; did you mean 'window'?");
}

TEST(LocatedFaults, AMisspeltPresetOrProgramHidesNothing) {
  const std::string message =
      refusal_of(run_model_divergence, head("model_divergense", "model") +
                                           "preset = \"v41_smal\"\nn = 0\n[[path]]\nname = \"p\"\nwindwo = 3\n");
  EXPECT_TRUE(
      message.starts_with("2\nparams.toml:2:12: error: experiment.kind is \"model_divergense\"; this program "
                          "runs \"model_divergence\"; did you mean 'model_divergence'?\n"
                          "params.toml:5:1: error: 'preset' = \"v41_smal\" in [source] must be one of gpt2_small, "))
      << message;
  EXPECT_TRUE(
      message.ends_with("; did you mean 'v41_small'?\n"
                        "params.toml:6:1: error: 'n' = 0 in [source] is out of range: must be between 1 and "
                        "1048576\n"
                        "params.toml:9:1: error: unknown key 'windwo' in [[path]] \"p\"; did you mean 'window'?"))
      << message;
}

TEST(LocatedFaults, ParametersOfASourceThatDoNotGoTogetherAreAllNamed) {
  EXPECT_EQ(
      refusal_of(run_attention_error, head("attention_error", "gaussian") +
                                          "n = 8\nqueries = 9\nheads = 4\nkv_heads = 3\n[[path]]\nname = \"p\"\n"),
      "2\nparams.toml:6:1: error: in [source]: queries = 9 is more than n = 8\n"
      "params.toml:8:1: error: in [source]: kv_heads = 3 does not divide heads = 4");
  // what is not given is pointed at by its table
  EXPECT_EQ(refusal_of(run_attention_error, head("attention_error", "v4_csa") +
                                                "n = 8\nqueries = 9\nqk_rope = 33\nhead_dim = 16\n[[path]]\n"
                                                "name = \"p\"\n"),
            "2\nparams.toml:3:2: error: in [source]: d_index = 32 is more than head_dim = 16\n"
            "params.toml:6:1: error: in [source]: queries = 9 is more than n = 8\n"
            "params.toml:7:1: error: in [source]: qk_rope = 33 is more than d_index = 32\n"
            "params.toml:7:1: error: in [source]: qk_rope = 33 is more than head_dim = 16\n"
            "params.toml:7:1: error: in [source]: qk_rope = 33 must be even: pairs of channels are rotated");
}

TEST(LocatedFaults, EveryPathThatDoesNotSuitTheSourceIsNamedAtItsParameter) {
  EXPECT_EQ(
      refusal_of(run_attention_error, head("attention_error", "gaussian") +
                                          "n = 8\nqueries = 2\nd_qk = 48\n"
                                          "[[path]]\nname = \"p\"\nstore_k = \"fp8_e4m3_f32_128\"\n"
                                          "layers = [0, 5]\nheads = [1, 9]\n"
                                          "[[path]]\nname = \"q\"\nselect = { by = \"indexer\", k = 2 }\n"
                                          "pool = { blocks = 2, from_layer = 3 }\n"),
      "2\nparams.toml:10:1: error: in [[path]] \"p\": width 48 is not divisible by the block of 128\n"
      "params.toml:11:1: error: in [[path]] \"p\": names layers 5, which the source does not have; it has 0\n"
      "params.toml:12:1: error: in [[path]] \"p\": names heads 9, which the source does not have; it has 0, 1, 2, 3\n"
      "params.toml:15:12: error: in [[path]] \"q\": the source has no lightning indexer (no 'index_q', 'index_k', "
      "'index_weights')\n"
      "params.toml:16:22: error: in [[path]] \"q\": the source does not have this layer; it has 0");
}

TEST(LocatedFaults, AStageThatChangesNothingIsRefused) {
  const std::string source = head("model_divergence", "model") + "preset = \"mistral_7b\"\nlayers = 2\nn = 32\n";
  const std::string why =
      " changes nothing: the layers that the path approximates have no cached rows, they read their own windows alone";
  EXPECT_EQ(refusal_of(run_model_divergence, source + "[[path]]\nname = \"p\"\nwindow = 3\n"
                                                      "[[path]]\nname = \"q\"\nselect = { by = \"main\", k = 2 }\n"
                                                      "[[path]]\nname = \"r\"\nstore = \"bf16\"\n"),
            "2\nparams.toml:10:1: error: in [[path]] \"p\": window" + why +
                "\nparams.toml:13:12: error: in [[path]] \"q\": select.by" + why);
  // layers 0 and 1 of v41_small are windows alone, layer 2 is not
  const std::string mixed = head("model_divergence", "model") + "preset = \"v41_small\"\nlayers = 3\nn = 32\n";
  EXPECT_EQ(refusal_of(run_model_divergence, mixed + "[[path]]\nname = \"p\"\nwindow = 3\nlayers = [0, 1]\n"),
            "2\nparams.toml:10:1: error: in [[path]] \"p\": window" + why);
}

TEST(LocatedFaults, AReplayIsNotLongerThanThePrefixInAnyCell) {
  EXPECT_EQ(
      refusal_of(run_replay_error, head("replay_error", "model") +
                                       "preset = \"v41_small\"\nn = 40\n[replay]\n"
                                       "length = { grid = [31, 32, 33, 50] }\nsteps = 8\nhit = 33\nstepz = 1\n"),
      "2\n"
      "params.toml:8:1: error: in [replay]: 'length' = 33 is more than the prefix, which has 32 tokens: source.n "
      "is 40 and 8 are the steps\n"
      "params.toml:8:1: error: in [replay]: 'length' = 50 is more than the prefix, which has 32 tokens: source.n "
      "is 40 and 8 are the steps\n"
      "params.toml:10:1: error: in [replay]: 'hit' = 33 is more than the prefix, which has 32 tokens: source.n is "
      "40 and 8 are the steps\n"
      "params.toml:11:1: error: unknown key 'stepz' in [replay]; did you mean 'steps'?");
}

TEST(LocatedFaults, AReplayNeedsAsManyTokensAsItsPrefixAndSteps) {
  const Folder folder("located");
  folder.write("1 2 3 4 5 6 7 8 9\n", "tokens.txt");
  EXPECT_EQ(refusal_of(run_replay_error, folder,
                       head("replay_error", "model") +
                           "preset = \"v41_small\"\nn = 40\njudge_every = 4\ntokens = \"tokens.txt\"\n[replay]\n"
                           "length = 3\nsteps = 8\n"),
            "2\nparams.toml:6:1: error: in [source]: n = 40, and the file of tokens has 9 in a sequence");
}

TEST(LocatedFaults, LimitsThatLeaveOutNothingGetANote) {
  const Folder folder("located");
  CommandLine line =
      run_line(folder, head("attention_error", "gaussian") +
                           "n = 32\nqueries = 2\n[[path]]\nname = \"p\"\n"
                           "select = { by = \"main\", k = { grid = [32, 64] } }\n"
                           "pool = { blocks = 3, block_size = 8 }\n"
                           "[[path]]\nname = \"q\"\nselect = { by = \"main\", k = { grid = [31, 64] } }\n");
  line.dry_run = true;
  line.quiet = false;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  run_attention_error(line, 0, nullptr);
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "note: [[path]] \"p\": select.k leaves out no row in any cell: the source has 32 rows and it lets 32 through\n");
}

}  // namespace
}  // namespace lacuna
