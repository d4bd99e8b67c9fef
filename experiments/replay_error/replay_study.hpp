// A study of replay_error: a model source and the replays that are tried on its sequences.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/replay_plan.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// One replay of every sequence.
struct ReplayCell {
  const ReplayVariant* variant = nullptr;
  ReplayExtents extents;
  /// The cell that has the same outcome: this one, or that of the first hit where the variant knows no hit.
  Index same_as = 0;
};

struct ReplayStudy : StudyRecord {
  Sweep source;                                ///< cells of kind "model"
  std::vector<std::int64_t> lengths;           ///< R, in the order of the file
  std::vector<const ReplayVariant*> variants;  ///< in the order of the file
  std::vector<ParameterValue> hits;            ///< as written: counts or fractions
  bool hit_swept = false;
  Index steps = 0;
  Index prefix = 0;  ///< N, tokens of a sequence before the steps

  /// Row-major over hits, lengths, variants.
  std::vector<ReplayCell> cells() const;
};

/// As read_study().
ReplayStudy read_replay_study(const std::filesystem::path& file, const std::vector<std::string>& settings);

}  // namespace lacuna
