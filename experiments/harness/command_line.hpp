// The flags that every experiment binary has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

struct CommandLine {
  std::filesystem::path parameters;
  std::optional<std::filesystem::path> output;  ///< none: results/<parameter file's name>.h5, numbered
  std::vector<std::string> settings;            ///< --set key=value
  int threads = 0;                              ///< resolved: at least 1
  std::string backend = "cpu";                  ///< cpu | cuda
  bool force = false;
  bool resume = false;
  bool dry_run = false;
  bool quiet = false;
  bool report = false;  ///< a page of figures beside the results file
};

/// What a program says about its parameters.
struct ParameterDocuments {
  std::string (*defaults)();     ///< every parameter with its default, as a commented parameter file
  std::string (*json_schema)();  ///< JSON Schema (draft 2020-12) of a parameter file
  std::string setting;           ///< an example of --set
};

/// Parses argv; nullopt when --help, --version, --print-defaults, --json-schema, --man or --completion was served (exit
/// 0). Throws UsageError; its message ends with a hint at --help.
std::optional<CommandLine> parse_command_line(const std::string& program, const std::string& question,
                                              const ParameterDocuments& documents, int argc, char** argv);

}  // namespace lacuna
