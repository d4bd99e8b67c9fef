#include "experiments/harness/parameter_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/suggestion.hpp"
#include "experiments/harness/parameter_text.hpp"
#include "experiments/harness/powers_of_2.hpp"

namespace lacuna {
namespace {

class ValueReader {
 public:
  ValueReader(const ParameterSpec& spec, const std::string& owner, Diagnostics& diagnostics)
      : spec_(spec), owner_(owner), diagnostics_(diagnostics) {}

  std::optional<GivenValues> read(const TomlEntry& entry) {
    if (const TomlNode::Table* table = entry.node.table()) return read_sweep(entry, *table);
    const auto value = read_one(entry.node, entry.at);
    if (!value) return std::nullopt;
    return GivenValues{.values = {*value}, .swept = false};
  }

 private:
  std::string key() const { return fmt::format("'{}'", spec_.key); }

  std::nullopt_t refuse(const Position& at, const std::string& message) {
    diagnostics_.error(at, message);
    return std::nullopt;
  }
  std::nullopt_t refuse_type(const Position& at, const TomlNode& node) {
    return refuse(at, fmt::format("{} in {} must be {}, not {}", key(), owner_, type_name(spec_.type), describe(node)));
  }
  std::nullopt_t refuse_range(const Position& at, const TomlNode& node) {
    return refuse(
        at, fmt::format("{} = {} in {} is out of range: must be {}", key(), describe(node), owner_, range_rule(spec_)));
  }

  std::optional<ParameterValue> read_one(const TomlNode& node, const Position& at) {
    switch (spec_.type) {
      case ParameterType::integer:
        return read_integer(node, at);
      case ParameterType::real:
        return read_real(node, at);
      case ParameterType::boolean:
        if (const bool* value = std::get_if<bool>(&node.value)) return *value;
        return refuse_type(at, node);
      case ParameterType::text:
        return read_text(node, at);
      case ParameterType::count_or_fraction:
        return read_count_or_fraction(node, at);
      case ParameterType::integer_list:
        return read_list<std::int64_t>(
            node, [&](const TomlNode& x) { return read_integer(x, x.at); }, at);
      case ParameterType::text_list:
        if (node.text() != nullptr) {
          const auto value = read_text(node, at);
          if (!value) return std::nullopt;
          return std::vector<std::string>{std::get<std::string>(*value)};
        }
        return read_list<std::string>(
            node, [&](const TomlNode& x) { return read_text(x, x.at); }, at);
    }
    return std::nullopt;
  }

  std::optional<ParameterValue> read_integer(const TomlNode& node, const Position& at) {
    const auto* value = std::get_if<std::int64_t>(&node.value);
    if (value == nullptr) return refuse_type(at, node);
    const auto number = static_cast<double>(*value);
    if (!(number >= spec_.minimum && number <= spec_.maximum)) return refuse_range(at, node);
    return *value;
  }

  std::optional<ParameterValue> read_real(const TomlNode& node, const Position& at) {
    double number = 0;
    if (const auto* integer = std::get_if<std::int64_t>(&node.value))
      number = static_cast<double>(*integer);
    else if (const auto* real = std::get_if<double>(&node.value))
      number = *real;
    else
      return refuse_type(at, node);
    if (!std::isfinite(number))
      return refuse(at, fmt::format("{} = {} in {} must be finite", key(), describe(node), owner_));
    if (!(number >= spec_.minimum && number <= spec_.maximum)) return refuse_range(at, node);
    return number;
  }

  std::optional<ParameterValue> read_count_or_fraction(const TomlNode& node, const Position& at) {
    if (const auto* count = std::get_if<std::int64_t>(&node.value)) {
      if (!(*count >= 1 && static_cast<double>(*count) <= spec_.maximum)) return refuse_range(at, node);
      return *count;
    }
    if (const auto* fraction = std::get_if<double>(&node.value)) {
      if (!(*fraction > 0 && *fraction <= 1)) return refuse_range(at, node);  // nan as well
      return *fraction;
    }
    return refuse_type(at, node);
  }

