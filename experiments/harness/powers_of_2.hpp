// { powers_of_2 = [first, last] }: first, 2 first, 4 first, ..., last.
#pragma once

#include <string>

#include "experiments/harness/toml_document.hpp"

namespace lacuna {

/// The values, integers when both ends are. Otherwise `fault` says what is wrong: "must be two powers of two, ...".
TomlNode::Array powers_of_2(const TomlNode& ends, std::string& fault);

}  // namespace lacuna
