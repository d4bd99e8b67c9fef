// A study: what a parameter file asks for, checked and resolved, before any work.
//
// The file's swept values become axes; the product of a path's axes (zipped keys walk together as one axis) is the
// list of its cells, row-major in the order of the axes. Sources are swept in the same way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/parameter.hpp"
#include "experiments/harness/parameter_places.hpp"

namespace lacuna {

/// A swept value: a dimension of the results file, with one coordinate per key that walks along it.
struct Axis {
  using Index = std::int64_t;
  struct Coordinate {
    std::string name;  ///< "select_k": the key with '.' replaced by '_'
    std::string unit;
    std::string sentence;
    std::vector<ParameterValue> values;  ///< [size], distinct; as written: file names are not resolved
  };
  std::vector<Coordinate> coordinates;  ///< the first one names the dimension; others are zipped with it
  const std::string& name() const { return coordinates.front().name; }
  Index size() const { return static_cast<Index>(coordinates.front().values.size()); }
};

/// A swept parameter set: its axes and the cells of their product.
struct Sweep {
  std::vector<Axis> axes;
  std::vector<Parameters> cells;  ///< row-major over the axes; one cell when nothing is swept
  Parameters fixed;               ///< the values that are the same in every cell, whatever is swept
};

/// A path that reads another path's selection (select.by = "path") has that path's axes first, each coordinate renamed
/// "<that path>_<coordinate>", then its own; its cells hold in the integer "select.path_cell" which cell of the other
/// path they read.
struct StudyPath {
  std::string name;
  Sweep sweep;  ///< keys "window", "sink_tokens", "layers", "heads", "select.by", "select.k", "pool.blocks", ...
};

/// One line of "what every parameter came out as": key, value and whether the file gave it.
struct ResolvedParameter {
  std::string key;     ///< "experiment.seed", "source.n", "path.top_k.select.k"
  std::string value;   ///< as in a parameter file, strings in quotes; swept values as "[8, 16, 32]"; "" when unset
  bool given = false;  ///< by the file or a setting, not by default
};

/// What a study of any experiment leaves in its results.
struct StudyRecord {
  std::filesystem::path file;               ///< the parameter file
  std::string text;                         ///< verbatim
  Parameters experiment;                    ///< keys "kind", "seed", ...
  std::vector<ResolvedParameter> resolved;  ///< in the order of the table
  ParameterPlaces places;                   ///< of all parameters
};

struct Study : StudyRecord {
  std::string source_kind;
  Sweep source;  ///< keys "kind", "n", ...
  std::vector<StudyPath> paths;
};

/// What of the parameter table a program runs.
struct StudyRules {
  std::string program = {};  ///< experiment.kind of its files; "": any
  std::string source = {};   ///< the one kind of source that it runs; "": any
};

/// Reads, checks and resolves a parameter file. `settings` are the --set arguments, "path.top_k.select.k=64".
/// Throws UsageError whose message holds every error found, one per line, "file:line:col: error: ...", or that alone
/// that the file is another program's; LocatedError where all of them lie in files that it names.
Study read_study(const std::filesystem::path& file, const std::vector<std::string>& settings,
                 const StudyRules& rules = {});

/// Every parameter of a study of `program` with its default, as a commented parameter file that runs: over a source of
/// the given kind, with one path.
std::string print_defaults(const std::string& program, const std::string& source);

/// JSON Schema (draft 2020-12) of a parameter file of `program`, attention_error or model_divergence.
std::string json_schema(const std::string& program);

}  // namespace lacuna