  std::optional<ParameterValue> read_text(const TomlNode& node, const Position& at) {
    const std::string* value = node.text();
    if (value == nullptr) return refuse_type(at, node);
    if (value->find('\0') != std::string::npos)
      return refuse(at, fmt::format("{} = {} in {} holds a NUL character", key(), describe(node), owner_));
    if (spec_.is_path && value->empty()) return refuse(at, fmt::format("{} in {} names no file", key(), owner_));
    const auto& choices = spec_.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *value) == choices.end())
      return refuse(at,
                    fmt::format("{} = {} in {} must be {}{}", key(), describe(node), owner_,
                                choices.size() == 1 ? toml_value(choices.front()) : "one of " + joined(choices, ", "),
                                did_you_mean(*value, choices)));
    return *value;
  }

  template <class T, class ReadElement>
  std::optional<ParameterValue> read_list(const TomlNode& node, ReadElement read_element, const Position& at) {
    const TomlNode::Array* array = node.array();
    if (array == nullptr) return refuse_type(at, node);
    if (array->empty()) return refuse(at, fmt::format("{} in {} is an empty list", key(), owner_));
    std::vector<T> list;
    for (const TomlNode& element : *array)
      if (const auto value = read_element(element)) list.push_back(std::get<T>(*value));
    if (list.size() != array->size()) return std::nullopt;
    return list;
  }

  std::optional<GivenValues> read_sweep(const TomlEntry& entry, const TomlNode::Table& table) {
    if (!spec_.sweepable) {
      if (find(table, "grid") == nullptr && find(table, "powers_of_2") == nullptr)
        return refuse_type(entry.at, entry.node);
      return refuse(entry.at, fmt::format("{} in {} cannot be swept", key(), owner_));
    }
    bool unknown = false;
    for (const TomlEntry& part : table) {
      if (part.key == "grid" || part.key == "powers_of_2") continue;
      unknown = true;
      diagnostics_.error(part.at, fmt::format("unknown key '{}' in the sweep of {} in {}{}", shown(part.key), key(),
                                              owner_, did_you_mean(part.key, {"grid", "powers_of_2"})));
    }
    if (unknown) return std::nullopt;
    if (table.size() != 1)
      return refuse(entry.at, fmt::format("the sweep of {} in {} must be either {{ grid = [...] }} or "
                                          "{{ powers_of_2 = [first, last] }}",
                                          key(), owner_));
    const TomlEntry& part = table.front();
    if (part.key == "grid") return read_grid(part);
    std::string fault;
    const TomlNode::Array powers = powers_of_2(part.node, fault);
    if (!fault.empty()) return refuse(part.at, fmt::format("powers_of_2 of {} in {} {}", key(), owner_, fault));
    return read_elements(powers);
  }

  std::optional<GivenValues> read_grid(const TomlEntry& grid) {
    const TomlNode::Array* array = grid.node.array();
    if (array == nullptr)
      return refuse(grid.at,
                    fmt::format("the grid of {} in {} must be a list, not {}", key(), owner_, describe(grid.node)));
    if (array->empty()) return refuse(grid.at, fmt::format("the grid of {} in {} is empty", key(), owner_));
    return read_elements(*array);
  }

  std::optional<GivenValues> read_elements(const TomlNode::Array& elements) {
    GivenValues given{.values = {}, .swept = true};
    std::set<ParameterValue> seen;
    bool legal = true;
    for (const TomlNode& element : elements) {
      const auto value = read_one(element, element.at);
      if (!value) {
        legal = false;
        continue;
      }
      if (!seen.insert(*value).second) {
        refuse(element.at, fmt::format("the sweep of {} in {} holds {} twice", key(), owner_, toml_value(*value)));
        legal = false;
      } else if (!given.values.empty() && given.values.front().index() != value->index()) {
        refuse(element.at, fmt::format("the sweep of {} in {} mixes counts and fractions", key(), owner_));
        legal = false;
      }
      given.values.push_back(*value);
    }
    if (!legal) return std::nullopt;
    return given;
  }

  const ParameterSpec& spec_;
  const std::string& owner_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<GivenValues> read_values(const TomlEntry& entry, const ParameterSpec& spec, const std::string& owner,
                                       Diagnostics& diagnostics) {
  return ValueReader(spec, owner, diagnostics).read(entry);
}

}  // namespace lacuna
