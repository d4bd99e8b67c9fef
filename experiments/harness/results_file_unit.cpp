// Units of work: journaled while they run, written again from the journal where an earlier run finished them.
#include <cstring>

#include "core/base/error.hpp"
#include "experiments/harness/results_file_state.hpp"

namespace lacuna {

void ResultsFile::State::replay(const Slab& slab) {
  for (const auto& variable : variables) {
    if (variable->path != slab.path) continue;
    const auto bytes = static_cast<std::size_t>(hdf5::bytes_of(variable->type));
    std::vector<double> aligned(slab.values.size() / sizeof(double) + 1);  // for numbers of any type
    std::memcpy(aligned.data(), slab.values.data(), slab.values.size());
    return variable->write(slab.start, slab.count, slab.type, aligned.data(), slab.values.size() / bytes);
  }
  throw InternalError(fmt::format("{}: the journal knows a variable {} that this run does not have",
                                  partial.file().string(), slab.path));
}

bool ResultsFile::unit(std::string_view key, const std::function<void()>& work) {
  State& state = *state_;
  LACUNA_ASSERT(!state.in_unit && state.units.emplace(key).second);
  if (!state.journal) {
    work();
    return true;
  }
  if (state.journal->holds(key)) {
    state.journal->replay(key, [&](const Slab& slab) { state.replay(slab); });
    return false;
  }
  state.journal->begin_unit(key);
  state.in_unit = true;
  work();
  state.in_unit = false;
  state.journal->end_unit();
  return true;
}

}  // namespace lacuna
