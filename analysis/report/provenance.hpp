// Where a results file comes from and what became of its rows.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "analysis/results_reader.hpp"

namespace lacuna {

/// Rows of all paths by their status, 0 to 5.
struct StatusCounts {
  std::array<std::int64_t, 6> of = {};
  std::int64_t rows() const;
  std::int64_t violations() const { return of[3]; }
  std::int64_t failures() const { return of[2]; }
};
/// All zero for files without paths.
StatusCounts count_status(const ResultsReader& reader);

/// The first comment line of the parameter file, without "Question:"; empty where it starts otherwise.
std::string question_of(const ResultsReader& reader);

/// Tables of status, facts and parameters as markup.
std::string provenance_markup(const ResultsReader& reader, const StatusCounts& status);

}  // namespace lacuna
