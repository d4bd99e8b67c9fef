#include "experiments/harness/command_line.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <thread>

#include "core/base/error.hpp"
#include "experiments/harness/command_pages.hpp"
#include "experiments/harness/provenance.hpp"

namespace lacuna {

std::optional<CommandLine> parse_command_line(const std::string& program, const std::string& question,
                                              const ParameterDocuments& documents, int argc, char** argv) {
  CommandLine line;
  CLI::App app(question, program);
  std::string output;
  bool defaults = false;
  bool schema = false;
  app.add_option("PARAMS.toml", line.parameters, "The parameter file: what to measure");
  const CLI::Option* const named =
      app.add_option("-o,--output", output, "Results file; default results/<PARAMS>.h5, numbered where it exists");
  app.add_option("--set", line.settings, "Override a parameter: key=value, e.g. " + documents.setting)
      ->allow_extra_args(false);
  app.add_option("--threads", line.threads, "Worker threads; default: the number of cores")->check(CLI::Range(1, 1024));
  app.add_option("--backend", line.backend, "Where paths compute: cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  CLI::Option* const force = app.add_flag(
      "--force", line.force, "Replace an existing results file; start anew where an unfinished run left a journal");
  app.add_flag("--resume", line.resume,
               "Go on where an earlier run ended before its time: with -o that one's, else the latest unfinished one "
               "of results/<PARAMS>.h5, -2, ...; starts where there is neither journal nor results")
      ->excludes(force);
  app.add_flag("--dry-run", line.dry_run, "Check everything, print what would run, write nothing");
  app.add_flag("--quiet", line.quiet, "No progress, no notes");
  app.add_flag("--report", line.report, "Write figures beside the results file, as a page: RESULTS.html");
  app.add_flag("--print-defaults", defaults, "Print every parameter with its default and exit");
  app.add_flag("--json-schema", schema, "Print the JSON Schema of a parameter file and exit");
  app.set_version_flag("--version", version_text());
  add_page_flags(app);
  app.footer(
      fmt::format("Exit codes: 0 ok, 1 a bound was violated, 2 usage or parameters, 3 input data,\n"
                  "4 environment, 5 internal, 130/143 interrupted (what is finished is kept: --resume).\n\n"
                  "Examples:\n"
                  "  {0} study.toml\n"
                  "  {0} study.toml --set {1} -o /data/other.h5\n"
                  "  {0} study.toml -o /data/long.h5 --resume\n"
                  "  {0} --print-defaults > study.toml",
                  program, documents.setting));
  if (!parse_flags(app, argc, argv)) return std::nullopt;
  if (named->count() > 0 && output.empty())
    throw UsageError(fmt::format("{0}: --output: the name is empty\nSee {0} --help.", program));
  if (print_pages(app, setting_keys(documents.json_schema()))) return std::nullopt;
  if (defaults) std::cout << documents.defaults();
  if (schema) std::cout << documents.json_schema();
  if (defaults || schema) return std::nullopt;
  if (line.parameters.empty())
    throw UsageError(fmt::format("{0}: a parameter file is needed\nSee {0} --help.", program));
  if (!output.empty()) line.output = output;
  if (line.threads == 0) line.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return line;
}

}  // namespace lacuna
