#include "data/checkpoint/config.hpp"

#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "data/base/readable_file.hpp"
#include "data/base/strict_json.hpp"

namespace lacuna {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
constexpr std::size_t kMostNesting = 16;
constexpr Index kLargestCount = Index{1} << 30;
constexpr std::size_t kShownBytes = 64;

std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + "...";
}

Json read_object(const std::string& file) {
  Json json = parse_strict_json(read_whole(file, kMostBytes), file, kMostNesting);
  if (!json.is_object()) throw InputError(fmt::format("{}: not a JSON object", file));
  return json;
}

}  // namespace

CheckpointConfig::CheckpointConfig(const std::string& file) : CheckpointConfig(file, "", read_object(file)) {}

CheckpointConfig::CheckpointConfig(std::string file, std::string prefix, Json object)
    : file_(std::move(file)), prefix_(std::move(prefix)), object_(std::move(object)) {}

const Json& CheckpointConfig::at(const std::string& key) const {
  static const Json absent;
  const auto found = object_.find(key);
  return found == object_.end() ? absent : *found;
}

const Json& CheckpointConfig::needed(const std::string& key) const {
  const Json& value = at(key);
  if (value.is_null()) refuse(key, "is missing");
  return value;
}

void CheckpointConfig::refuse(std::string_view key, const std::string& why) const {
  throw InputError(fmt::format("{}: '{}{}' {}", file_, prefix_, key, why));
}

bool CheckpointConfig::has(const std::string& key) const { return !at(key).is_null(); }

Index CheckpointConfig::count(const std::string& key) const {
  const Json& value = needed(key);
  if (value.is_number_integer() && value >= 1 && value <= kLargestCount) return value.get<Index>();
  refuse(key, fmt::format("is {}; expected a whole number from 1 to 2^30", shown(value)));
}

Index CheckpointConfig::count(const std::string& key, Index otherwise) const {
  return has(key) ? count(key) : otherwise;
}

double CheckpointConfig::real(const std::string& key) const {
  const Json& value = needed(key);
  if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0) return value.get<double>();
  refuse(key, fmt::format("is {}; expected a number of at least 0", shown(value)));
}

double CheckpointConfig::real(const std::string& key, double otherwise) const {
  return has(key) ? real(key) : otherwise;
}

bool CheckpointConfig::flag(const std::string& key, bool otherwise) const {
  const Json& value = at(key);
  if (value.is_null()) return otherwise;
  if (value.is_boolean()) return value.get<bool>();
  refuse(key, fmt::format("is {}; expected true or false", shown(value)));
}

std::string CheckpointConfig::text(const std::string& key) const {
  const Json& value = needed(key);
  if (value.is_string()) return value.get<std::string>();
  refuse(key, fmt::format("is {}; expected a text", shown(value)));
}

std::string CheckpointConfig::text(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

std::optional<CheckpointConfig> CheckpointConfig::table(const std::string& key) const {
  const Json& value = at(key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_object()) refuse(key, fmt::format("is {}; expected an object", shown(value)));
  return CheckpointConfig(file_, prefix_ + key + ".", value);
}

void CheckpointConfig::require_flag(const std::string& key, bool implemented) const {
  if (flag(key, implemented) != implemented)
    refuse(key, fmt::format("is {}; only {} is implemented", !implemented, implemented));
}

}  // namespace lacuna
