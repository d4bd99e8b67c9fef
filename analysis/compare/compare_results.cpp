#include "analysis/compare/compare_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/compare/results_contents.hpp"
#include "analysis/naming_file.hpp"
#include "analysis/results_reader.hpp"
#include "core/base/error.hpp"
#include "data/hdf5/attribute.hpp"
#include "data/hdf5/file.hpp"
#include "data/hdf5/slab_blocks.hpp"

namespace lacuna {
namespace {

/// Objects and attributes that say how results came about, not what they are.
bool is_outside(const std::string& path) {
  return path == "/provenance/run" || path.starts_with("/provenance/run/") || path == "/provenance/parameters_toml";
}
bool is_outside(const std::string& object, const std::string& attribute) {
  if (object == "/provenance") return attribute != "metric_version" && attribute != "input_sha256";
  return object == "/" && (attribute == "data_sha256" || attribute == "complete" || attribute == "title");
}

const char* type_name(hdf5::ResultType type) {
  switch (type) {
    case hdf5::ResultType::f64:
      return "f64";
    case hdf5::ResultType::i64:
      return "i64";
    case hdf5::ResultType::u8:
      return "u8";
    case hdf5::ResultType::text:
      return "text";
    case hdf5::ResultType::other:
      break;
  }
  return "a type that results files do not hold";
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

struct OpenResults {
  std::string name;
  hdf5::Handle file;
  ResultsContents contents;

  explicit OpenResults(const std::filesystem::path& path) : name(path.string()), file(open_results(path)) {
    reading([&] { contents = read_contents(file); });
  }

  /// Runs something that reads the file; what it throws names the file.
  template <class Read>
  void reading(const Read& read) const {
    naming_file(name, read);
  }
  void read_texts(const std::string& path, std::vector<std::string>& texts) const {
    reading([&] { hdf5::read_texts(hdf5::open_dataset(file, path), path, 0, texts); });
  }
};

class ResultsComparison {
 public:
  ResultsComparison(const OpenResults& a, const OpenResults& b, const ComparisonOptions& options)
      : a_(a), b_(b), options_(options) {}

  Comparison run() {
    check_ignored_names();
    compare_attributes();
    for (const std::string& path : paths(a_.contents.datasets, b_.contents.datasets)) {
      if (is_outside(path)) continue;
      if (is_ignored(path))
        ++result_.ignored;
      else
        compare_dataset(path);
    }
    return std::move(result_);
  }

 private:
  template <class Map>
  static std::set<std::string> paths(const Map& a, const Map& b) {
    std::set<std::string> names;
    for (const auto& [name, value] : a) names.insert(name);
    for (const auto& [name, value] : b) names.insert(name);
    return names;
  }

  bool is_ignored(const std::string& path) const {
    return std::any_of(options_.ignore.begin(), options_.ignore.end(), [&](const std::string& name) {
      if (name.starts_with('/')) return path == name || path.starts_with(name + "/");
      return last_name(path) == name;
    });
  }
  bool is_ignored(const std::string& object, const std::string& attribute) const {
    return is_ignored(object) ||
           std::find(options_.ignore.begin(), options_.ignore.end(), attribute) != options_.ignore.end();
  }

  void check_ignored_names() const {
    for (const std::string& name : options_.ignore) {
      bool known = false;
      for (const OpenResults* side : {&a_, &b_})
        for (const auto& [object, attributes] : side->contents.attributes)
          known = known || object == name || last_name(object) == name || attributes.contains(name);
      if (!known) throw UsageError(fmt::format("--ignore {}: neither file has anything of that name", name));
    }
  }

  void differ(const std::string& where, const std::string& what) {
    result_.differences.push_back(fmt::format("{}: {}", where, what));
  }

  void compare_attributes() {
    const auto& all_a = a_.contents.attributes;
    const auto& all_b = b_.contents.attributes;
    for (const auto& [object, attributes_a] : all_a) {
      const auto other = all_b.find(object);
      if (other == all_b.end() || is_outside(object)) continue;  // a missing dataset is reported as such
      for (const std::string& name : paths(attributes_a, other->second)) {
        if (is_outside(object, name) || is_ignored(object, name)) continue;
        const auto in_a = attributes_a.find(name);
        const auto in_b = other->second.find(name);
        const std::string where = fmt::format("attribute '{}' of {}", name, object);
        if (in_a == attributes_a.end())
          differ(where, fmt::format("missing in {}", a_.name));
        else if (in_b == other->second.end())
          differ(where, fmt::format("missing in {}", b_.name));
        else if (!in_a->second.can_be_compared() && !in_b->second.can_be_compared())
          result_.not_compared.push_back(where);
        else if (!same(in_a->second, in_b->second))
          differ(where, fmt::format("{} against {}", attribute_text(in_a->second), attribute_text(in_b->second)));
      }
    }
    for (const auto& object : paths(all_a, all_b)) {  // groups; datasets follow
      if (is_outside(object) || is_ignored(object)) continue;
      if (a_.contents.datasets.contains(object) || b_.contents.datasets.contains(object)) continue;
      if (!all_a.contains(object)) differ(object, fmt::format("group missing in {}", a_.name));
      if (!all_b.contains(object)) differ(object, fmt::format("group missing in {}", b_.name));
    }
  }

  /// Numbers bit for bit, NaN like NaN.
  static bool same(const AttributeContent& a, const AttributeContent& b) {
    if (a.extents != b.extents) return false;
    const auto* numbers_a = std::get_if<std::vector<double>>(&a.value);
    const auto* numbers_b = std::get_if<std::vector<double>>(&b.value);
    if (numbers_a == nullptr || numbers_b == nullptr) return a.value == b.value;
    if (numbers_a->size() != numbers_b->size()) return false;
    ValueComparison values({0, 0});
    values.add(*numbers_a, *numbers_b);
    return values.equal();
  }

  void compare_dataset(const std::string& path) {
    const auto in_a = a_.contents.datasets.find(path);
    const auto in_b = b_.contents.datasets.find(path);
    if (in_a == a_.contents.datasets.end()) return differ(path, fmt::format("missing in {}", a_.name));
    if (in_b == b_.contents.datasets.end()) return differ(path, fmt::format("missing in {}", b_.name));
    const DatasetContent& a = in_a->second;
    const DatasetContent& b = in_b->second;
    const bool texts_in_rows = a.type == hdf5::ResultType::text && a.extents.size() > 1;
    if (a.type == b.type && a.extents == b.extents && (a.type == hdf5::ResultType::other || texts_in_rows))
      return result_.not_compared.push_back(path);
    if (a.type != b.type) return differ(path, fmt::format("type {} against {}", type_name(a.type), type_name(b.type)));
    if (a.extents != b.extents)
      return differ(path, fmt::format("shape {} against {}", list_text(a.extents), list_text(b.extents)));
    if (a.dimensions != b.dimensions || a.is_coordinate != b.is_coordinate)
      return differ(path, fmt::format("dimensions {} against {}", list_text(a.dimensions), list_text(b.dimensions)));
    ++result_.datasets;
    if (a.type == hdf5::ResultType::text)
      compare_texts(path, a);
    else
      compare_numbers(path, a);
  }

  void compare_texts(const std::string& path, const DatasetContent& content) {
    const auto size = static_cast<std::size_t>(content.extents.empty() ? 1 : content.extents.front());
    std::vector<std::string> texts_a(size);
    std::vector<std::string> texts_b(size);
    a_.read_texts(path, texts_a);
    b_.read_texts(path, texts_b);
    result_.values += static_cast<std::int64_t>(size);
    const auto [at_a, at_b] = std::mismatch(texts_a.begin(), texts_a.end(), texts_b.begin());
    if (at_a != texts_a.end())
      differ(path, fmt::format("text {} is '{}' against '{}'", at_a - texts_a.begin(), shortened(*at_a, *at_b),
                               shortened(*at_b, *at_a)));
  }

  /// From shortly before the place where the two part; the whole of a short text.
  static std::string shortened(const std::string& text, const std::string& other) {
    constexpr std::size_t longest = 60;
    if (text.size() <= longest && other.size() <= longest) return text;
    const auto parted = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin());
    const std::size_t begin = text.rfind('\n', parted == 0 ? 0 : parted - 1);
    return text.substr(begin == std::string::npos ? 0 : begin + 1, longest) + "...";
  }

  void compare_numbers(const std::string& path, const DatasetContent& content) {
    const hdf5::Handle a = hdf5::open_dataset(a_.file, path);
    const hdf5::Handle b = hdf5::open_dataset(b_.file, path);
    const bool real = content.type == hdf5::ResultType::f64;
    ValueComparison values(content.is_coordinate ? Tolerance{0, 0} : options_.tolerance);
    std::vector<double> reals_a, reals_b;
    std::vector<std::int64_t> integers_a, integers_b;
    for (hdf5::SlabBlocks blocks(content.extents, sizeof(double)); !blocks.done(); blocks.next()) {
      const std::vector<std::int64_t> count = blocks.count();
      std::size_t size = 1;
      for (const std::int64_t extent : count) size *= static_cast<std::size_t>(extent);
      const auto read = [&](const OpenResults& side, const hdf5::Handle& dataset, auto& into, hdf5::NumberType type) {
        into.resize(size);
        side.reading([&] { hdf5::read_slab(dataset, path, type, blocks.start(), count, into.data()); });
      };
      if (real) {
        read(a_, a, reals_a, hdf5::NumberType::f64);
        read(b_, b, reals_b, hdf5::NumberType::f64);
        values.add(reals_a, reals_b);
      } else {
        read(a_, a, integers_a, hdf5::NumberType::i64);
        read(b_, b, integers_b, hdf5::NumberType::i64);
        values.add(integers_a, integers_b);
      }
    }
    result_.values += values.values();
    if (!values.equal()) differ(path, describe(path, content, values));
  }

  std::string describe(const std::string& path, const DatasetContent& content, const ValueComparison& values) const {
    std::string text;
    if (values.not_finite() > 0)
      text = fmt::format("NaN or inf in one file alone at {} of {} places", values.not_finite(), values.values());
    if (values.differing() > 0)
      text +=
          fmt::format("{}{} of {} values differ", text.empty() ? "" : ", and ", values.differing(), values.values());
    return fmt::format("{}; {} {}: {}", text, values.not_finite() > 0 ? "first at" : "worst at",
                       place_name(path, content, values.worst()), values.worst_values());
  }

  /// "layer=18 head=5 query=2047", without dimensions of one label; "[3]" where dimensions have no names.
  std::string place_name(const std::string& path, const DatasetContent& content, std::int64_t place) const {
    std::vector<std::int64_t> index(content.extents.size());
    for (std::size_t d = index.size(); d-- > 0;) {
      index[d] = place % content.extents[d];
      place /= content.extents[d];
    }
    const bool named =
        !content.dimensions.empty() && std::none_of(content.dimensions.begin(), content.dimensions.end(),
                                                    [](const std::string& name) { return name.empty(); });
    if (!named) return list_text(index);
    const std::vector<ReadDimension> dimensions = read_dimensions(a_.file, path);
    std::string name;
    for (std::size_t d = 0; d < index.size(); ++d)
      if (dimensions[d].size() > 1)
        name += fmt::format("{}{}={}", name.empty() ? "" : " ", dimensions[d].name,
                            dimensions[d].labels[static_cast<std::size_t>(index[d])]);
    return name.empty() ? "its only place" : name;
  }

  const OpenResults& a_;
  const OpenResults& b_;
  const ComparisonOptions& options_;
  Comparison result_;
};

}  // namespace

Comparison compare_results(const std::filesystem::path& a, const std::filesystem::path& b,
                           const ComparisonOptions& options) {
  const OpenResults first(a);
  const OpenResults second(b);
  return ResultsComparison(first, second, options).run();
}

}  // namespace lacuna
