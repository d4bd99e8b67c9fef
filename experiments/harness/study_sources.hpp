// The sources of a study, one for each cell of its sweep, and what they read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "data/problem_source.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// open(cell, seed) of every cell. A UsageError of it is one of the parameter file.
template <class Open>
auto open_sources(const StudyRecord& study, const Sweep& source, const Open& open) {
  const auto seed = static_cast<std::uint64_t>(study.experiment.integer("seed"));
  std::vector<decltype(open(source.cells.front(), seed))> sources;
  for (const Parameters& cell : source.cells) try {
      sources.push_back(open(cell, seed));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: error: {}", study.file.string(), error.what()));
    }
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

/// Notes of a source, to stderr.
inline void print_notes(const ProblemSource& source) {
  for (const std::string& note : source.notes()) std::cerr << "note: " << note << '\n';
}

}  // namespace lacuna
