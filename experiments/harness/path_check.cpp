#include "experiments/harness/path_check.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/approx/index_scorer.hpp"
#include "core/approx/path.hpp"
#include "core/approx/region.hpp"
#include "core/approx/replay_window.hpp"
#include "core/approx/store.hpp"
#include "experiments/harness/parameter_text.hpp"

namespace lacuna {
namespace {

using Faults = std::vector<ParameterFault>;

bool holds(const std::vector<Index>& labels, Index label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// "0, 18, 19 and 3 more".
std::string listed(const std::vector<Index>& labels) {
  constexpr std::size_t kMost = 16;
  std::vector<std::string> words;
  for (const Index label : labels)
    if (words.size() < kMost) words.push_back(fmt::format("{}", label));
  const std::string rest = labels.size() > kMost ? fmt::format(" and {} more", labels.size() - kMost) : "";
  return joined(words, ", ") + rest;
}

/// Labels of "layers" or "heads" that the source does not have.
void check_labels(const Parameters& cell, const std::string& key, const std::vector<Index>& labels, Faults& faults) {
  if (!cell.has(key)) return;
  for (const Index label : cell.get<std::vector<std::int64_t>>(key))
    if (!holds(labels, label))
      faults.push_back(
          {key, fmt::format("names {} {}, which the source does not have; it has {}", key, label, listed(labels))});
}

void check_indexer(const Parameters& cell, const SourceShape& shape, Faults& faults) {
  if (!PathTraits::of(cell).uses_indexer) return;
  const bool selects = cell.has("select.by") && cell.text("select.by") == "indexer";
  if (shape.d_index == 0)
    faults.push_back({selects ? "select.by" : "pool.rank_by",
                      "the source has no lightning indexer (no 'index_q', 'index_k', 'index_weights')"});
  else if (const auto fault = IndexScorer::check(cell, shape.d_index, shape.has_index_slot))
    faults.push_back(*fault);
}

/// Whether the path approximates no layer that has cached rows.
bool is_without_rows(const Parameters& cell, const SourceShape& shape) {
  const std::vector<Index>& layers = cell.has("layers") ? cell.get<std::vector<std::int64_t>>("layers") : shape.layer;
  return std::all_of(layers.begin(), layers.end(), [&](Index label) { return holds(shape.without_rows, label); });
}

/// A result without a difference would read as an approximation without an error. A storage format is no such stage: it
/// is that of local rows as well.
void check_stages_have_rows(const Parameters& cell, const SourceShape& shape, Faults& faults) {
  if (shape.without_rows.empty() || !is_without_rows(cell, shape)) return;
  for (const char* key : {"window", "sink_tokens", "select.by", "pool.blocks", "region.from"}) {
    if (!cell.has(key) || cell.at(key) == ParameterValue(std::int64_t{0})) continue;
    faults.push_back({key, fmt::format("{} changes nothing: the layers that the path approximates have no cached rows, "
                                       "they read their own windows alone",
                                       key)});
  }
}

Faults faults_of_path(const Parameters& cell, const SourceShape& shape, Index last_query) {
  Faults faults;
  check_labels(cell, "layers", shape.layer, faults);
  check_labels(cell, "heads", shape.head, faults);
  if (const auto fault = StoredCache::check(cell, shape.d_qk, shape.d_v, shape.shared_kv, shape.has_local))
    faults.push_back(*fault);
  if (const auto fault = check_regions_of_source(cell, shape.d_qk, shape.d_v, shape.shared_kv))
    faults.push_back(*fault);
  if (const auto fault = check_replay_of_source(cell, shape.has_local, shape.layer, last_query))
    faults.push_back(*fault);
  if (cell.has("pool.from_layer") && !holds(shape.layer, cell.integer("pool.from_layer")))
    faults.push_back(
        {"pool.from_layer", fmt::format("the source does not have this layer; it has {}", listed(shape.layer))});
  check_indexer(cell, shape, faults);
  check_stages_have_rows(cell, shape, faults);
  return faults;
}

/// The most rows that a stage lets through; nothing where the path does not have it or it is a fraction.
std::optional<double> limit_of(const Parameters& cell, const std::string& key) {
  if (!cell.has(key)) return std::nullopt;
  const auto* count = std::get_if<std::int64_t>(&cell.at(key));
  if (count == nullptr) return std::nullopt;
  const auto rows = static_cast<double>(*count);
  return key == "pool.blocks" ? rows * static_cast<double>(cell.integer("pool.block_size")) : rows;
}

/// The least of the limits of all cells; nothing where some cell has none.
std::optional<double> least_limit(const StudyPath& path, const std::string& key) {
  double least = std::numeric_limits<double>::infinity();
  for (const Parameters& cell : path.sweep.cells) {
    const auto limit = limit_of(cell, key);
    if (!limit) return std::nullopt;
    least = std::min(least, *limit);
  }
  return least;
}

}  // namespace

void check_paths(const Study& study, const std::vector<SourceShape>& shapes, const std::vector<Index>& last_query) {
  Diagnostics diagnostics(study.file.string());
  for (const StudyPath& path : study.paths)
    for (const Parameters& cell : path.sweep.cells)
      for (std::size_t source = 0; source < shapes.size(); ++source)
        study.places.report("path." + path.name, faults_of_path(cell, shapes[source], last_query[source]), diagnostics);
  diagnostics.throw_if_any();
}

std::vector<std::string> path_notes(const Study& study, const std::vector<SourceShape>& shapes) {
  Index most_keys = 0;
  for (const SourceShape& shape : shapes) most_keys = std::max(most_keys, shape.keys);
  std::vector<std::string> notes;
  for (const StudyPath& path : study.paths)
    if (std::ranges::all_of(path.sweep.cells, [](const Parameters& cell) {
          return ReplayWindow::wanted(cell) && cell.integer("replay.length") == cell.integer("replay.prefix");
        }))
      notes.push_back(fmt::format("[[path]] \"{}\": replay.length is the whole prefix: no row is lost", path.name));
  for (const StudyPath& path : study.paths)
    for (const char* key : {"window", "sink_tokens", "select.k", "pool.blocks"}) {
      const auto limit = least_limit(path, key);
      if (limit && *limit > 0 && *limit >= static_cast<double>(most_keys))
        notes.push_back(
            fmt::format("[[path]] \"{}\": {} leaves out no row in any cell: the source has {} rows and it "
                        "lets {} through",
                        path.name, key, most_keys, *limit));
    }
  return notes;
}

}  // namespace lacuna
