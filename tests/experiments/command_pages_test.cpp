#include "experiments/harness/command_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/base/error.hpp"
#include "data/temporary_directory.hpp"
#include "experiments/harness/command_line.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {
namespace {

/// A program with a flag, an option and a file.
struct Program {
  CLI::App app{"Measures - and says.", "measure"};
  std::string output;
  std::string file;
  Program() {
    app.add_option("FILE", file, "What to read");
    app.add_option("-o,--output", output, "Where to write");
    app.add_option("--set", output, "Override");
    app.footer("Examples:\n  measure a.toml\n.dot");
    add_page_flags(app);
  }
};

/// Runs a bash script and gives what it prints.
std::string bash(const std::filesystem::path& folder, const std::string& script) {
  std::ofstream(folder / "script.sh") << script;
  const std::string command = "cd '" + folder.string() + "' && bash script.sh >out 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream stream(folder / "out");
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string complete(const std::string& completion, const std::string& words, int at) {
  return completion + "COMP_WORDS=(" + words + ") COMP_CWORD=" + std::to_string(at) +
         "\n_measure\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
}

TEST(ManPage, HasEveryFlagAndEscapesWhatRoffWouldObey) {
  const Program program;
  const std::string page = man_page(program.app);
  for (const char* part :
       {".TH \"measure\" 1", "measure \\- Measures \\- and says.", "\\-o, \\-\\-output TEXT\nWhere to write",
        "\\-\\-man\n", "\\-\\-help", ".B FILE", "\n\\&.dot\n"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Completion, OffersFlagsAndKeysOfTheStudysPaths) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "s.toml") << "[[path]]\nname = \"top_k\"\n[[path]]\n  name=\"pool\" # second\n";
  const Program program;
  const std::string completion = bash_completion(program.app, {"source.n", "path.*.window", "path.*.select.k"});
  EXPECT_EQ(bash(folder.path(), complete(completion, "measure --o", 1)), "--output\n");
  EXPECT_EQ(bash(folder.path(), complete(completion, "measure s.toml --set path.p", 3)),
            "path.pool.window=\npath.pool.select.k=\n");
  EXPECT_EQ(bash(folder.path(), complete(completion, "measure s.toml --set s", 3)), "source.n=\n");
  EXPECT_EQ(bash(folder.path(), complete(completion, "measure s.t", 1)), "s.toml\n");
}

TEST(Completion, KnowsEveryKeyOfTheParameterTable) {
  const std::vector<std::string> keys = setting_keys(json_schema("attention_error"));
  for (const char* key :
       {"experiment.seed", "source.n", "path.*.window", "path.*.select.k", "path.*.pool.blocks", "path.*.store"})
    EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
  for (const std::string& key : keys)
    EXPECT_EQ(key.find("grid"), std::string::npos) << key << " is a sweep, not a parameter";
}

TEST(CommandLineFaults, AnEmptyNameOfTheResultsIsRefused) {
  const char* arguments[] = {"program", "study.toml", "-o", ""};
  try {
    parse_command_line("program", "A question?", {nullptr, nullptr, ""}, 4, const_cast<char**>(arguments));
    FAIL() << "was taken";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "program: --output: the name is empty\nSee program --help.");
  }
}

}  // namespace
}  // namespace lacuna
