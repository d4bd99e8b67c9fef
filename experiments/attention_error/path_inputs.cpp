#include "experiments/attention_error/path_inputs.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "data/base/sha256.hpp"

namespace lacuna {

std::vector<std::string> files_of(const Study& study) {
  std::vector<std::string> files = {study.file.string()};
  for (const StudyPath& path : study.paths)
    for (const Parameters& cell : path.sweep.cells)
      if (cell.has("select.file")) files.push_back(cell.text("select.file"));
  return files;
}

std::vector<std::string> selection_sha256(const Study& study) {
  std::vector<std::string> digests;
  for (const StudyPath& path : study.paths)
    for (const Parameters& cell : path.sweep.cells)
      if (cell.has("select.file")) try {
          digests.push_back(file_sha256(cell.text("select.file")));
        } catch (const EnvironmentError&) {
          digests.emplace_back();
        }
  return digests;
}

const kernels::Backend& choose_backend(const std::string& name) {
  if (name == "cpu") return kernels::plain_backend();
  std::string why_not;
  const kernels::Backend* backend = kernels::cuda_backend(why_not);
  if (backend == nullptr) throw EnvironmentError("--backend cuda: " + why_not);
  return *backend;
}

std::vector<std::vector<std::shared_ptr<const StageInput>>> load_inputs(const std::vector<PathPlan>& plans,
                                                                        const StageContext& context) {
  std::vector<std::vector<std::shared_ptr<const StageInput>>> inputs;
  for (const PathPlan& plan : plans) {
    inputs.emplace_back();
    for (const Parameters& cell : plan.study->sweep.cells) {
      const SelectorKind* kind =
          plan.traits.selects ? &SelectorRegistry::instance().at(cell.text("select.by")) : nullptr;
      inputs.back().push_back(kind != nullptr && kind->load ? kind->load(cell, context) : nullptr);
    }
  }
  return inputs;
}

}  // namespace lacuna
