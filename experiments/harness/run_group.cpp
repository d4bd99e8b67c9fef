#include "experiments/harness/run_group.hpp"

#include <algorithm>

namespace lacuna {
namespace {

constexpr std::int64_t kLongestChunk = 4096;

}  // namespace

std::vector<std::int64_t> counting(std::int64_t count) {
  std::vector<std::int64_t> numbers(count);
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

RunGroup::RunGroup(ResultsGroup group, std::vector<Dimension> leading, const std::vector<Dimension>& own)
    : group_(std::move(group)), leading_(std::move(leading)) {
  for (const Dimension& dimension : leading_) group_.dimension(dimension);
  for (const Dimension& dimension : own) {
    group_.dimension(dimension);
    extent_[dimension.name] = dimension.size();
  }
}

void RunGroup::variable(VariableSpec spec) {
  std::vector<std::string> names;
  Numbers chunk;
  for (const Dimension& dimension : leading_) {
    names.push_back(dimension.name);
    chunk.push_back(1);
  }
  Numbers& extents = extents_[spec.name];
  for (const std::string& name : spec.dimensions) {
    names.push_back(name);
    extents.push_back(extent_.at(name));
    const bool inner = name != "sequence" && name != "layer";
    chunk.push_back(inner ? std::clamp<std::int64_t>(extents.back(), 1, kLongestChunk) : 1);
  }
  spec.dimensions = names;
  variables_.emplace(spec.name, group_.variable(spec, chunk));
}

std::pair<RunGroup::Numbers, RunGroup::Numbers> RunGroup::place(const std::string& name, std::int64_t leading_index,
                                                                const std::vector<std::int64_t>& at) const {
  Numbers start(leading_.size());
  for (std::size_t i = leading_.size(); i-- > 0;) {
    start[i] = leading_index % leading_[i].size();
    leading_index /= leading_[i].size();
  }
  Numbers count(start.size() + at.size(), 1);
  start.insert(start.end(), at.begin(), at.end());
  const Numbers& extents = extents_.at(name);
  start.resize(leading_.size() + extents.size(), 0);
  count.insert(count.end(), extents.begin() + static_cast<std::ptrdiff_t>(at.size()), extents.end());
  return {start, count};
}

}  // namespace lacuna
