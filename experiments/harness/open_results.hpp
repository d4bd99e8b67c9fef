// Where the results of a run go, and whether they are begun or gone on with.
#pragma once

#include <string>
#include <vector>

#include "experiments/harness/command_line.hpp"
#include "experiments/harness/record_provenance.hpp"
#include "experiments/harness/results_file.hpp"
#include "experiments/harness/study.hpp"

namespace lacuna {

/// The results file that the command line asks for, with the journal of its units.
///
/// -o names it; else it is results/<parameter file's name>.h5, then -2, -3, ...: the first that is neither there, nor
/// begun, nor under way. With --resume, -o's unfinished run goes on, or without -o the latest one of this study that no
/// process has under way; where nothing was begun and no results are there, one is begun.
///
/// `input_sha256` of everything that the study reads: with other inputs, parameters or another build of the program, a
/// run is another one. Notes go to stderr unless --quiet.
///
/// Throws as ResultsFile does, EnvironmentError also when a journal is in the way, is damaged or under way, or when
/// --resume finds complete results; UsageError when --resume finds the journal of another run.
ResultsFile open_results(const CommandLine& line, const StudyRecord& study,
                         const std::vector<std::string>& input_sha256, const RunFacts& run);

/// results/<stem>.h5, then <stem>-2.h5, <stem>-3.h5, ... : the first that is free.
std::filesystem::path next_free_results_path(const std::filesystem::path& parameter_file);

/// The command that goes on with the run that argv started.
std::string resume_command(const CommandLine& line, const std::filesystem::path& output, const RunFacts& run);

}  // namespace lacuna
