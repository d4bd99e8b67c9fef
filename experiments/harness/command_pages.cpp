#include "experiments/harness/command_pages.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <iostream>
#include <set>

#include "core/base/error.hpp"
#include "experiments/harness/provenance.hpp"

namespace lacuna {
namespace {

/// Text in roff: backslashes, hyphens, and dots or quotes at the start of a line are not commands.
std::string roff(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) result.append("\\&");
    if (c == '\\')
      result.append("\\e");
    else if (c == '-')
      result.append("\\-");
    else
      result.push_back(c);
  }
  return result;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0 && !option.get_type_name().empty(); }

/// "-o, --output TEXT"; the name alone for a positional.
std::string option_title(const CLI::Option& option) {
  if (!option.nonpositional()) return option.get_name(true);
  std::string title;
  for (const std::string& name : option.get_snames()) title += fmt::format("{}-{}", title.empty() ? "" : ", ", name);
  for (const std::string& name : option.get_lnames()) title += fmt::format("{}--{}", title.empty() ? "" : ", ", name);
  return takes_value(option) ? fmt::format("{} {}", title, option.get_type_name()) : title;
}

void collect_keys(const nlohmann::json& schema, const std::string& prefix, std::set<std::string>& keys) {
  if (!schema.is_object()) return;
  for (const char* choice : {"oneOf", "anyOf", "allOf"})
    if (schema.contains(choice))
      for (const nlohmann::json& one : schema[choice]) collect_keys(one, prefix, keys);
  if (!schema.contains("properties")) return;
  for (const auto& [name, value] : schema["properties"].items()) {
    if (name == "grid" || name == "powers_of_2") continue;  // a sweep of the parameter above
    const std::string key = fmt::format("{}.{}", prefix, name);
    std::set<std::string> below;
    collect_keys(value, key, below);
    if (below.empty() && name != "name" && name != "kind") below.insert(key);
    keys.merge(below);
  }
}

}  // namespace

bool parse_flags(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {
    app.exit(success);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{0}: {1}\nSee {0} --help.", app.get_name(), error.what()));
  }
}

void add_page_flags(CLI::App& app) {
  app.add_flag("--man")->description("Print the manual page and exit: --man | man -l -");
  app.add_option("--completion")
      ->description("Print completions for a shell and exit: source <(PROGRAM --completion bash)")
      ->type_name("SHELL")
      ->expected(1)
      ->check(CLI::IsMember({"bash"}));
}

bool print_pages(const CLI::App& app, const std::vector<std::string>& keys) {
  if (app.get_option("--man")->count() > 0)
    std::cout << man_page(app);
  else if (app.get_option("--completion")->count() > 0)
    std::cout << bash_completion(app, keys);
  else
    return false;
  return true;
}

std::string man_page(const CLI::App& app) {
  std::string text =
      fmt::format(".TH \"{0}\" 1 \"\" \"{1}\" \"Lacuna\"\n.SH NAME\n{0} \\- {2}\n.SH SYNOPSIS\n.B {0}\n[OPTIONS]",
                  app.get_name(), roff(version_text()), roff(app.get_description()));
  for (const CLI::Option* option : app.get_options())
    if (!option->nonpositional()) text += fmt::format(" {}", roff(option->get_name(true)));
  text += "\n.SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options())
    text += fmt::format(".TP\n.B {}\n{}\n", roff(option_title(*option)), roff(option->get_description()));
  return text + fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(app.get_footer()));
}

std::string bash_completion(const CLI::App& app, const std::vector<std::string>& keys) {
  std::string flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) flags += fmt::format("{}--{}", flags.empty() ? "" : " ", name);
  std::string settings;
  for (const std::string& key : keys) settings += fmt::format("{}'{}='", settings.empty() ? "" : " ", key);
  return fmt::format(R"bash(_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} file key name
  local -a keys=() known=({1})
  COMPREPLY=()
  if [[ $before == --set ]]; then
    for key in "${{known[@]}}"; do
      if [[ $key != *'*'* ]]; then keys+=("$key"); continue; fi
      for file in "${{COMP_WORDS[@]}}"; do
        if [[ $file != *.toml || ! -f $file ]]; then continue; fi
        while IFS= read -r name; do keys+=("${{key/\*/$name}}"); done < \
          <(sed -n 's/^[[:blank:]]*name[[:blank:]]*=[[:blank:]]*"\([A-Za-z0-9_]*\)".*/\1/p' "$file")
      done
    done
    mapfile -t COMPREPLY < <(compgen -W "${{keys[*]}}" -- "$word")
    compopt -o nospace 2>/dev/null
  elif [[ $before == --backend ]]; then
    mapfile -t COMPREPLY < <(compgen -W "cpu cuda" -- "$word")
  elif [[ $before == --completion ]]; then
    mapfile -t COMPREPLY < <(compgen -W "bash" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "{2}" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _{0} {0}
)bash",
                     app.get_name(), settings, flags);
}

std::vector<std::string> setting_keys(const std::string& json_schema) {
  std::set<std::string> keys;
  const nlohmann::json schema = nlohmann::json::parse(json_schema);
  for (const auto& [owner, table] : schema.at("properties").items()) {
    if (owner == "sweep" || owner == "schema") continue;  // structure, not a value
    if (table.contains("items"))
      collect_keys(table["items"], fmt::format("{}.*", owner), keys);
    else
      collect_keys(table, owner, keys);
  }
  return {keys.begin(), keys.end()};
}

}  // namespace lacuna
