// trace: the queries, keys and values of a real model, from files; one file is one sequence.
#include <fmt/format.h>

#include <mutex>
#include <set>
#include <utility>

#include "data/base/file_identity.hpp"
#include "data/base/sha256.hpp"
#include "data/problem_source.hpp"
#include "data/trace/trace_file.hpp"

namespace lacuna {
namespace {

/// File stems, "-2", "-3", ... added to those that occurred before.
std::vector<std::string> unique_names(const std::vector<TraceFile>& traces) {
  std::set<std::string> stems;
  for (const TraceFile& trace : traces) stems.insert(trace.file().stem().string());
  std::set<std::string> used;
  std::vector<std::string> names;
  for (const TraceFile& trace : traces) {
    const std::string stem = trace.file().stem().string();
    std::string name = stem;
    for (int i = 2; used.contains(name) || (name != stem && stems.contains(name)); ++i)
      name = fmt::format("{}-{}", stem, i);
    used.insert(name);
    names.push_back(name);
  }
  return names;
}

[[noreturn]] void refuse_pair(const TraceFile& a, const TraceFile& b, const std::string& what) {
  throw InputError(fmt::format("{} and {} differ in {}: traces of one study must have it in common", a.file().string(),
                               b.file().string(), what));
}

void check_number(const TraceFile& a, const TraceFile& b, const char* what, Index in_a, Index in_b) {
  if (in_a != in_b) refuse_pair(a, b, fmt::format("{} ({} and {})", what, in_a, in_b));
}

void check_list(const TraceFile& a, const TraceFile& b, const char* what, const std::vector<Index>& in_a,
                const std::vector<Index>& in_b) {
  for (std::size_t i = 0; i < std::min(in_a.size(), in_b.size()); ++i)
    if (in_a[i] != in_b[i]) refuse_pair(a, b, fmt::format("{} ({} and {} at index {})", what, in_a[i], in_b[i], i));
}

/// Sequences are one dimension of the results: everything but the numbers in the tensors, the scale and the positions
/// of the keys is common to all.
void check_same_shape(const TraceFile& a, const TraceFile& b) {
  const TraceHeader& x = a.header();
  const TraceHeader& y = b.header();
  check_number(a, b, "the number of layers", x.sizes.layers, y.sizes.layers);
  check_number(a, b, "the number of heads", x.sizes.heads, y.sizes.heads);
  check_number(a, b, "the number of KV heads", x.sizes.kv_heads, y.sizes.kv_heads);
  check_number(a, b, "the number of queries", x.sizes.queries, y.sizes.queries);
  check_number(a, b, "the number of keys", x.sizes.keys, y.sizes.keys);
  check_number(a, b, "d_qk", x.sizes.d_qk, y.sizes.d_qk);
  check_number(a, b, "d_v", x.d_v(), y.d_v());
  check_number(a, b, "whether 'sink_logit' exists", x.sizes.has_sink ? 1 : 0, y.sizes.has_sink ? 1 : 0);
  check_number(a, b, "whether 'v' is absent", x.sizes.shared_kv ? 1 : 0, y.sizes.shared_kv ? 1 : 0);
  check_number(a, b, "whether 'k_local' exists", x.local_window > 0 ? 1 : 0, y.local_window > 0 ? 1 : 0);
  check_number(a, b, "local_window", x.local_window, y.local_window);
  check_number(a, b, "the number of index heads", x.sizes.index_heads, y.sizes.index_heads);
  check_number(a, b, "d_index", x.sizes.d_index, y.sizes.d_index);
  check_list(a, b, "the layers' numbers", x.layer, y.layer);
  check_list(a, b, "the heads' numbers", x.head, y.head);
  check_list(a, b, "query_position", x.query_position, y.query_position);
}

/// Whether keys are single tokens, and some query stands at none of them.
bool asks_behind_its_tokens(const TraceHeader& header) {
  const Index keys = header.sizes.keys;
  return header.local_window == 0 && keys > 0 && header.key_position.front() == 0 &&
         header.key_position.back() == keys - 1 && header.query_position.back() >= keys;
}

class TraceSource final : public ProblemSource {
 public:
  /// ParameterError with the fault of every file.
  explicit TraceSource(const std::vector<std::string>& files) {
    if (files.empty()) throw InputError("no trace file is given");
    std::vector<ParameterFault> faults;
    for (const std::string& file : files)
      collect_faults(faults, "file", [&] {
        traces_.emplace_back(file);
        check_same_shape(traces_.front(), traces_.back());
      });
    require_no_faults(std::move(faults));
    const TraceHeader& header = traces_.front().header();
    shape_.sequence = unique_names(traces_);
    shape_.layer = header.layer;
    shape_.head = header.head;
    for (Index head = 0; head < header.sizes.heads; ++head)
      shape_.kv_head.push_back(head * header.sizes.kv_heads / header.sizes.heads);
    shape_.query_position = header.query_position;
    shape_.keys = header.sizes.keys;
    shape_.d_qk = header.sizes.d_qk;
    shape_.d_v = header.d_v();
    shape_.has_sink = header.sizes.has_sink;
    shape_.shared_kv = header.sizes.shared_kv;
    shape_.has_local = header.local_window > 0;
    shape_.d_index = header.sizes.d_index;
  }

  const SourceShape& shape() const override { return shape_; }

  AttentionProblem load(Index sequence, Index layer) const override { return traces_.at(sequence).load(layer); }

  std::string input_sha256() const override {
    const std::lock_guard lock(digest_mutex_);
    if (!digest_.empty()) return digest_;
    std::vector<std::string> digests;
    for (const TraceFile& trace : traces_) digests.push_back(trace.sha256());
    return digest_ = sha256_of_digests(digests);
  }

  std::vector<std::string> input_files() const override {
    std::vector<std::string> files;
    for (const TraceFile& trace : traces_) files.push_back(trace.file().string());
    return files;
  }

  /// Of every file once, however often it is given.
  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    std::set<std::filesystem::path> seen;
    for (const TraceFile& trace : traces_) {
      if (!seen.insert(trace.file()).second) continue;
      notes.insert(notes.end(), trace.notes().begin(), trace.notes().end());
      if (const TraceHeader& header = trace.header(); asks_behind_its_tokens(header))
        notes.push_back(
            fmt::format("{}: queries stand at positions up to {}, the keys are tokens 0 to {}: those behind "
                        "them are not among the keys",
                        trace.file().string(), header.query_position.back(), header.sizes.keys - 1));
    }
    return notes;
  }

 private:
  std::vector<TraceFile> traces_;
  SourceShape shape_;
  mutable std::mutex digest_mutex_;
  mutable std::string digest_;
};

std::vector<ParameterFault> check_files(const Parameters& source) {
  std::vector<ParameterFault> faults;
  for (const std::string& file : source.get<std::vector<std::string>>("file"))
    collect_faults(faults, "file", [&] { identify(file); });
  return faults;
}

const bool registered = SourceRegistry::instance().add(
    {.name = "trace",
     .sentence = "Queries, keys and values that a real model made, read from HDF5 or safetensors files.",
     .parameters = {{.key = "file",
                     .type = ParameterType::text_list,
                     .required = true,
                     .sweepable = false,
                     .is_path = true,
                     .sentence = "Trace files; several become the dimension `sequence`."}},
     .check = check_files,
     .open = [](const Parameters& parameters, std::uint64_t) {
       return std::make_unique<TraceSource>(parameters.get<std::vector<std::string>>("file"));
     }});

}  // namespace
}  // namespace lacuna
