// Kinds of source and selector whose parameters are known to the tests, and parameter files to read.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/approx/selector.hpp"
#include "data/problem_source.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna::testing_study {

inline void register_sources() {
  using enum ParameterType;
  SourceRegistry::instance().add(
      {.name = "test_source",
       .sentence = "A source of the tests.",
       .parameters =
           {{.key = "n",
             .type = integer,
             .unit = "keys",
             .minimum = 1,
             .maximum = 1e6,
             .default_value = std::int64_t{64},
             .sentence = "Keys."},
            {.key = "sigma", .type = real, .unit = "1", .minimum = 0, .default_value = 1.0, .sentence = "Spread."},
            {.key = "file", .type = text_list, .is_path = true, .sentence = "Files."},
            {.key = "window", .type = integer, .unit = "keys", .sentence = "Of the source."},
            {.key = "tags", .type = integer_list, .minimum = 0, .sweepable = false, .sentence = "Tags."},
            {.key = "shape",
             .type = text,
             .choices = {"round", "square"},
             .default_value = std::string("round"),
             .sentence = "Shape."}},
       .open = {}});
  SourceRegistry::instance().add({.name = "test_other_source",
                                  .sentence = "Another source of the tests.",
                                  .parameters = {{.key = "m", .type = integer, .sentence = "Another number."}},
                                  .open = {}});
}

inline void register_selectors() {
  using enum ParameterType;
  SelectorKind select;
  select.name = "test_select";
  select.sentence = "A selector of the tests.";
  select.parameters = {
      {.key = "k", .type = count_or_fraction, .unit = "keys", .maximum = 1e6, .required = true, .sentence = "Budget."},
      {.key = "trials",
       .type = integer,
       .unit = "1",
       .minimum = 1,
       .default_value = std::int64_t{1},
       .sweepable = false,
       .sentence = "Repetitions."},
      {.key = "note", .type = text, .sentence = "Kept as it is."}};
  select.check = [](const Parameters& path) {
    std::vector<ParameterFault> faults;
    if (path.at("select.k") == ParameterValue(std::int64_t{13})) faults.push_back({"select.k", "13 is unlucky"});
    if (path.has("select.note") && path.text("select.note") == "untried")
      faults.push_back({"select.trials", "an untried note needs no trials"});
    return faults;
  };
  SelectorRegistry::instance().add(select);

  SelectorKind blocks;
  blocks.name = "test_blocks";
  blocks.sentence = "Another selector of the tests.";
  blocks.parameters = {{.key = "test_size",
                        .type = integer,
                        .unit = "keys",
                        .minimum = 1,
                        .default_value = std::int64_t{8},
                        .sentence = "Keys per block."}};
  SelectorRegistry::instance().add(blocks);

  if (SelectorRegistry::instance().find("path") != nullptr) return;
  SelectorKind path;
  path.name = "path";
  path.parameters = {{.key = "path", .type = text, .required = true, .sweepable = false, .sentence = "Path."}};
  SelectorRegistry::instance().add(path);
}

inline void register_kinds() {
  if (SourceRegistry::instance().find("test_source") != nullptr) return;
  register_sources();
  register_selectors();
}

/// A folder of one test, removed with its content at the end.
class Folder {
 public:
  explicit Folder(const std::string& name = "study")
      : path_(std::filesystem::path(::testing::TempDir()) / (name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    register_kinds();
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& content, const std::string& name = "params.toml") const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The first seven lines of a study; what a test is about follows from line 8.
inline const std::string kHead =
    "schema = 1\n"
    "[experiment]\n"
    "kind = \"test\"\n"
    "[source]\n"
    "kind = \"test_source\"\n"
    "[[path]]\n"
    "name = \"top\"\n";
/// A path for files that are about something else.
inline const std::string kSelect = "select = { by = \"test_select\", k = 4 }\n";

inline Study read(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Folder folder;
  return read_study(folder.write(text), settings);
}

/// The errors, one per line, without the name of the folder; "" when there is none.
inline std::string errors(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Folder folder;
  std::string message;
  try {
    read_study(folder.write(text), settings);
  } catch (const UsageError& error) {
    message = error.what();
  }
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
    message.erase(at, prefix.size());
  return message;
}

}  // namespace lacuna::testing_study
