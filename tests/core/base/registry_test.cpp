#include "core/base/registry.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lacuna {
namespace {

struct Fruit {
  std::string name;
  int weight = 0;
};

TEST(Registry, KeepsItsKindsSortedByName) {
  Registry<Fruit> registry;
  EXPECT_TRUE(registry.add({"pear", 3}));
  registry.add({"apple", 2});
  registry.add({"quince", 5});
  ASSERT_EQ(registry.kinds().size(), 3U);
  EXPECT_EQ(registry.kinds()[0].name, "apple");
  EXPECT_EQ(registry.kinds()[2].name, "quince");
  EXPECT_EQ(registry.at("pear").weight, 3);
  EXPECT_EQ(registry.find("plum"), nullptr);
}

TEST(Registry, RefusesANameTwiceAndAnUnknownOne) {
  Registry<Fruit> registry;
  registry.add({"pear", 3});
  EXPECT_THROW(registry.add({"pear", 4}), InternalError);
  EXPECT_THROW(registry.at("plum"), InternalError);
}

}  // namespace
}  // namespace lacuna
