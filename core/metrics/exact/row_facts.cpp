// What the ruler itself found for the row.
#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

using Coordinate = std::span<const std::int64_t>;

const bool registered =
    ExactMetricRegistry::instance().add(
        {.name = "log_sum_exp",
         .units = "nat",
         .long_name = "log of the sum of exp(score) over visible keys and sink",
         .evaluate = [](const ExactProfile& p, Coordinate, std::span<double> out) { out[0] = p.row->log_sum_exp; }}) &&
    ExactMetricRegistry::instance().add(
        {.name = "output_norm",
         .units = "1",
         .long_name = "Euclidean norm of the exact output",
         .evaluate = [](const ExactProfile& p, Coordinate, std::span<double> out) { out[0] = p.row->o_norm; }}) &&
    ExactMetricRegistry::instance().add({.name = "value_norm_max",
                                         .units = "1",
                                         .long_name = "largest Euclidean norm of a visible value",
                                         .evaluate = [](const ExactProfile& p, Coordinate,
                                                        std::span<double> out) { out[0] = p.row->value_norm_max; }}) &&
    ExactMetricRegistry::instance().add(
        {.name = "visible_keys",
         .units = "1",
         .long_name = "rows that the query sees: cached rows that end at or before its position, and local rows",
         .quantity = Quantity::count,
         .evaluate = [](const ExactProfile& p, Coordinate,
                        std::span<double> out) { out[0] = static_cast<double>(p.row->visible); }}) &&
    ExactMetricRegistry::instance().add(
        {.name = "error_radius",
         .units = "1",
         .long_name = "rigorous bound on the norm of the exact output's own rounding error",
         .evaluate = [](const ExactProfile& p, Coordinate, std::span<double> out) { out[0] = p.row->error_radius; }});

}  // namespace
}  // namespace lacuna
