// What a system knows at run time about one row of a path that opened some of its keys: what it attended, what it
// scored, and the summaries of the blocks of the rest. Certificates are computed from this alone. Scores and outputs
// are the ruler's, read at the keys that the path read and nowhere else; only radii of rounding depend on the largest
// score and value of the whole row.
#pragma once

#include <optional>
#include <vector>

#include "core/certificates/block_summaries.hpp"
#include "core/certificates/log_sum.hpp"
#include "core/metrics/metric.hpp"

namespace lacuna {

/// What is the same for every row of one cell of a path.
struct CertifiedPath {
  std::optional<Index> block_size = {};  ///< of the blocks that it opens by their summaries
  bool scores_candidates = false;        ///< its selection reads the main score of every candidate
  bool takes_best_scores = false;        ///< it attends the best main scores of all: it knows the best of the rest

  /// With formats the stored rows would be certified, not the exact ones, entries of regions are no rows, and no summary
  /// knows the local rows that a replay lost: none of these is certified.
  static CertifiedPath of(const Parameters& path);
};

/// The keys of one block that were not attended.
struct UnreadBlock {
  LogSum z;      ///< of their exponential sum
  double reach;  ///< no value of the block lies farther from what the path attended: ||c_b - õ|| + r_b + a
};

/// Of a path that takes the best scores: the best key that it left out, and where it stands.
struct NextScore {
  Index better = 0;        ///< keys attended that score no less than the best one left out
  Index left_out = 0;      ///< keys left out
  double score_upper = 0;  ///< s_(k+1), raised by its radius
  double gap_lower = 0;    ///< s_(k) - s_(k+1), lowered by the radii of both; 0 where no key is better
};

struct ReadRow {
  LogSum attended;                     ///< of Z_S, the sink included
  std::vector<UnreadBlock> unread;     ///< of a path with block summaries
  std::optional<NextScore> next = {};  ///< of a path that takes the best scores, where it left some out
  Index summary_bytes = 0;             ///< of the summaries that were read, for the KV head
};

/// `row` judges the answer of `profile`'s query; `summaries` are those of its KV head, where the path has a block size.
ReadRow read_row(const ExactProfile& profile, const PathJudgement& row, const CertifiedPath& path,
                 const BlockSummaries* summaries);

}  // namespace lacuna
