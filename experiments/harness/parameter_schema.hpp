// Parts of a JSON Schema (draft 2020-12) of a parameter file.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/parameter.hpp"

namespace lacuna::schema {

using Json = nlohmann::ordered_json;

/// A table in which nothing else may stand.
Json closed_table(const Json& properties, const std::vector<std::string>& required);

/// The parameters of one table or sub-table; a kind is given as the one value of its key.
Json table(const std::vector<ParameterSpec>& specs, std::string_view subtable, std::string_view kind_key,
           const std::string& kind);

/// The whole file.
Json parameter_file(const Json& properties, const std::vector<std::string>& required);

}  // namespace lacuna::schema
