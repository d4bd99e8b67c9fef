// The recorded numbers of a block of rows, variable by variable, as they go to the file: [variable][head, query,
// width].
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/approx/key_set.hpp"
#include "core/metrics/metric.hpp"

namespace lacuna {

enum class RowStatus : std::uint8_t {
  ok = 0,
  not_run = 1,
  failed = 2,
  bound_violated = 3,
  no_visible_key = 4,
  below_error_radius = 5,
};
inline constexpr const char* kRowStatusMeanings = "ok not_run failed bound_violated no_visible_key below_error_radius";

/// A variable of the table; with a further dimension (rank, distance, slot) a row holds `width` numbers.
struct RowVariable {
  std::string name = {};
  std::string units = {};
  std::string long_name = {};
  Quantity quantity = Quantity::real;
  std::string dimension = {};  ///< empty: one number per row
  Index width = 1;
};

class RowTable {
 public:
  RowTable(std::vector<RowVariable> variables, Index heads, Index queries)
      : variables_(std::move(variables)), queries_(queries), status_(heads * queries) {
    for (const RowVariable& variable : variables_)
      values_.emplace_back(heads * queries * variable.width,
                           variable.quantity == Quantity::real ? std::numeric_limits<double>::quiet_NaN() : 0.0);
  }

  const std::vector<RowVariable>& variables() const { return variables_; }
  std::span<double> at(std::size_t variable, Index head, Index query) {
    const Index width = variables_[variable].width;
    return std::span<double>(values_[variable]).subspan((head * queries_ + query) * width, width);
  }
  RowStatus& status(Index head, Index query) { return status_[head * queries_ + query]; }

  std::span<const double> values(std::size_t variable) const { return values_[variable]; }
  const std::vector<RowStatus>& statuses() const { return status_; }

 private:
  std::vector<RowVariable> variables_;
  Index queries_;
  std::vector<std::vector<double>> values_;
  std::vector<RowStatus> status_;
};

}  // namespace lacuna
