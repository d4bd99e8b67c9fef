#include "core/base/parameter.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/path_runner.hpp"

namespace lacuna {
namespace {

using namespace testing_core;

TEST(Parameters, AreReadByTheirType) {
  Parameters parameters;
  parameters.set("k", count(4));
  parameters.set("mass", 0.5);
  EXPECT_EQ(parameters.integer("k"), 4);
  EXPECT_EQ(parameters.real("mass"), 0.5);
  EXPECT_FALSE(parameters.has("window"));
  EXPECT_THROW(parameters.integer("window"), InternalError);
  EXPECT_THROW(parameters.integer("mass"), InternalError);
}

TEST(Parameters, AreWrittenAsInAParameterFile) {
  EXPECT_EQ(to_string(ParameterValue(std::int64_t{64})), "64");
  EXPECT_EQ(to_string(ParameterValue(0.25)), "0.25");
  EXPECT_EQ(to_string(ParameterValue(1.0)), "1.0") << "a fraction is not a count";
  EXPECT_EQ(to_string(ParameterValue(1e20)), "1e+20");
  EXPECT_EQ(to_string(ParameterValue(true)), "true");
  EXPECT_EQ(to_string(ParameterValue(std::string("box"))), "box");
  EXPECT_EQ(to_string(ParameterValue(std::vector<std::int64_t>{1, 2})), "[1, 2]");
  EXPECT_EQ(to_string(ParameterValue(std::vector<std::string>{"a", "b"})), "[a, b]");
}

/// Whether the default lies in the range and among the choices that the row itself names.
void expect_sound(const ParameterSpec& spec, const std::string& owner) {
  EXPECT_FALSE(spec.sentence.empty()) << owner << spec.key;
  EXPECT_FALSE(spec.required && spec.default_value) << owner << spec.key;
  if (!spec.default_value) return;
  if (const auto* integer = std::get_if<std::int64_t>(&*spec.default_value)) {
    EXPECT_GE(static_cast<double>(*integer), spec.minimum) << owner << spec.key;
    EXPECT_LE(static_cast<double>(*integer), spec.maximum) << owner << spec.key;
  }
  if (const auto* text = std::get_if<std::string>(&*spec.default_value); text != nullptr && !spec.choices.empty()) {
    EXPECT_EQ(std::count(spec.choices.begin(), spec.choices.end(), *text), 1) << owner << spec.key;
  }
}

TEST(Parameters, OfPathsAndSelectorsHaveSoundDefaultsAndKeysOnce) {
  std::set<std::string> keys;
  for (const ParameterSpec& spec : path_parameters()) {
    EXPECT_TRUE(keys.insert(spec.key).second) << spec.key;
    expect_sound(spec, "");
  }
  for (const SelectorKind& kind : SelectorRegistry::instance().kinds()) {
    std::set<std::string> own = keys;
    for (const ParameterSpec& spec : kind.parameters) {
      EXPECT_TRUE(own.insert("select." + spec.key).second) << kind.name << "." << spec.key;
      expect_sound(spec, kind.name + ".");
    }
  }
}

}  // namespace
}  // namespace lacuna
