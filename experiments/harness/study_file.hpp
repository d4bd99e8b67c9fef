// What every study has in common: a parameter file with --set applied, its [experiment], and what is kept of each
// table.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/harness/parameter_set.hpp"
#include "experiments/harness/study.hpp"
#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// The tables of a program's parameter files.
struct StudyTables {
  std::string program;              ///< experiment.kind; "": any
  ParameterTable experiment;        ///< of [experiment]
  std::vector<std::string> others;  ///< those beside it
};

/// Reads the file, its settings and [experiment] into the study; `read` reads the other tables from the root. Throws
/// one error with all that any of them reported (Diagnostics), or that alone that the file is another program's.
void read_study_file(StudyRecord& study, const std::filesystem::path& file, const std::vector<std::string>& settings,
                     const StudyTables& tables,
                     const std::function<void(const TomlNode::Table& root, Diagnostics&)>& read);

/// Keeps what the parameters of the table at an address ("source") came out as, and where they stand.
void record_table(StudyRecord& study, const std::string& address, const ParameterSet& set);

/// The parameters that have one value and no fault.
Parameters values_of(const ParameterSet& set);

}  // namespace lacuna
