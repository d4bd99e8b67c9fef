// Two paths compared row by row.
//
// The rows of two paths are the same queries, so that their difference, row by row, is free of what makes some queries
// harder than others.
//
// A path's frontier is what it costs (keys read per query) and what it loses in each row, at every swept value. Between
// two swept values a row's loss is read off a straight line in log cost and log loss (in loss itself where one end is
// 0), which a power law follows exactly; outside the swept range there is no value, never an extrapolation.
#pragma once

#include <vector>

#include "analysis/statistics/correlated_mean.hpp"
#include "analysis/statistics/correlated_quantile.hpp"

namespace lacuna {

struct Frontier {
  std::vector<double> cost;                ///< [points], positive, in any order; equal ones: the first counts
  std::vector<std::vector<double>> value;  ///< [points][rows], at least 0; NaN where a row was not measured
};

/// [rows] of the frontier at a cost; NaN in every row where it lies outside the frontier's costs.
std::vector<double> at_cost(const Frontier& frontier, double cost);

struct PairedComparison {
  CorrelatedMean difference;  ///< of first - second, over the rows that both have
  Estimate first_is_lower;    ///< share of those rows in which the first loses less; equal ones count half
};

/// first, second, places [rows]: what each loses (NaN where a row was not measured), and where the rows lie.
PairedComparison compare_rows(const std::vector<double>& first, const std::vector<double>& second,
                              const std::vector<RowPlace>& places, double confidence = kConfidence);

}  // namespace lacuna
