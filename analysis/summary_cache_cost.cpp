// The summary of cache_cost: which reduction changes which term, where the study sets architectures against each other,
// a line per architecture at the longest context, and, where there are several contexts, how its terms grow from the
// shortest over a middle one to the longest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
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

/// One architecture.
class CostGroup {
 public:
  CostGroup(const ResultsReader& reader, const std::string& name) : reader_(reader), group_("/cost/" + name + "/") {
    contexts_ = reader.read(group_ + "context", {0}, {reader.dimensions(group_ + "bytes_stored").front().size()});
    if (contexts_.empty()) throw InputError(group_ + " has no context");
    order_.resize(contexts_.size());
    std::iota(order_.begin(), order_.end(), std::ptrdiff_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::ptrdiff_t i) { return contexts_[static_cast<std::size_t>(i)]; });
    at_ = order_.back();
  }
  /// The shortest, a middle and the longest context, or as many as there are, as places for `move_to`.
  std::vector<std::ptrdiff_t> spread() const {
    if (order_.size() < 3) return order_;
    return {order_.front(), order_[order_.size() / 2], order_.back()};
  }
  /// What follows is at this context; at the longest one without.
  void move_to(std::ptrdiff_t place) { at_ = place; }

  double context() const { return contexts_[static_cast<std::size_t>(at_)]; }
  double number(const std::string& variable) const { return reader_.read(group_ + variable, {at_}, {1}).front(); }
  /// The values of all kinds of the last dimension, by name.
  std::map<std::string, double> kinds(const std::string& variable) const {
    const std::vector<ReadDimension> dimensions = reader_.dimensions(group_ + variable);
    const ReadDimension& kind = dimensions.back();
    const bool of_context = dimensions.size() == 2;
    const std::vector<double> values = of_context ? reader_.read(group_ + variable, {at_, 0}, {1, kind.size()})
                                                  : reader_.read(group_ + variable, {0}, {kind.size()});
    std::map<std::string, double> named;
    for (std::size_t i = 0; i < values.size(); ++i) named[kind.labels[i]] = values[i];
    return named;
  }

 private:
  const ResultsReader& reader_;
  std::string group_;
  std::vector<double> contexts_;       // as the file lists them
  std::vector<std::ptrdiff_t> order_;  // of contexts_, ascending
  std::ptrdiff_t at_ = 0;
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

double window_and_state(const CostGroup& cost) {
  const Kinds held = cost.kinds("bytes");
  return of(held, "local") + of(held, "state");
}
double keys_scored(const CostGroup& cost) { return cost.number("main_keys_scored") + cost.number("local_keys_scored"); }

/// A term of the cost that a reduction may change.
struct Term {
  const char* name;
  std::function<double(const CostGroup&)> value;
  NumberFormat format = short_number;
};

const std::vector<Term>& terms() {
  using Cost = CostGroup;
  static const std::vector<Term> all_terms = {
      {"main B/token", [](const Cost& cost) { return of(cost.kinds("bytes_per_token"), "main"); }},
      {"index B/token", [](const Cost& cost) { return of(cost.kinds("bytes_per_token"), "index"); }},
      {"window+state", window_and_state},
      {"main read", [](const Cost& cost) { return of(cost.kinds("bytes_read"), "main"); }},
      {"index read", [](const Cost& cost) { return of(cost.kinds("bytes_read"), "index"); }},
      {"keys scored", keys_scored},
      {"index keys", [](const Cost& cost) { return cost.number("index_keys_scored"); }},
      {"FLOP/token", [](const Cost& cost) { return all(cost.kinds("operations")); }},
      {"layer-tokens", [](const Cost& cost) { return cost.number("prefill_layer_tokens"); }},
  };
  return all_terms;
}

/// "=", "new" and "gone" where both have the same, only the one, only the other; else the multiple.
TableCell multiple(double value, double other) {
  if (value == other) return "=";
  if (other == 0) return "new";
  if (value == 0) return "gone";
  const std::string short_text = fmt::format("x {:.3g}", value / other);
  return short_text == "x 1" ? fmt::format("x {:.6g}", value / other) : short_text;
}

/// Which reduction changes which term: every architecture with the attribute `against`, as multiples of that one.
Table reductions_of(const ResultsReader& reader) {
  Table table;
  table.columns = {{.name = "architecture", .key = true}, {.name = "against", .key = true}};
  for (const Term& term : terms()) table.columns.push_back({.name = term.name});
  for (const std::string& name : reader.names("/cost")) {
    const std::string against = reader.text_attribute("/cost/" + name, "against");
    if (against.empty()) continue;
    const CostGroup one(reader, name);
    const CostGroup other(reader, against);
    table.title = fmt::format("what each changes, at {:.0f} tokens:", one.context());
    table.rows.push_back({name, against});
    for (const Term& term : terms()) table.rows.back().push_back(multiple(term.value(one), term.value(other)));
  }
  return table;
}

