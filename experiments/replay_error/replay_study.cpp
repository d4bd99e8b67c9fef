#include "experiments/replay_error/replay_study.hpp"

#include <algorithm>

#include "core/approx/budget.hpp"
#include "experiments/harness/draft_tables.hpp"
#include "experiments/harness/source_check.hpp"
#include "experiments/harness/study_file.hpp"
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
    StudyDraft draft;
    draft.source = read_source(root_, "model", diagnostics_);
    if (const TomlEntry* sweep = find(root_, "sweep")) read_zips(*sweep, draft, diagnostics_);
    record_table(study_, "source", draft.source.set);
    const ParameterSet replay = read_table(root_, "replay", replay_table(), diagnostics_);
    record_table(study_, "replay", replay);
    read_replays(replay);
    read_prefix(draft.source.set);
    if (draft.source.sound) read_source_cells(draft.source);
  }

 private:
  void read_replays(const ParameterSet& replay) {
    for (const ParameterValue& length : values(replay, "length"))
      study_.lengths.push_back(std::get<std::int64_t>(length));
    for (const ParameterValue& name : values(replay, "variant"))
      study_.variants.push_back(&replay_variant(std::get<std::string>(name)));
    study_.hits = values(replay, "hit");
    study_.hit_swept = !study_.hits.empty() && replay.find("hit")->swept;
    for (const ParameterValue& steps : values(replay, "steps")) study_.steps = std::get<std::int64_t>(steps);
  }

  /// The prefix, and whether it has what is replayed of it. What has no legal value is not asked.
  void read_prefix(const ParameterSet& source) {
    if (study_.steps == 0 || values(source, "n").empty()) return;
    const auto n = std::get<std::int64_t>(values(source, "n").front());
    study_.prefix = n - study_.steps;
    if (study_.prefix < 1)
      return refuse("steps", fmt::format("'steps' = {} leaves no prefix: source.n is {}", study_.steps, n));
    const auto within_prefix = [&](const std::string& key, Index tokens, const ParameterValue& as_written) {
      if (tokens > study_.prefix)
        refuse(key, fmt::format("'{}' = {} is more than the prefix, which has {} tokens: source.n is {} and {} are the "
                                "steps",
                                key, to_string(as_written), study_.prefix, n, study_.steps));
    };
    for (const std::int64_t length : study_.lengths) within_prefix("length", length, length);
    for (const ParameterValue& hit : study_.hits) within_prefix("hit", hit_tokens(hit, study_.prefix), hit);
  }

  void read_source_cells(const OwnerDraft& source) {
    std::vector<std::int64_t> sizes = axis_sizes(source);
    for (const std::size_t size : {study_.hits.size(), study_.lengths.size(), study_.variants.size()})
      sizes.push_back(static_cast<std::int64_t>(size));
    if (product(sizes) > kMostCells)
      return refuse("length",
                    fmt::format("the study has {} cells, source and replay multiplied; at most {} are possible",
                                product(sizes), kMostCells));
    study_.source = make_sweep(source, "source_", study_.file.parent_path(), {});
    check_source_cells(study_.places, "model", study_.source, diagnostics_);
  }

  void refuse(const std::string& key, const std::string& message) {
    study_.places.report("replay", {{key, message}}, diagnostics_);
  }

  /// The legal values of a parameter; none where it is missing.
  static std::vector<ParameterValue> values(const ParameterSet& set, std::string_view key) {
    const ReadParameter* parameter = set.find(key);
    return parameter == nullptr ? std::vector<ParameterValue>() : parameter->values;
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
  const StudyTables tables{
      .program = "replay_error", .experiment = common_experiment_table(), .others = {"source", "replay", "sweep"}};
  read_study_file(study, file, settings, tables, [&](const TomlNode::Table& root, Diagnostics& diagnostics) {
    ReplayStudyReader(root, study, diagnostics).read();
  });
  return study;
}

}  // namespace lacuna
