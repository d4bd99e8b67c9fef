#include "experiments/harness/parameter_places.hpp"

namespace lacuna {

void ParameterPlaces::add(const std::string& address, const ParameterSet& set) {
  if (!owners_.emplace(address, set.owner).second) return;
  places_[address] = set.at;
  for (const auto* parts : {&set.subtables, &set.elements})
    for (const auto& [name, at] : *parts) places_[address + "." + name] = at;
  for (const ReadParameter& parameter : set.parameters)
    if (parameter.given) places_[address + "." + parameter.spec.key] = parameter.at;
}

Position ParameterPlaces::of(std::string_view full_key) const {
  while (true) {
    if (const auto found = places_.find(full_key); found != places_.end()) return found->second;
    const std::size_t dot = full_key.rfind('.');
    if (dot == std::string_view::npos) return {};
    full_key = full_key.substr(0, dot);
  }
}

void ParameterPlaces::report(const std::string& address, const std::vector<ParameterFault>& faults,
                             Diagnostics& diagnostics) const {
  const auto owner = owners_.find(address);
  LACUNA_ASSERT(owner != owners_.end());
  for (const ParameterFault& fault : faults)
    diagnostics.error(of(address + "." + fault.key), fmt::format("in {}: {}", owner->second, fault.message),
                      fault.code);
}

}  // namespace lacuna
