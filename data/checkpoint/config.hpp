// config.json of a checkpoint: what Hugging Face transformers writes beside the weights, key by key. Keys that no
// architecture reads are left alone: most say nothing about the computation.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "core/attention/rows.hpp"

namespace lacuna {

/// Every message is an InputError "<file>: '<key>' ...". A key whose value is null counts as absent.
class CheckpointConfig {
 public:
  /// Reads the file: an object of JSON of at most 1 MiB.
  explicit CheckpointConfig(const std::string& file);

  bool has(const std::string& key) const;
  /// A whole number of at least 1 and at most 2^30.
  Index count(const std::string& key) const;
  Index count(const std::string& key, Index otherwise) const;
  /// A finite number of at least 0.
  double real(const std::string& key) const;
  double real(const std::string& key, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  /// The object under the key; its messages call keys "<key>.<inner key>".
  std::optional<CheckpointConfig> table(const std::string& key) const;

  /// Refused unless the key is absent or has the one value that is implemented.
  void require_flag(const std::string& key, bool implemented) const;
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;
  const std::string& file() const { return file_; }

 private:
  CheckpointConfig(std::string file, std::string prefix, nlohmann::json object);
  const nlohmann::json& at(const std::string& key) const;
  const nlohmann::json& needed(const std::string& key) const;

  std::string file_;
  std::string prefix_;
  nlohmann::json object_;
};

}  // namespace lacuna
