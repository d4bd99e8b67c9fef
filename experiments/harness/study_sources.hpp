// The sources of a study, one for each cell of its sweep, and what they read.
#pragma once

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "core/base/parameter.hpp"
#include "data/problem_source.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// open(cell, seed) of every cell. Throws one error with the faults of all cells, each at its parameter (Diagnostics).
template <class Open>
auto open_sources(const StudyRecord& study, const Sweep& source, const Open& open) {
  const auto seed = static_cast<std::uint64_t>(study.experiment.integer("seed"));
  std::vector<decltype(open(source.cells.front(), seed))> sources;
  Diagnostics diagnostics(study.file.string());
  for (const Parameters& cell : source.cells) {
    std::vector<ParameterFault> faults;
    collect_faults(faults, "kind", [&] { sources.push_back(open(cell, seed)); });
    study.places.report("source", faults, diagnostics);
  }
  diagnostics.throw_if_any();
  return sources;
}

/// Files, and a digest for each source.
struct SourceInputs {
  std::vector<std::string> files;
  std::vector<std::string> sha256;
};

template <class Source>
SourceInputs inputs_of(const std::vector<std::unique_ptr<Source>>& sources) {
  SourceInputs inputs;
  for (const auto& source : sources) {
    for (const std::string& file : source->input_files()) inputs.files.push_back(file);
    inputs.sha256.push_back(source->input_sha256());
  }
  return inputs;
}

/// To stderr.
inline void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::cerr << "note: " << note << '\n';
}
inline void print_notes(const ProblemSource& source) { print_notes(source.notes()); }

}  // namespace lacuna
