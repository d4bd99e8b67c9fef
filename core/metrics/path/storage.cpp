// What keeping the cache in a format did to the row: its part of the output error, how far it moved the scores against
// each other, the sign of the output's error, and what became of the elements of the rows that were attended.
#include <cmath>
#include <limits>

#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

bool stores(const PathTraits& traits) { return traits.stores; }

double mean_error(const PathJudgement& row) {
  CompensatedSum sum;
  for (std::size_t c = 0; c < row.answer->o.size(); ++c) sum.add(row.answer->o[c] - row.exact->o[c]);
  return sum.value() / static_cast<double>(row.answer->o.size());
}

double signal_to_noise(const PathJudgement& row) {
  if (row.stored->noise == 0)
    return row.stored->signal > 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return 10 * std::log10(row.stored->signal / row.stored->noise);
}

const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "output_error_store",
         .units = "1",
         .long_name = "norm of exact output over the attended keys - the path's output",
         .applies = stores,
         .evaluate = [](const PathJudgement& row) { return row.output_error_store.value; }}) &&
    PathMetricRegistry::instance().add(
        {.name = "score_oscillation",
         .units = "nat",
         .long_name = "largest minus smallest score error over the attended keys (0 for a sink)",
         .applies = stores,
         .evaluate = [](const PathJudgement& row) { return row.stored->score_oscillation; }}) &&
    PathMetricRegistry::instance().add(
        {.name = "score_oscillation_bound",
         .units = "nat",
         .long_name = "bound on score_oscillation from the stored bytes alone",
         .applies = stores,
         .evaluate = [](const PathJudgement& row) { return row.stored->oscillation_bound; }}) &&
    PathMetricRegistry::instance().add({.name = "output_error_mean",
                                        .units = "1",
                                        .long_name = "signed mean over channels of the path's output - exact output",
                                        .applies = stores,
                                        .evaluate = mean_error}) &&
    PathMetricRegistry::instance().add(
        {.name = "storage_snr",
         .units = "dB",
         .long_name =
             "10 log10 of the energy of the attended K and V rows over that of their storage errors; +inf where "
             "there is no error",
         .applies = stores,
         .evaluate = signal_to_noise}) &&
    PathMetricRegistry::instance().add(
        {.name = "saturated_elements",
         .units = "1",
         .long_name = "elements of the attended rows that were clipped when stored",
         .quantity = Quantity::count,
         .applies = stores,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.stored->saturated); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "flushed_elements",
         .units = "1",
         .long_name = "elements of the attended rows that were not zero and became zero when stored",
         .quantity = Quantity::count,
         .applies = stores,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.stored->flushed); }});

}  // namespace
}  // namespace lacuna
