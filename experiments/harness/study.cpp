#include "experiments/harness/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/approx/path_parameters.hpp"
#include "core/approx/selector.hpp"
#include "experiments/harness/parameter_text.hpp"
#include "experiments/harness/source_check.hpp"
#include "experiments/harness/study_draft.hpp"
#include "experiments/harness/study_file.hpp"
#include "experiments/harness/sweep.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMostCellsOfPath = 1'000'000;  // source cells x path cells
constexpr std::int64_t kMostCells = 10'000'000;       // over all paths

/// From a sound draft to a study; what is unsound in the draft was reported and is left out here.
class StudyBuilder {
 public:
  StudyBuilder(const StudyDraft& draft, Study& study, Diagnostics& diagnostics)
      : draft_(draft), study_(study), diagnostics_(diagnostics), folder_(study.file.parent_path()) {}

  void build() {
    study_.source_kind = draft_.source.set.text("kind");
    record_table(study_, "source", draft_.source.set);
    for (const OwnerDraft& path : draft_.paths) record_table(study_, path.address, path.set);
    if (draft_.source.sound) {
      if (!count_cells(draft_.source, {})) return;
      study_.source = make_sweep(draft_.source, "source_", folder_, {});
      check_source_cells(study_.places, study_.source_kind, study_.source, diagnostics_);
    }
    study_.paths.resize(draft_.paths.size());
    built_.resize(draft_.paths.size(), false);
    for (std::size_t i = 0; i < draft_.paths.size(); ++i) build_path(i);
  }

 private:
  void build_path(std::size_t number) {
    const OwnerDraft& path = draft_.paths[number];
    StudyPath& result = study_.paths[number];
    result.name = path.name;
    ReferencedSweep referenced;
    if (path.referenced >= 0) {
      if (!built_[static_cast<std::size_t>(path.referenced)]) return;
      const StudyPath& other = study_.paths[static_cast<std::size_t>(path.referenced)];
      referenced = {.name = other.name, .sweep = &other.sweep};
    }
    if (!path.sound || !count_cells(path, referenced)) return;
    result.sweep = make_sweep(path, "", folder_, referenced);
    built_[number] = true;
    check_dimensions(path, result.sweep);
    check_cells(path, result.sweep);
  }

  /// Whether the owner's cells are few enough; counted before any is made.
  bool count_cells(const OwnerDraft& owner, const ReferencedSweep& referenced) {
    std::vector<std::int64_t> sizes = axis_sizes(owner);
    if (referenced.sweep != nullptr) sizes.push_back(static_cast<std::int64_t>(referenced.sweep->cells.size()));
    if (!study_.source.cells.empty()) sizes.push_back(static_cast<std::int64_t>(study_.source.cells.size()));
    const std::int64_t cells = product(sizes);
    if (cells > kMostCellsOfPath) {
      std::vector<std::string> factors;
      for (const std::int64_t size : sizes)
        if (size > 1) factors.push_back(std::to_string(size));
      diagnostics_.error(first_swept(owner.set),
                         fmt::format("{} has {} cells; at most {} are possible, source and path "
                                     "multiplied",
                                     owner.set.owner, joined(factors, " x "), kMostCellsOfPath));
      return false;
    }
    if (&owner == &draft_.source) return true;
    const bool fitted = all_cells_ <= kMostCells;
    all_cells_ += cells;
    if (fitted && all_cells_ > kMostCells)
      diagnostics_.error(first_swept(owner.set),
                         fmt::format("the paths up to {} have {} cells, source and path multiplied; at most {} are "
                                     "possible",
                                     owner.set.owner, all_cells_, kMostCells));
    return all_cells_ <= kMostCells;
  }

  static Position first_swept(const ParameterSet& set) {
    const auto swept =
        std::find_if(set.parameters.begin(), set.parameters.end(), [](const auto& p) { return p.swept; });
    return swept == set.parameters.end() ? set.at : swept->at;
  }

  /// Names of dimensions are unique within the path's group and short enough for netCDF.
  void check_dimensions(const OwnerDraft& path, const Sweep& sweep) {
    constexpr std::size_t kLongest = 255;
    std::set<std::string> names;
    for (const Sweep* part : {&std::as_const(study_.source), &sweep}) {
      for (const Axis& axis : part->axes) {
        for (const Axis::Coordinate& coordinate : axis.coordinates) {
          if (!names.insert(coordinate.name).second)
            diagnostics_.error(
                path.set.position_of("name"),
                fmt::format("{} has two dimensions named '{}': rename a path", path.set.owner, coordinate.name));
          if (coordinate.name.size() > kLongest)
            diagnostics_.error(path.set.position_of("name"),
                               fmt::format("{} has a dimension whose name is longer than {} characters: '{}'",
                                           path.set.owner, kLongest, coordinate.name));
        }
      }
    }
  }

  /// Legal values that do not go together, in any cell.
  void check_cells(const OwnerDraft& path, const Sweep& sweep) {
    const std::string selector = path.set.text("select.by");
    const SelectorKind* kind = selector.empty() ? nullptr : SelectorRegistry::instance().find(selector);
    for (const Parameters& cell : sweep.cells) {
      if (kind != nullptr && kind->check) study_.places.report(path.address, kind->check(cell), diagnostics_);
      study_.places.report(path.address, check_path(cell), diagnostics_);
    }
  }

  const StudyDraft& draft_;
  Study& study_;
  Diagnostics& diagnostics_;
  std::filesystem::path folder_;
  std::int64_t all_cells_ = 0;
  std::vector<bool> built_;  // [path]
};

}  // namespace

Study read_study(const std::filesystem::path& file, const std::vector<std::string>& settings, const StudyRules& rules) {
  Study study;
  const StudyTables tables{
      .program = rules.program, .experiment = experiment_table(rules.program), .others = {"source", "path", "sweep"}};
  read_study_file(study, file, settings, tables, [&](const TomlNode::Table& root, Diagnostics& diagnostics) {
    StudyBuilder(read_draft(root, rules.source, diagnostics), study, diagnostics).build();
  });
  return study;
}

}  // namespace lacuna
