// Where attention problems come from. A source kind is one file under data/source: it registers itself with its
// parameters, and is opened once per cell of a sweep.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/problem.hpp"
#include "core/base/parameter.hpp"
#include "core/base/registry.hpp"

namespace lacuna {

/// The extent of a source, known before any problem is loaded.
struct SourceShape {
  std::vector<std::string> sequence;  ///< names: file stems, or "0", "1", ...; unique
  std::vector<Index> layer;           ///< the model's own numbers, ascending and unique
  std::vector<Index> head;            ///< the model's own query head numbers, unique
  std::vector<Index> kv_head;         ///< [head] the KV head (within the problem) that each query head reads
  std::vector<Index> query_position;  ///< [query], strictly ascending
  Index keys = 0;
  Index d_qk = 0;
  Index d_v = 0;
  bool has_sink = false;
  bool shared_kv = false;                ///< K = V is one shared state
  bool has_local = false;                ///< local rows beside the cache
  Index d_index = 0;                     ///< width of index vectors; 0: no layer has an indexer
  bool has_index_slot = false;           ///< some layer's index keys can lie in another layer's slot
  std::vector<Index> without_rows = {};  ///< layers, by label, that have no cached rows: they read their windows alone
};

class ProblemSource {
 public:
  virtual ~ProblemSource() = default;
  virtual const SourceShape& shape() const = 0;
  /// The problem of one sequence and layer, both by index. Thread-safe; the same indices give the same bits.
  virtual AttentionProblem load(Index sequence, Index layer) const = 0;
  /// SHA-256 of what was read, over all files in order (sha256_of_digests); empty for a synthetic source.
  virtual std::string input_sha256() const { return {}; }
  /// Paths of the files that are read; none for a synthetic source.
  virtual std::vector<std::string> input_files() const { return {}; }
  /// What whoever made the input may want to know, one sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
};

struct SourceKind {
  std::string name = {};
  std::string sentence = {};
  std::vector<ParameterSpec> parameters = {};
  /// Legal values that do not go together; may be absent.
  std::function<std::vector<ParameterFault>(const Parameters&)> check = {};
  /// `seed` is the experiment's. File parameters are already resolved paths.
  std::function<std::unique_ptr<ProblemSource>(const Parameters&, std::uint64_t seed)> open = {};
};

using SourceRegistry = Registry<SourceKind>;

}  // namespace lacuna
