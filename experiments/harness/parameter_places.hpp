// Where the parameters of a study stand, for faults that show only when what they describe is made or opened.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/parameter.hpp"
#include "experiments/harness/diagnostics.hpp"
#include "experiments/harness/parameter_set.hpp"

namespace lacuna {

class ParameterPlaces {
 public:
  /// The table at an address, "source" or "path.top_k"; a second one at the same address is not kept.
  void add(const std::string& address, const ParameterSet& set);

  /// Of the parameter with that full key, "path.top_k.select.k"; where it is not given, of what it would stand in.
  Position of(std::string_view full_key) const;
  /// Each fault of the table at the address, at its key: "in [source]: ...".
  void report(const std::string& address, const std::vector<ParameterFault>& faults, Diagnostics& diagnostics) const;

 private:
  std::map<std::string, Position, std::less<>> places_;     // [full key, sub-table or address]
  std::map<std::string, std::string, std::less<>> owners_;  // [address] as errors name it
};

}  // namespace lacuna
