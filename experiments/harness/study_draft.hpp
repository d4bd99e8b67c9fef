// What a parameter file holds, read against the parameter table, before any sweep is multiplied out.
#pragma once

#include <string>
#include <vector>

#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/parameter_set.hpp"
#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// Keys that walk together along one axis; the first names it.
using Zip = std::vector<std::string>;

/// [source] or one [[path]].
struct OwnerDraft {
  std::string address;  ///< what full keys begin with: "source", "path.top_k"
  std::string name;     ///< of a path
  ParameterSet set;
  std::vector<Zip> zips;
  bool sound = true;    ///< no error was found in it
  int referenced = -1;  ///< number of the path whose selection it reads; -1 for none
};

struct StudyDraft {
  OwnerDraft source;
  std::vector<OwnerDraft> paths;
};

/// The tables beside [experiment]. Reports everything that is wrong with them and their values, and with how they refer
/// to each other. `source_kind`: the one kind of source that may be; "": any.
StudyDraft read_draft(const TomlNode::Table& root, const std::string& source_kind, Diagnostics& diagnostics);

/// The key of a selector kind "path" that names the path whose selection is read.
inline constexpr std::string_view kReferenceKey = "select.path";

}  // namespace lacuna
