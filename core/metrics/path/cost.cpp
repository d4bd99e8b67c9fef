// What the path read, as it happened; never what was configured. Bytes are those of the query head's KV head: the union
// over its query heads, the same number on each of them, so a sum over heads counts them once per query head.
#include "core/metrics/metric.hpp"

namespace lacuna {
namespace {

bool reads_summaries(const PathTraits& traits) { return traits.reads_summaries; }
bool uses_indexer(const PathTraits& traits) { return traits.uses_indexer; }

const bool registered =
    PathMetricRegistry::instance().add(
        {.name = "keys_scored",
         .units = "1",
         .long_name = "keys whose score was computed, to choose or to attend",
         .quantity = Quantity::count,
         .any_support = true,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.answer->keys_scored); }}) &&
    PathMetricRegistry::instance().add({.name = "keys_attended",
                                        .units = "1",
                                        .long_name = "keys, or entries of several keys, in the softmax, each once",
                                        .quantity = Quantity::count,
                                        .any_support = true,
                                        .evaluate =
                                            [](const PathJudgement& row) {
                                              return static_cast<double>(row.answer->kept.size()) +
                                                     static_cast<double>(row.answer->entries);
                                            }}) &&
    PathMetricRegistry::instance().add(
        {.name = "bytes_read_main",
         .units = "byte",
         .long_name = "bytes of K and V rows read by the KV head: the union over its query heads, repeated on each",
         .quantity = Quantity::count,
         .any_support = true,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.answer->bytes_read_main); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "bytes_read_summary",
         .units = "byte",
         .long_name = "bytes of block summaries or value norms read by the KV head, repeated on each query head",
         .quantity = Quantity::count,
         .applies = reads_summaries,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.answer->bytes_read_summary); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "index_keys_scored",
         .units = "1",
         .long_name = "keys that the layer's indexer scored, once for all heads; 0 in a layer that reuses a selection",
         .quantity = Quantity::count,
         .applies = uses_indexer,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.answer->index_keys_scored); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "bytes_read_index",
         .units = "byte",
         .long_name = "bytes of index keys read, once for all heads",
         .quantity = Quantity::count,
         .applies = uses_indexer,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.answer->bytes_read_index); }}) &&
    PathMetricRegistry::instance().add(
        {.name = "bytes_stored",
         .units = "byte",
         .long_name = "bytes of cache, local rows, index keys and summaries that the KV head keeps at this query, "
                      "repeated on each query head",
         .quantity = Quantity::count,
         .any_support = true,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.answer->bytes_stored); }}) &&
    PathMetricRegistry::instance().add({.name = "bytes_stored_per_key",
                                        .units = "byte",
                                        .long_name = "bytes_stored / visible keys",
                                        .any_support = true,
                                        .evaluate =
                                            [](const PathJudgement& row) {
                                              return static_cast<double>(row.answer->bytes_stored) /
                                                     static_cast<double>(row.exact->visible);
                                            }}) &&
    PathMetricRegistry::instance().add(
        {.name = "ties_at_cut",
         .units = "1",
         .long_name = "keys or blocks left out although they score the same as the last one taken",
         .quantity = Quantity::count,
         .evaluate = [](const PathJudgement& row) { return static_cast<double>(row.answer->ties_at_cut); }});

}  // namespace
}  // namespace lacuna
