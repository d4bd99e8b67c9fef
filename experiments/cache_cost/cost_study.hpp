// A study of cache_cost: architectures, each a described model and the storage of its cache, and contexts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/cost/storage_policy.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

struct Architecture {
  std::string name;
  ModelDescription model;
  StoragePolicy storage;
  std::string against;    ///< the architecture whose costs it is compared with; empty: none
  Parameters parameters;  ///< what is set, "name" left out
};

struct CostStudy : StudyRecord {
  std::vector<Index> contexts;  ///< tokens, in the order of the file
  std::vector<Architecture> architectures;
};

/// As read_study().
CostStudy read_cost_study(const std::filesystem::path& file, const std::vector<std::string>& settings);

}  // namespace lacuna
