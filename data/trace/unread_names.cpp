#include "data/trace/unread_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/suggestion.hpp"
#include "data/hdf5/utf8.hpp"
#include "data/trace/trace_facts.hpp"

namespace lacuna {
namespace {

constexpr std::size_t longest_shown = 80;  // bytes

/// How the tensors of one letter are called in words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> in_words = {
    {{"quer", "q"}, {"key", "k"}, {"val", "v"}}};

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_dataset(std::string_view name) { return holds(kTensorNames, name) || holds(kListNames, name); }

/// One line of text, whatever the name is made of.
std::string shown(std::string_view name) {
  std::string text = hdf5::printable_utf8(name.substr(0, longest_shown));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return text + (name.size() > longest_shown ? "..." : "");
}

std::string suggestion(std::string_view name) {
  std::vector<std::string> known(kTensorNames.begin(), kTensorNames.end());
  known.insert(known.end(), kListNames.begin(), kListNames.end());
  known.insert(known.end(), kNumberNames.begin(), kNumberNames.end());
  return did_you_mean(name, known);
}

std::string dataset_note(std::string_view name) {
  std::string hint = suggestion(name);
  if (holds(kNumberNames, name)) hint = "; it must be an attribute of the root, or stand in __metadata__";
  for (const auto& [word, letter] : in_words)
    if (hint.empty() && name.starts_with(word)) hint = fmt::format("; did you mean '{}'?", letter);
  return fmt::format("dataset '{}' is not read{}", shown(name), hint);
}

}  // namespace

std::vector<std::string> unread_notes(const NamesInFile& names) {
  std::vector<std::string> notes;
  std::size_t count = 0;
  const auto add = [&](auto&& sentence) {
    if (++count < kMostNotes) notes.push_back(sentence());
  };
  for (const std::string& name : names.datasets)
    if (!is_dataset(name) && name != "token_id") add([&] { return dataset_note(name); });
  for (const std::string& name : names.attributes) {
    if (holds(kNumberNames, name)) continue;
    const std::string hint = is_dataset(name) ? "; it must be a dataset" : suggestion(name);
    if (!hint.empty()) add([&] { return fmt::format("attribute '{}' is not read{}", shown(name), hint); });
  }
  if (count >= kMostNotes) notes.push_back(fmt::format("{} more names are not read", count - kMostNotes + 1));
  return notes;
}

}  // namespace lacuna
