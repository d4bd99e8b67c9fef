// Rules that hold between the parameters of a source.
#pragma once

#include <string>
#include <vector>

#include "core/base/parameter.hpp"

namespace lacuna {

/// Each rule that is broken adds a fault; the parameters are integers.
class ParameterRules {
 public:
  explicit ParameterRules(const Parameters& source) : source_(source) {}

  /// `key` is at most the parameter `limit`.
  ParameterRules& at_most(const std::string& key, const std::string& limit);
  /// `key` divides the parameter `whole`.
  ParameterRules& divides(const std::string& key, const std::string& whole);
  /// `key`, channels that are rotated, come in pairs.
  ParameterRules& even(const std::string& key);
  /// Any other.
  ParameterRules& require(bool holds, const std::string& key, const std::string& message);

  std::vector<ParameterFault> faults() const { return faults_; }

 private:
  const Parameters& source_;
  std::vector<ParameterFault> faults_;
};

}  // namespace lacuna