/// How the terms that depend on the context grow with it; no line where there is only one context.
Table growth_of(const ResultsReader& reader) {
  using Cost = CostGroup;
  static const std::vector<Term> growing = {
      {"held", [](const Cost& cost) { return prefix(cost.kinds("bytes")) + window_and_state(cost); },
       short_decimal_bytes},
      {"read/token", [](const Cost& cost) { return all(cost.kinds("bytes_read")); }, short_decimal_bytes},
      {"FLOP/token", [](const Cost& cost) { return all(cost.kinds("operations")); }, four_digits},
      {"keys scored", keys_scored, four_digits},
      {"index keys", [](const Cost& cost) { return cost.number("index_keys_scored"); }, four_digits},
      {"prefill layer-tokens", [](const Cost& cost) { return cost.number("prefill_layer_tokens"); }, four_digits},
  };
  Table table;
  table.title = "from the shortest context to the longest, in tokens:";
  table.columns = {{.name = "architecture", .key = true}};
  for (const std::string& name : reader.names("/cost")) {
    CostGroup cost(reader, name);
    const std::vector<std::ptrdiff_t> contexts = cost.spread();
    if (contexts.size() < 2) return {};
    const bool first = table.rows.empty();
    table.rows.push_back({name});
    for (const Term& term : growing)
      for (const std::ptrdiff_t context : contexts) {
        cost.move_to(context);
        if (first) table.columns.push_back({.name = whole(cost.context()), .format = term.format, .group = term.name});
        table.rows.back().emplace_back(term.value(cost));
      }
    if (table.rows.back().size() != table.columns.size())
      throw InputError(fmt::format("/cost/{} has other contexts than the first architecture", name));
  }
  return table;
}

constexpr const char* kLegend =
    "B/token: what one more token adds to the cache; first/this: that of the first architecture over it. prefix: the\n"
    "rows that grow with the context, main and index; window+state: what does not; held: all of these. read/token,\n"
    "FLOP/token, keys scored (of main attention and windows) and index keys: what decoding one token takes, summed\n"
    "over layers; recomputed: its FLOP without a cache. prefill layer-tokens: tokens times the layers they run "
    "through.\n"
    "x 0.5: half of the other's; =: the same; new, gone: only the one, only the other has it.\n";

}  // namespace

Summary summarize_cache_cost(const ResultsReader& reader) {
  Table table;
  table.columns = {{.name = "architecture", .key = true},
                   {.name = "B/token", .format = exact},
                   {.name = "first/this", .format = thousandths},
                   {.name = "prefix", .format = decimal_bytes},
                   {.name = "window+state", .format = decimal_bytes},
                   {.name = "read/token", .format = decimal_bytes},
                   {.name = "keys scored", .format = whole},
                   {.name = "index keys", .format = whole},
                   {.name = "FLOP/token", .format = four_digits},
                   {.name = "recomputed", .format = four_digits, .detail = TableColumn::Detail::full_only},
                   {.name = "prefill layer-tokens", .format = whole}};
  double first = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& name : reader.names("/cost")) {
    const CostGroup cost(reader, name);
    if (table.rows.empty()) table.title = fmt::format("at {:.0f} tokens:", cost.context());
    const double per_token = prefix(cost.kinds("bytes_per_token"));
    if (table.rows.empty()) first = per_token;
    table.rows.push_back({name, per_token, per_token > 0 ? first / per_token : std::numeric_limits<double>::quiet_NaN(),
                          prefix(cost.kinds("bytes")), window_and_state(cost), all(cost.kinds("bytes_read")),
                          keys_scored(cost), cost.number("index_keys_scored"), all(cost.kinds("operations")),
                          cost.number("recomputation_operations"), cost.number("prefill_layer_tokens")});
  }
  Summary summary;
  if (Table reductions = reductions_of(reader); !reductions.rows.empty())
    summary.tables.push_back(std::move(reductions));
  summary.tables.push_back(std::move(table));
  if (Table growth = growth_of(reader); !growth.rows.empty()) summary.tables.push_back(std::move(growth));
  summary.footer = kLegend;
  return summary;
}

}  // namespace lacuna
