// How every program parses its flags, and its manual page and bash completion, from the same table as these.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace lacuna {

/// Parses the command line. False where a flag such as --help was answered; UsageError, naming the program, where it is
/// wrong.
bool parse_flags(CLI::App& app, int argc, const char* const* argv);

/// Adds --man and --completion.
void add_page_flags(CLI::App& app);
/// Prints what was asked for to stdout; false when neither was. `keys`: what --set completes to; "path.*.window" for a
/// parameter of any [[path]].
bool print_pages(const CLI::App& app, const std::vector<std::string>& keys);

/// man(7), for `PROGRAM --man | man -l -`.
std::string man_page(const CLI::App& app);
/// For `source <(PROGRAM --completion bash)`. In place of a "*" stand the names in the .toml files of the line.
std::string bash_completion(const CLI::App& app, const std::vector<std::string>& keys);

/// The keys that --set takes, of the JSON Schema of a parameter file: "source.n", "path.*.select.k".
std::vector<std::string> setting_keys(const std::string& json_schema);

}  // namespace lacuna
