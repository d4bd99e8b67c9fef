#include "experiments/replay_error/replay_study.hpp"

#include <algorithm>

#include "core/approx/budget.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/resolved.hpp"
#include "experiments/harness/settings.hpp"
#include "experiments/harness/source_check.hpp"
#include "experiments/harness/sweep.hpp"
#include "experiments/harness/zip.hpp"
#include "experiments/replay_error/parameters.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMostCells = 1'000'000;  // source cells x replays

Index hit_tokens(const ParameterValue& hit, Index prefix) {
  const auto* fraction = std::get_if<double>(&hit);
  return fraction != nullptr ? fraction_of(*fraction, prefix) : std::get<std::int64_t>(hit);
}

class ReplayStudyReader {
 public:
  ReplayStudyReader(const TomlNode::Table& root, ReplayStudy& study, Diagnostics& diagnostics)
      : root_(root), study_(study), diagnostics_(diagnostics) {}

  void read() {
    const ParameterTable experiment = common_experiment_table();
    read_top_level(root_, {"experiment", "source", "replay", "sweep"}, experiment, diagnostics_);
    study_.resolved.push_back({.key = "schema", .value = "1", .given = true});
    const ParameterSet experiment_set = read_table(root_, "experiment", experiment, diagnostics_);
    study_.experiment = values_of(experiment_set);
    append_resolved(study_.resolved, "experiment.", experiment_set);

    StudyDraft draft;
    draft.source.address = "source";
    const std::size_t errors = diagnostics_.count();
    draft.source.set = read_table(root_, "source", source_table("model"), diagnostics_);
    if (const TomlEntry* sweep = find(root_, "sweep")) read_zips(*sweep, draft, diagnostics_);
    append_resolved(study_.resolved, "source.", draft.source.set);
    const ParameterSet replay = read_table(root_, "replay", replay_table(), diagnostics_);
    append_resolved(study_.resolved, "replay.", replay);
    if (diagnostics_.count() == errors) resolve(draft.source, replay);
  }

 private:
  void resolve(const OwnerDraft& source, const ParameterSet& replay) {
    for (const ParameterValue& length : replay.find("length")->values)
      study_.lengths.push_back(std::get<std::int64_t>(length));
    for (const ParameterValue& name : replay.find("variant")->values)
      study_.variants.push_back(&replay_variant(std::get<std::string>(name)));
    study_.hits = replay.find("hit")->values;
    study_.hit_swept = replay.find("hit")->swept;
    study_.steps = std::get<std::int64_t>(replay.find("steps")->values.front());
    const auto n = std::get<std::int64_t>(source.set.find("n")->values.front());
    study_.prefix = n - study_.steps;
    if (study_.prefix < 1)
      return diagnostics_.error(
          replay.position_of("steps"),
          fmt::format("'steps' = {} in [replay] leaves no prefix: source.n is {}", study_.steps, n));
    for (const ParameterValue& hit : study_.hits)
      if (hit_tokens(hit, study_.prefix) > study_.prefix)
        diagnostics_.error(replay.position_of("hit"),
                           fmt::format("'hit' = {} in [replay] is more than the prefix, which has {} tokens: source.n "
                                       "is {} and {} are the steps",
                                       to_string(hit), study_.prefix, n, study_.steps));
    std::vector<std::int64_t> sizes = axis_sizes(source);
    for (const std::size_t size : {study_.hits.size(), study_.lengths.size(), study_.variants.size()})
      sizes.push_back(static_cast<std::int64_t>(size));
    if (product(sizes) > kMostCells)
      return diagnostics_.error(replay.position_of("length"),
                                fmt::format("the study has {} cells, source and replay multiplied; at most {} are "
                                            "possible",
                                            product(sizes), kMostCells));
    study_.source = make_sweep(source, "source_", study_.file.parent_path(), {});
    check_source_cells(source.set, "model", study_.source, diagnostics_);
  }

  const TomlNode::Table& root_;
  ReplayStudy& study_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<ReplayCell> ReplayStudy::cells() const {
  std::vector<ReplayCell> cells;
  const Index of_one_hit = static_cast<Index>(lengths.size() * variants.size());
  for (const ParameterValue& hit : hits)
    for (const std::int64_t length : lengths)
      for (const ReplayVariant* variant : variants) {
        const Index number = static_cast<Index>(cells.size());
        cells.push_back(
            {.variant = variant,
             .extents = {.tokens = prefix, .length = length, .hit = variant->from_hit ? hit_tokens(hit, prefix) : 0},
             .same_as = variant->from_hit ? number : number % of_one_hit});
      }
  return cells;
}

ReplayStudy read_replay_study(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  ReplayStudy study;
  study.file = file;
  TomlDocument document = read_toml(file);
  study.text = std::move(document.text);
  Diagnostics diagnostics(file.string());
  apply_settings(document.root, settings, diagnostics);
  LACUNA_ASSERT(document.root.table() != nullptr);
  const auto leave = [&](const std::string& key, const std::string& program, const std::string& wanted) {
    const std::string kind = text_at(*document.root.table(), key);
    if (!kind.empty() && kind != wanted)
      throw UsageError(fmt::format("{}: error: {} is \"{}\"; {} \"{}\"", file.string(), key, kind, program, wanted));
  };
  leave("experiment.kind", "this program runs", "replay_error");
  leave("source.kind", "replay_error runs a", "model");
  ReplayStudyReader(*document.root.table(), study, diagnostics).read();
  diagnostics.throw_if_any();
  return study;
}

}  // namespace lacuna
