// Notes on what stands in a trace file and is not read: mostly names that were misspelled.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lacuna {

/// Names in the root of a file: datasets (or tensors, or anything else that a link leads to), and attributes (or
/// entries of __metadata__).
struct NamesInFile {
  std::vector<std::string> datasets;
  std::vector<std::string> attributes;
};

/// The most notes that one file gets; the last one counts those that are left out.
inline constexpr std::size_t kMostNotes = 9;

/// "dataset 'sink_logits' is not read; did you mean 'sink_logit'?", for every dataset that is not read and for
/// attributes whose name is near one that is: other attributes describe the file, and so does `token_id`.
std::vector<std::string> unread_notes(const NamesInFile& names);

}  // namespace lacuna
