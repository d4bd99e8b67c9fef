// Token ids that somebody's tokenizer made: a text file of whole numbers, one sequence a line ('#' begins a comment),
// or an HDF5 file with an integer dataset tokens [sequence, position]. Told apart by content.
#pragma once

#include <string>
#include <vector>

#include "core/attention/rows.hpp"

namespace lacuna {

/// The sequences, each cut after `most` tokens, all of one length, [sequence][token]. InputError naming the file and
/// the line, or the dataset, for what is not an id of at least 0, for sequences that differ in length after the cut,
/// and for a file without any. Reading HDF5 forks, as TraceFile does.
std::vector<std::vector<Index>> read_token_file(const std::string& file, Index most);

}  // namespace lacuna
