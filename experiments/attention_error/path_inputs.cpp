#include "experiments/attention_error/path_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/approx/index_scorer.hpp"
#include "core/approx/region.hpp"
#include "core/approx/replay_window.hpp"
#include "core/base/error.hpp"
#include "data/base/sha256.hpp"

namespace lacuna {
namespace {

/// "layers" and "heads" of a path must name labels that the source has.
void check_labels(const Study& study, const SourceShape& shape) {
  const auto check = [&](const StudyPath& path, const char* key, const std::vector<Index>& labels) {
    const Parameters& cell = path.sweep.cells.front();
    if (!cell.has(key)) return;
    for (const Index label : cell.get<std::vector<std::int64_t>>(key))
      if (std::find(labels.begin(), labels.end(), label) == labels.end())
        throw UsageError(fmt::format("{}: error: [[path]] \"{}\" names {} {}, which the source does not have",
                                     study.file.string(), path.name, key, label));
  };
  for (const StudyPath& path : study.paths) {
    check(path, "layers", shape.layer);
    check(path, "heads", shape.head);
  }
}

/// Why a path does not suit a source.
std::optional<ParameterFault> check_path_of_source(const Parameters& cell, const SourceShape& shape, Index last_query) {
  if (const auto fault = StoredCache::check(cell, shape.d_qk, shape.d_v, shape.shared_kv, shape.has_local))
    return fault;
  if (const auto fault = check_regions_of_source(cell, shape.d_qk, shape.d_v, shape.shared_kv)) return fault;
  if (const auto fault = check_replay_of_source(cell, shape.has_local, shape.layer, last_query)) return fault;
  if (cell.has("pool.from_layer") &&
      std::find(shape.layer.begin(), shape.layer.end(), cell.integer("pool.from_layer")) == shape.layer.end())
    return ParameterFault{"pool.from_layer", "the source does not have this layer"};
  if (!PathTraits::of(cell).uses_indexer) return std::nullopt;
  if (shape.d_index == 0)
    return ParameterFault{cell.has("select.by") && cell.text("select.by") == "indexer" ? "select.by" : "pool.rank_by",
                          "the source has no lightning indexer (no 'index_q', 'index_k', 'index_weights')"};
  return IndexScorer::check(cell, shape.d_index, shape.has_index_slot);
}

/// The stages of every path must suit every source cell.
void check_stages(const Study& study, const std::vector<SourceShape>& shapes, const std::vector<Index>& last_query) {
  for (const StudyPath& path : study.paths)
    for (const Parameters& cell : path.sweep.cells)
      for (std::size_t source = 0; source < shapes.size(); ++source)
        if (const auto fault = check_path_of_source(cell, shapes[source], last_query[source]))
          throw UsageError(fmt::format("{}: error: [[path]] \"{}\": {} = {}: {}", study.file.string(), path.name,
                                       fault->key, to_string(cell.at(fault->key)), fault->message));
}

}  // namespace

void check_paths(const Study& study, const std::vector<SourceShape>& shapes, const std::vector<Index>& last_query) {
  check_labels(study, shapes.front());
  check_stages(study, shapes, last_query);
}

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
