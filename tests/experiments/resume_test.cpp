// Runs that go on where an earlier one ended: the same results, whatever the earlier one left.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"
#include "experiments/attention_error/run.hpp"
#include "experiments/cache_cost/run.hpp"
#include "experiments/harness/journal.hpp"
#include "experiments/harness/journal_frame.hpp"
#include "experiments/harness/open_results.hpp"
#include "experiments/harness/results_file_partial.hpp"
#include "experiments/model_divergence/run.hpp"
#include "experiments/study_fixture.hpp"

namespace lacuna {
namespace {

using testing_study::Folder;
using Run = std::filesystem::path (*)(const CommandLine&, int, char**);

const std::string kAttention =
    "schema = 1\n[experiment]\nkind = \"attention_error\"\nseed = 5\n[source]\nkind = \"gaussian\"\n"
    "n = { grid = [40, 90] }\nqueries = 6\nsequences = 2\nlayers = 2\nheads = 2\nd_qk = 8\nd_v = 8\n"
    "[[path]]\nname = \"top\"\nselect = { by = \"main\", k = { grid = [3, 7] } }\n"
    "[[path]]\nname = \"random\"\nselect = { by = \"random\", k = 5, trials = 2 }\n";
const std::string kReuse = "[[path]]\nname = \"reuse\"\nselect = { by = \"path\", path = \"top\", layers_back = 1 }\n";
const std::string kDivergence =
    "schema = 1\n[experiment]\nkind = \"model_divergence\"\nseed = 3\n[source]\nkind = \"model\"\npreset = "
    "\"v41_small\"\nlayers = 4\nd_model = 64\nvocabulary = 20\nn = 20\njudge_every = 5\nsequences = 3\n"
    "score_std = { grid = [1.0, 3.0] }\n"
    "[[path]]\nname = \"top\"\nselect = { by = \"main\", k = { grid = [4, 9] } }\n";

char* const kArguments[] = {const_cast<char*>("program"), nullptr};

CommandLine command(const std::filesystem::path& study, const std::string& output, int threads = 2) {
  CommandLine line;
  line.parameters = study;
  line.output = output;
  line.threads = threads;
  line.quiet = true;
  return line;
}

std::filesystem::path run(Run experiment, const CommandLine& line) {
  return experiment(line, 1, const_cast<char**>(kArguments));
}

std::filesystem::path resume(Run experiment, CommandLine line) {
  line.resume = true;
  return run(experiment, line);
}

/// What the journal of a run holds when it could not publish its results.
struct LeftBehind {
  std::string header;              ///< payload of the first frame
  std::vector<std::string> units;  ///< records of each
};

/// Runs until another process, as it seems, has made the results file meanwhile.
LeftBehind run_in_vain(Run experiment, const CommandLine& line) {
  {
    std::jthread other([&] {
      while (!std::filesystem::exists(PartialFile::path_of(*line.output))) std::this_thread::yield();
      write_bytes(line.output->string(), "another's");
    });
    EXPECT_THROW(run(experiment, line), EnvironmentError);
  }
  std::filesystem::remove(*line.output);
  std::filesystem::remove(PartialFile::path_of(*line.output));
  LeftBehind left;
  const std::filesystem::path journal = Journal::path_of(*line.output);
  const int fd = ::open(journal.c_str(), O_RDONLY);
  scan_frames(fd, journal, [&](std::uint64_t, std::string_view payload) {
    if (left.header.empty()) {
      left.header = payload;
      return;
    }
    std::size_t begin = 0;
    EXPECT_TRUE(visit_records(payload, {.unit_begin = {},
                                        .slab = {},
                                        .unit_end =
                                            [&](std::size_t end) {
                                              left.units.emplace_back(payload.substr(begin, end - begin));
                                              begin = end;
                                            },
                                        .seal = {}}));
  });
  ::close(fd);
  std::filesystem::remove(journal);
  return left;
}

/// A journal of the first `count` units in the given number of frames, and half of the next one.
std::string journal_of(const LeftBehind& left, std::size_t count, bool one_frame) {
  std::string bytes = frame_of(0, left.header);
  std::string records;
  std::uint64_t frames = 1;
  for (std::size_t i = 0; i < count; ++i) {
    records += left.units[i];
    if (!one_frame || i + 1 == count) bytes += frame_of(frames++, std::exchange(records, {}));
  }
  if (count < left.units.size()) {
    std::string begun;
    append_unit_begin(begun, "begun, not ended");
    append_slab(begun, "/no/such/variable", hdf5::NumberType::f64, {}, {}, "12345678");
    bytes += frame_of(frames++, begun);
    bytes += frame_of(frames, left.units[count]).substr(0, left.units[count].size() / 2);
  }
  return bytes;
}

void expect_the_same_after_every_unit(Run experiment, const std::string& text, std::size_t units) {
  const TemporaryDirectory directory;
  const Folder folder("resume");
  const std::filesystem::path study = folder.write(text);
  const std::string digest = content_sha256(run(experiment, command(study, directory / "whole.h5")));
  const CommandLine line = command(study, directory / "r.h5");
  const LeftBehind left = run_in_vain(experiment, line);
  ASSERT_EQ(left.units.size(), units);
  for (std::size_t count = 0; count <= units; ++count)
    for (const int threads : {1, 3}) {
      write_bytes(directory / "r.h5.journal", journal_of(left, count, threads == 1));
      EXPECT_EQ(content_sha256(resume(experiment, command(study, directory / "r.h5", threads))), digest) << count;
      EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.journal"));
      EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.partial"));
      std::filesystem::remove(directory / "r.h5");
    }
}

TEST(ResumeContract, OfAttentionErrorAfterAnyLayerGivesTheSameResults) {
  expect_the_same_after_every_unit(run_attention_error, kAttention, 8);  // source cells x sequences x layers
}

TEST(ResumeContract, OfLayersThatReadEarlierOnesAfterAnySequenceGivesTheSameResults) {
  expect_the_same_after_every_unit(run_attention_error, kAttention + kReuse, 4);  // source cells x sequences
}

TEST(ResumeContract, OfModelDivergenceAfterAnySequenceGivesTheSameResults) {
  expect_the_same_after_every_unit(run_model_divergence, kDivergence, 6);  // source cells x sequences
}

TEST(ResumeContract, FinishedUnitsAreNotWorkedOnAgain) {
  const TemporaryDirectory directory;
  const Folder folder("resume");
  const CommandLine line = command(folder.write(kAttention), directory / "r.h5");
  LeftBehind left = run_in_vain(run_attention_error, line);
  // a number that no work gives shows where the results come from
  std::string marked;
  const auto change = [&](const Slab& slab) {
    std::string values(slab.values);
    if (slab.path == "/path/top/output_error") std::ranges::fill(values, '\x11');
    append_slab(marked, slab.path, slab.type, slab.start, slab.count, values);
  };
  visit_records(left.units[0],
                {.unit_begin = [&](std::string_view key, std::size_t) { append_unit_begin(marked, key); },
                 .slab = change,
                 .unit_end = [&](std::size_t) { append_unit_end(marked); },
                 .seal = {}});
  const std::string digest = content_sha256(run(run_attention_error, command(line.parameters, directory / "w.h5")));
  left.units[0] = marked;
  write_bytes(directory / "r.h5.journal", journal_of(left, 1, true));
  EXPECT_NE(content_sha256(resume(run_attention_error, line)), digest);
}

TEST(ResumeFaults, WithOtherParametersItIsRefused) {
  const TemporaryDirectory directory;
  const Folder folder("resume");
  CommandLine line = command(folder.write(kAttention), directory / "r.h5");
  const std::string journal = journal_of(run_in_vain(run_attention_error, line), 3, true);
  write_bytes(directory / "r.h5.journal", journal);
  line.settings = {"path.top.window=2"};
  EXPECT_NE(message_of<UsageError>([&] {
              resume(run_attention_error, line);
            }).find("r.h5.journal: error: is of another run: path.top.window = 0 there, 2 here"),
            std::string::npos);
  line.settings = {};
  EXPECT_NE(message_of<EnvironmentError>([&] { run(run_attention_error, line); }).find("holds 3 finished units"),
            std::string::npos);
  EXPECT_EQ(read_bytes(directory / "r.h5.journal"), journal);
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5"));
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.partial"));
}

TEST(ResumeFaults, CompleteResultsAreLeftAsTheyAre) {
  const TemporaryDirectory directory;
  const Folder folder("resume");
  const CommandLine line = command(folder.write(kAttention), directory / "r.h5");
  resume(run_attention_error, line);  // nothing was begun: a first run
  const std::string before = read_bytes(directory / "r.h5");
  EXPECT_NE(message_of<EnvironmentError>([&] { resume(run_attention_error, line); }).find("r.h5: is complete"),
            std::string::npos);
  EXPECT_EQ(read_bytes(directory / "r.h5"), before);
}

/// What a run leaves that was killed when its results were in place and its journal not yet removed.
TEST(ResumeContract, BehindCompleteResultsTheSameAreThereAndNoJournal) {
  const TemporaryDirectory directory;
  const Folder folder("resume");
  const CommandLine line = command(folder.write(kAttention), directory / "r.h5");
  LeftBehind left = run_in_vain(run_attention_error, line);
  const std::string digest = content_sha256(run(run_attention_error, line));
  const std::string without_seal = journal_of(left, 8, true);
  append_seal(left.units.back(), digest);
  write_bytes(directory / "r.h5.journal", journal_of(left, 8, true));
  EXPECT_EQ(content_sha256(resume(run_attention_error, line)), digest);
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.journal"));
  // results that are not the journal's are another's
  write_bytes(directory / "r.h5.journal", without_seal);
  EXPECT_NE(message_of<EnvironmentError>([&] {
              resume(run_attention_error, line);
            }).find("r.h5: exists beside the journal of an unfinished run"),
            std::string::npos);
  EXPECT_EQ(content_sha256(directory / "r.h5"), digest);
  EXPECT_EQ(read_bytes(directory / "r.h5.journal"), without_seal);
  // moved away, the run goes on to the same results; forced, it starts anew and nothing of the journal is left
  std::filesystem::rename(directory / "r.h5", directory / "moved.h5");
  EXPECT_EQ(content_sha256(resume(run_attention_error, line)), digest);
  write_bytes(directory / "r.h5", "old");
  write_bytes(directory / "r.h5.journal", without_seal);
  CommandLine forced = line;
  forced.force = true;
  EXPECT_EQ(content_sha256(run(run_attention_error, forced)), digest);
  EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.journal"));
}

TEST(ResumeFaults, GoingOnAndStartingAnewExcludeEachOther) {
  const char* arguments[] = {"program", "study.toml", "--resume", "--force"};
  EXPECT_NE(message_of<UsageError>([&] {
              parse_command_line("program", "A question?", {nullptr, nullptr, ""}, 4, const_cast<char**>(arguments));
            }).find("--force excludes --resume"),
            std::string::npos);
}

TEST(ResumeContract, OfARunThatReplacesResultsReplacesThem) {
  const TemporaryDirectory directory;
  const Folder folder("resume");
  CommandLine line = command(folder.write(kAttention), directory / "r.h5");
  LeftBehind left = run_in_vain(run_attention_error, line);
  const std::string no = "\nreplaces = false\n";
  left.header.replace(left.header.find(no), no.size(), "\nreplaces = true\n");
  const std::string digest = content_sha256(run(run_attention_error, line));
  write_bytes(directory / "r.h5", "old");
  write_bytes(directory / "r.h5.journal", journal_of(left, 2, false));
  EXPECT_EQ(content_sha256(resume(run_attention_error, line)), digest);
}

/// The current directory for a while.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::filesystem::path& path) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~WorkingDirectory() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

TEST(ResumeContract, WithoutANameTheLatestUnfinishedRunOfTheStudyGoesOn) {
  const TemporaryDirectory directory;
  const Folder folder("resume");
  const std::filesystem::path study = folder.write(kAttention);  // params.toml
  const WorkingDirectory here(directory.path());
  CommandLine unnamed = command(study, "");
  unnamed.output.reset();
  EXPECT_EQ(run(run_attention_error, unnamed), "results/params.h5");
  // run 2 and run 4 are unfinished, run 5 is another study's
  for (const std::string name : {"results/params-2.h5", "results/params-4.h5"})
    write_bytes(name + ".journal", journal_of(run_in_vain(run_attention_error, command(study, name)), 3, true));
  LeftBehind other = run_in_vain(run_attention_error, command(study, "results/params-5.h5"));
  other.header.replace(other.header.find("experiment.seed = 5"), 19, "experiment.seed = 6");
  write_bytes("results/params-5.h5.journal", journal_of(other, 3, true));
  EXPECT_EQ(resume(run_attention_error, unnamed), "results/params-4.h5");
  EXPECT_EQ(run(run_attention_error, unnamed), "results/params-3.h5");
  EXPECT_EQ(run(run_attention_error, unnamed), "results/params-6.h5");
  EXPECT_EQ(resume(run_attention_error, unnamed), "results/params-2.h5");
  EXPECT_NE(message_of<UsageError>([&] { resume(run_attention_error, unnamed); }).find("experiment.seed = 6 there"),
            std::string::npos);
  std::filesystem::remove("results/params-5.h5.journal");
  EXPECT_NE(message_of<EnvironmentError>([&] {
              resume(run_attention_error, unnamed);
            }).find("results/params.h5: is complete"),
            std::string::npos);
}

TEST(ResumeCommand, IsTheCommandWithTheNameOfTheResults) {
  std::vector<std::string> words = {"bin/attention_error", "my study.toml", "--force", "--set", "a='b'"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const RunFacts facts{static_cast<int>(argv.size()), argv.data(), 1, ""};
  CommandLine line;
  EXPECT_EQ(resume_command(line, "results/my study.h5", facts),
            "bin/attention_error 'my study.toml' --set 'a='\\''b'\\''' -o 'results/my study.h5' --resume");
  line.output = "x.h5";
  EXPECT_EQ(resume_command(line, "x.h5", facts), "bin/attention_error 'my study.toml' --set 'a='\\''b'\\''' --resume");
}

}  // namespace
}  // namespace lacuna
