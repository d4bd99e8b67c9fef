// How far the output moved: the product forms of path_judgement.hpp, with the radius of the total.
#include <cmath>
#include <limits>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

double relative(const PathJudgement& row) {
  const double error = row.output_error.value;
  if (error == 0) return 0;
  return row.exact->o_norm > 0 ? error / row.exact->o_norm : std::numeric_limits<double>::infinity();
}

const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "output_error",
         .units = "1",
         .long_name = "Euclidean norm of exact output - output over what the path attends; for a "
                      "pure truncation omitted_mass * ||mean omitted value - mean attended value||",
         .any_support = true,
         .evaluate = [](const PathJudgement& row) { return row.output_error.value; }}) &&
    PathMetricRegistry::instance().add({.name = "output_error_relative",
                                        .units = "1",
                                        .long_name = "output_error / norm of the exact output",
                                        .any_support = true,
                                        .evaluate = relative}) &&
    PathMetricRegistry::instance().add(
        {.name = "output_error_replay",
         .units = "1",
         .long_name = "norm of exact output - exact output without the local rows that the replay did not make anew",
         .applies = [](const PathTraits& traits) { return traits.replays; },
         .evaluate = [](const PathJudgement& row) { return row.output_error_replay.value; }}) &&
    PathMetricRegistry::instance().add(
        {.name = "output_error_pool",
         .units = "1",
         .long_name = "norm of exact output - exact output over pool, window and sink tokens",
         .applies = [](const PathTraits& traits) { return traits.has_pool; },
         .evaluate = [](const PathJudgement& row) { return row.output_error_pool.value; }}) &&
    PathMetricRegistry::instance().add(
        {.name = "output_error_selection",
         .units = "1",
         .long_name = "norm of exact output over what is within reach - exact output over the attended keys",
         .evaluate = [](const PathJudgement& row) { return row.output_error_selection.value; }}) &&
    PathMetricRegistry::instance().add({.name = "error_radius",
                                        .units = "1",
                                        .long_name = "rigorous bound on the rounding error of output_error",
                                        .any_support = true,
                                        .evaluate = [](const PathJudgement& row) { return row.output_error.radius; }});

}  // namespace
}  // namespace lacuna
