#include "experiments/harness/open_results.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <iostream>
#include <optional>
#include <string_view>

#include "core/base/error.hpp"
#include "experiments/harness/journal.hpp"
#include "experiments/harness/results_file_partial.hpp"

namespace lacuna {
namespace {

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

std::filesystem::path numbered(const std::string& stem, std::int64_t number) {
  return std::filesystem::path("results") / (number == 1 ? stem + ".h5" : fmt::format("{}-{}.h5", stem, number));
}

/// Of "study-3.h5.journal" for the stem "study": 3.
std::optional<std::int64_t> number_of_journal(std::string_view name, std::string_view stem) {
  constexpr std::string_view ending = ".h5.journal";
  if (!name.starts_with(stem) || !name.ends_with(ending) || name.size() < stem.size() + ending.size())
    return std::nullopt;
  const std::string_view middle = name.substr(stem.size(), name.size() - stem.size() - ending.size());
  if (middle.empty()) return 1;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(middle.data() + 1, middle.data() + middle.size(), number);
  const bool is_number = middle.front() == '-' && error == std::errc() && end == middle.data() + middle.size();
  return is_number && number > 1 ? std::optional(number) : std::nullopt;
}

/// The numbered results of a parameter file that have a journal, the latest first.
std::vector<std::filesystem::path> journaled_results(const std::string& stem) {
  std::vector<std::int64_t> numbers;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("results", none))
    if (const auto number = number_of_journal(entry.path().filename().string(), stem)) numbers.push_back(*number);
  std::sort(numbers.rbegin(), numbers.rend());
  std::vector<std::filesystem::path> results;
  for (const std::int64_t number : numbers) results.push_back(numbered(stem, number));
  return results;
}

/// What the results are a function of, a line each. Not the number of threads.
std::string facts_of(const CommandLine& line, const StudyRecord& study, const std::vector<std::string>& input_sha256) {
  std::string facts;
  for (const auto& [name, value] : build_facts())
    if (!name.ends_with("_version") || name == "lacuna_version" || name == "metric_version" || name == "boost_version")
      facts += fmt::format("{} = {}\n", name, value);
  facts += fmt::format("backend = {}\n", line.backend);
  for (std::size_t i = 0; i < input_sha256.size(); ++i)
    facts += fmt::format("input_{}_sha256 = {}\n", i, input_sha256[i]);
  for (const ResolvedParameter& parameter : study.resolved)
    facts += fmt::format("{} = {}\n", parameter.key, parameter.value);
  return facts;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

struct Target {
  std::filesystem::path file;
  std::unique_ptr<Journal> journal;
};

class TargetFinder {
 public:
  TargetFinder(const CommandLine& line, const StudyRecord& study, const std::vector<std::string>& input_sha256,
               const RunFacts& run)
      : line_(line), run_(run), facts_(facts_of(line, study, input_sha256)) {}

  Target find() const {
    if (!line_.resume) {
      const std::filesystem::path file = line_.output ? *line_.output : next_free_results_path(line_.parameters);
      return {file, Journal::begin(file, identity(file))};
    }
    if (line_.output) return resume(*line_.output);
    std::exception_ptr refusal;
    for (const std::filesystem::path& file : journaled_results(line_.parameters.stem().string())) try {
        return resume(file);
      } catch (const Error&) {  // another study's, or under way
        if (!refusal) refusal = std::current_exception();
      }
    if (refusal) std::rethrow_exception(refusal);
    return resume(numbered(line_.parameters.stem().string(), 1));
  }

 private:
  RunIdentity identity(const std::filesystem::path& file) const {
    return {.facts = facts_, .replaces = line_.force, .resume_command = resume_command(line_, file, run_)};
  }

  Target resume(const std::filesystem::path& file) const {
    const bool is_begun = is_there(Journal::path_of(file));
    if (!is_begun && is_there(file))
      throw EnvironmentError(fmt::format("{}: is complete: there is nothing to resume", file.string()));
    if (!is_begun && !line_.quiet)
      std::cerr << fmt::format("note: {}: nothing was begun; starts from the beginning\n", file.string());
    Target target{file, Journal::resume(file, identity(file))};
    // a run that was sealed may have published its results; one that replaces results was told to
    const Journal& journal = *target.journal;
    if (is_begun && is_there(file) && journal.sealed().empty() && !journal.replaces())
      throw EnvironmentError(
          fmt::format("{}: exists beside the journal of an unfinished run, which is not its own and would not replace "
                      "it: move it away to go on, or --force starts anew and replaces both",
                      file.string()));
    return target;
  }

  const CommandLine& line_;
  const RunFacts& run_;
  std::string facts_;
};

}  // namespace

std::filesystem::path next_free_results_path(const std::filesystem::path& parameter_file) {
  const std::string stem = parameter_file.stem().string();
  for (std::int64_t number = 1;; ++number) {
    const std::filesystem::path file = numbered(stem, number);
    if (!is_there(file) && !is_there(Journal::path_of(file)) && !PartialFile::is_being_written(file)) return file;
  }
}

std::string resume_command(const CommandLine& line, const std::filesystem::path& output, const RunFacts& run) {
  std::string command;
  for (int i = 0; i < run.argc; ++i) {
    const std::string word = run.argv[i];
    if (word == "--force" || word == "--resume") continue;
    command += quoted(word) + " ";
  }
  if (!line.output) command += "-o " + quoted(output.string()) + " ";
  return command + "--resume";
}

ResultsFile open_results(const CommandLine& line, const StudyRecord& study,
                         const std::vector<std::string>& input_sha256, const RunFacts& run) {
  Target target = TargetFinder(line, study, input_sha256, run).find();
  if (!line.quiet)
    for (const std::string& note : target.journal->notes()) std::cerr << "note: " << note << '\n';
  const bool force = target.journal->replaces();
  const bool deflate = study.experiment.text("compression") == "deflate";
  return {target.file, force, deflate ? Compression::deflate : Compression::none, std::move(target.journal)};
}

}  // namespace lacuna
