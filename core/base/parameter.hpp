// What a parameter is: the one typed description from which checking, defaults, the JSON schema and the docs come.
//
// Stages and sources publish a list of ParameterSpec beside their factory; nothing else knows their parameters.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.hpp"

namespace lacuna {

enum class ParameterType {
  integer,            ///< std::int64_t
  real,               ///< double (an integer is accepted and converted)
  boolean,            ///< bool
  text,               ///< std::string
  count_or_fraction,  ///< std::int64_t >= 1 (a count), or double in (0, 1] (a fraction of the visible keys)
  integer_list,       ///< std::vector<std::int64_t>
  text_list,          ///< std::vector<std::string>; a single string is accepted as a list of one
};

using ParameterValue =
    std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, std::vector<std::string>>;

/// One row of the parameter table.
struct ParameterSpec {
  std::string key = {};  ///< within its owner: "k", "block_size"
  ParameterType type = ParameterType::integer;
  std::string unit = {};                                      ///< "keys", "1", "nat", ...; "" for text
  double minimum = -std::numeric_limits<double>::infinity();  ///< inclusive, of each number
  double maximum = std::numeric_limits<double>::infinity();   ///< inclusive
  std::vector<std::string> choices = {};                      ///< of a text; empty = any
  /// The same where the choices register themselves, so that they are known only once the program runs.
  std::vector<std::string> (*registered_choices)() = nullptr;
  std::optional<ParameterValue> default_value = {};  ///< none: see `required`
  bool required = false;      ///< neither given nor defaulted is an error; otherwise "unset" is a meaning of its own
  bool sweepable = true;      ///< whether { grid = [...] } and { powers_of_2 = [...] } are allowed
  bool is_path = false;       ///< names files, relative to the parameter file's folder
  std::string sentence = {};  ///< what it does, one sentence
};

/// Resolved parameters of one cell, flat, keyed as in the table ("window", "select.k", "pool.blocks").
class Parameters {
 public:
  void set(std::string key, ParameterValue value) { values_[std::move(key)] = std::move(value); }
  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }

  const ParameterValue& at(std::string_view key) const {
    const auto it = values_.find(key);
    if (it == values_.end()) throw InternalError(fmt::format("parameter '{}' was not resolved", key));
    return it->second;
  }
  template <class T>
  const T& get(std::string_view key) const {
    const T* value = std::get_if<T>(&at(key));
    if (value == nullptr) throw InternalError(fmt::format("parameter '{}' has another type", key));
    return *value;
  }
  std::int64_t integer(std::string_view key) const { return get<std::int64_t>(key); }
  double real(std::string_view key) const { return get<double>(key); }
  bool boolean(std::string_view key) const { return get<bool>(key); }
  const std::string& text(std::string_view key) const { return get<std::string>(key); }

  const std::map<std::string, ParameterValue, std::less<>>& values() const { return values_; }
  bool operator==(const Parameters&) const = default;

 private:
  std::map<std::string, ParameterValue, std::less<>> values_;
};

/// Values that are each legal and do not go together, or that name what cannot be read; `key` is the one to point at.
struct ParameterFault {
  std::string key;
  std::string message;
  ExitCode code = ExitCode::usage;  ///< `input`, `environment`: the fault is in what the value names
};

/// Faults of the parameters of one table, found where what they describe is made. Its code is the least of theirs.
class ParameterError : public Error {
 public:
  explicit ParameterError(std::vector<ParameterFault> faults);
  const std::vector<ParameterFault>& faults() const { return faults_; }

 private:
  std::vector<ParameterFault> faults_;
};

/// Throws ParameterError unless there are none.
void require_no_faults(std::vector<ParameterFault> faults);

/// What was thrown as faults: those of a ParameterError, or else one of the parameter `key`.
std::vector<ParameterFault> faults_of(const Error& error, const std::string& key);

/// Runs the work and adds what it throws to the faults, unless that is no fault of a user's, a file's or the machine's.
template <class Work>
void collect_faults(std::vector<ParameterFault>& faults, const std::string& key, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() < ExitCode::usage || error.code() > ExitCode::environment) throw;
    for (ParameterFault& fault : faults_of(error, key)) faults.push_back(std::move(fault));
  }
}

/// "64", "0.25", "true", "box", "[1, 2]": as it would stand in a parameter file, strings without quotes.
std::string to_string(const ParameterValue& value);

}  // namespace lacuna
