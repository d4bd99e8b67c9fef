#include "experiments/harness/run_difference.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace lacuna {
namespace {

struct Fact {
  std::string_view key;
  std::string_view value;
};

std::vector<Fact> facts_of(std::string_view text) {
  std::vector<Fact> facts;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t equals = line.find(" = ");
    if (equals != std::string_view::npos) facts.push_back({line.substr(0, equals), line.substr(equals + 3)});
  }
  return facts;
}

/// Values may be lists of thousands.
std::string shortened(std::string_view value) {
  constexpr std::size_t longest = 100;
  if (value.empty()) return "unset";
  return value.size() <= longest ? std::string(value) : fmt::format("{}...", value.substr(0, longest));
}

}  // namespace

std::string run_difference(std::string_view there, std::string_view here) {
  std::map<std::string_view, std::string_view> others;
  for (const Fact& fact : facts_of(there)) others[fact.key] = fact.value;
  for (const Fact& fact : facts_of(here)) {
    const auto other = others.find(fact.key);
    if (other == others.end()) return fmt::format("{} = {} is new here", fact.key, shortened(fact.value));
    if (other->second != fact.value)
      return fmt::format("{} = {} there, {} here", fact.key, shortened(other->second), shortened(fact.value));
    others.erase(other);
  }
  if (others.empty()) return "its facts are in another order";
  return fmt::format("{} = {} is there alone", others.begin()->first, shortened(others.begin()->second));
}

}  // namespace lacuna
