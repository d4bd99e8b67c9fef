#include "analysis/report/axis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lacuna {
namespace {

TEST(Axis, LinearPlacesValuesInProportion) {
  const Axis axis = Axis::linear_exactly("x", 10, 30);
  EXPECT_EQ(axis.place(10), 0);
  EXPECT_EQ(axis.place(15), 0.25);
  EXPECT_EQ(axis.place(30), 1);
  EXPECT_EQ(axis.place(1e9), 1) << "what lies outside is held at the end";
}

TEST(Axis, LinearIsWidenedToWholeTicks) {
  const Axis axis = Axis::linear("x", 0.3, 9.2);
  EXPECT_EQ(axis.low(), 0);
  EXPECT_EQ(axis.high(), 10);
  const std::vector<Tick> ticks = axis.ticks(6);
  ASSERT_EQ(ticks.size(), 6);
  EXPECT_EQ(ticks[1].value, 2);
  EXPECT_EQ(ticks[1].label, "2");
  EXPECT_EQ(ticks[5].label, "10");
}

TEST(Axis, LogarithmicPlacesEqualRatiosAtEqualDistances) {
  const Axis axis = Axis::logarithmic("x", {1e-3, 1e3});
  const double step = axis.place(1e-1) - axis.place(1e-2);
  for (const double value : {1e-2, 1.0, 1e1, 1e2}) EXPECT_NEAR(axis.place(10 * value) - axis.place(value), step, 1e-12);
}

TEST(Axis, ZeroHasAPlaceOfItsOwnBelowEveryPositiveValue) {
  const Axis axis = Axis::logarithmic("x", {0, 1e-9, 1});
  EXPECT_TRUE(axis.has_zero());
  EXPECT_EQ(axis.place(0), 0);
  EXPECT_GT(axis.place(1e-9), 0.05);
  EXPECT_EQ(axis.ticks(6).front().label, "0");
  EXPECT_FALSE(Axis::logarithmic("x", {1e-9, 1}).has_zero());
}

TEST(Axis, TicksAreNamedAsPeopleWriteThem) {
  std::vector<std::string> labels;
  for (const Tick& tick : Axis::logarithmic("keys", {8, 512}, 2).ticks(20)) labels.push_back(tick.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"8", "16", "32", "64", "128", "256", "512"}));
  labels.clear();
  for (const Tick& tick : Axis::logarithmic("bytes", {1024, 4e6}, 2, TickText::bytes).ticks(40))
    labels.push_back(tick.label);
  EXPECT_EQ(labels.front(), "1 KiB");
  EXPECT_EQ(labels[10], "1 MiB");
  labels.clear();
  for (const Tick& tick : Axis::logarithmic("error", {1e-7, 100}).ticks(20)) labels.push_back(tick.label);
  EXPECT_EQ(labels,
            (std::vector<std::string>{"10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1", "10", "100"}));
  labels.clear();
  for (const Tick& tick : Axis::logarithmic("error", {0.3, 4}).ticks(20)) labels.push_back(tick.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"0.5", "1", "2"})) << "under two decades 2 and 5 are labelled";
}

RC_GTEST_PROP(Axis, NeverHasMoreLabelsThanThereIsRoomFor, ()) {
  const double low = std::pow(10.0, *rc::gen::inRange(-12, 6));
  const double high = low * std::pow(10.0, *rc::gen::inRange(2, 15));
  const int most = *rc::gen::inRange(3, 12);
  std::size_t labelled = 0;
  double last = 0;
  const Axis axis = Axis::logarithmic("x", {low, high}, *rc::gen::element(2, 10));
  for (const Tick& tick : axis.ticks(most)) {
    labelled += !tick.label.empty();
    RC_ASSERT(tick.value > last);
    last = tick.value;
    RC_ASSERT(axis.place(tick.value) >= 0 && axis.place(tick.value) <= 1);
  }
  RC_ASSERT(labelled >= 1);
  RC_ASSERT(labelled <= static_cast<std::size_t>(most));
}

}  // namespace
}  // namespace lacuna
