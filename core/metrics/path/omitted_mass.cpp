// omitted_mass = sum of the exact weights of the keys that were not attended, summed from those keys; split into local
// rows that a replay lost, what the pool put out of reach and what the selection left inside it:
// omitted_mass = replay + pool + selection.
#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

const bool registered =
    PathMetricRegistry::instance().add({.name = "omitted_mass",
                                        .units = "1",
                                        .long_name = "exact attention mass of the keys that were not attended",
                                        .evaluate = [](const PathJudgement& row) { return row.delta; }}) &&
    PathMetricRegistry::instance().add(
        {.name = "omitted_mass_replay",
         .units = "1",
         .long_name = "exact attention mass of the local rows that the replay did not make anew",
         .applies = [](const PathTraits& traits) { return traits.replays; },
         .evaluate = [](const PathJudgement& row) { return row.delta_replay; }}) &&
    PathMetricRegistry::instance().add(
        {.name = "omitted_mass_pool",
         .units = "1",
         .long_name = "exact attention mass of the keys outside pool, window and sink tokens",
         .applies = [](const PathTraits& traits) { return traits.has_pool; },
         .evaluate = [](const PathJudgement& row) { return row.delta_pool; }}) &&
    PathMetricRegistry::instance().add(
        {.name = "omitted_mass_selection",
         .units = "1",
         .long_name = "exact attention mass of the keys within reach that were not attended",
         .evaluate = [](const PathJudgement& row) { return row.delta_selection; }});

}  // namespace
}  // namespace lacuna
