// The summary of cache_cost: a line per architecture, at the longest context.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include "analysis/summary_of_kind.hpp"
#include "core/base/error.hpp"

namespace lacuna {
namespace {

std::string whole(double x) { return fmt::format("{:.0f}", x); }
std::string exact(double x) { return fmt::format("{}", x); }
std::string thousandths(double x) { return fmt::format("{:.3f}", x); }
std::string four_digits(double x) { return fmt::format("{:.4g}", x); }

/// One architecture at one context.
class CostGroup {
 public:
  CostGroup(const ResultsReader& reader, const std::string& name) : reader_(reader), group_("/cost/" + name + "/") {
    contexts_ = reader.read(group_ + "context", {0}, {reader.dimensions(group_ + "bytes_stored").front().size()});
    if (contexts_.empty()) throw InputError(group_ + " has no context");
    longest_ = std::max_element(contexts_.begin(), contexts_.end()) - contexts_.begin();
  }
  double context() const { return contexts_[static_cast<std::size_t>(longest_)]; }
  double number(const std::string& variable) const { return reader_.read(group_ + variable, {longest_}, {1}).front(); }
  /// The values of all kinds of the last dimension, by name.
  std::map<std::string, double> kinds(const std::string& variable) const {
    const std::vector<ReadDimension> dimensions = reader_.dimensions(group_ + variable);
    const ReadDimension& kind = dimensions.back();
    const bool of_context = dimensions.size() == 2;
    const std::vector<double> values = of_context ? reader_.read(group_ + variable, {longest_, 0}, {1, kind.size()})
                                                  : reader_.read(group_ + variable, {0}, {kind.size()});
    std::map<std::string, double> named;
    for (std::size_t i = 0; i < values.size(); ++i) named[kind.labels[i]] = values[i];
    return named;
  }

 private:
  const ResultsReader& reader_;
  std::string group_;
  std::vector<double> contexts_;
  std::ptrdiff_t longest_ = 0;
};

using Kinds = std::map<std::string, double>;

double all(const Kinds& kinds) {
  return std::accumulate(kinds.begin(), kinds.end(), 0.0,
                         [](double sum, const auto& kind) { return sum + kind.second; });
}

double of(const Kinds& kinds, const std::string& name) {
  const auto found = kinds.find(name);
  if (found == kinds.end()) throw InputError(fmt::format("costs have no kind '{}'", name));
  return found->second;
}

/// What grows with the context.
double prefix(const Kinds& kinds) { return of(kinds, "main") + of(kinds, "index"); }

}  // namespace

Summary summarize_cache_cost(const ResultsReader& reader) {
  Table table;
  table.columns = {{.name = "architecture", .left = true},
                   {.name = "B/token", .format = exact},
                   {.name = "first/this", .format = thousandths},
                   {.name = "prefix", .format = decimal_bytes},
                   {.name = "window+state", .format = decimal_bytes},
                   {.name = "read/token", .format = decimal_bytes},
                   {.name = "keys scored", .format = whole},
                   {.name = "index keys", .format = whole},
                   {.name = "FLOP/token", .format = four_digits},
                   {.name = "recomputed", .format = four_digits},
                   {.name = "prefill layer-tokens", .format = whole}};
  double first = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& name : reader.names("/cost")) {
    const CostGroup cost(reader, name);
    if (table.rows.empty()) table.title = fmt::format("at {:.0f} tokens:", cost.context());
    const double per_token = prefix(cost.kinds("bytes_per_token"));
    if (table.rows.empty()) first = per_token;
    const Kinds held = cost.kinds("bytes");
    table.rows.push_back({name, per_token, per_token > 0 ? first / per_token : std::numeric_limits<double>::quiet_NaN(),
                          prefix(held), of(held, "local") + of(held, "state"), all(cost.kinds("bytes_read")),
                          cost.number("main_keys_scored") + cost.number("local_keys_scored"),
                          cost.number("index_keys_scored"), all(cost.kinds("operations")),
                          cost.number("recomputation_operations"), cost.number("prefill_layer_tokens")});
  }
  Summary summary;
  summary.tables.push_back(std::move(table));
  return summary;
}

}  // namespace lacuna
