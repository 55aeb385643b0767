#include "gtvmin/report/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace gtvmin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Figure with_points(const std::vector<PlotPoint>& points, bool log_y) {
  return {.title = "t", .caption = "c", .panels = {{.log_y = log_y, .series = {{.name = "s", .points = points}}}}};
}

struct Mark {
  double x;
  double y;
};
/// The markers of curves, without the one in the legend.
std::vector<Mark> marks(const std::string& svg) {
  std::vector<Mark> found;
  const std::regex circle("<circle cx=\"([0-9.-]+)\" cy=\"([0-9.-]+)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), circle), end; at != end; ++at) {
    found.push_back({std::stod((*at)[1]), std::stod((*at)[2])});
  }
  found.pop_back();
  return found;
}

TEST(Figure, EqualRatiosAreEqualDistancesOnALogarithmicAxis) {
  const auto at = marks(to_svg(with_points({{0, 1e-6}, {1, 1e-4}, {2, 1e-2}}, true)));
  ASSERT_EQ(at.size(), 3);
  EXPECT_NEAR(at[0].y - at[1].y, at[1].y - at[2].y, 0.11);
  EXPECT_GT(at[0].y, at[1].y) << "the page counts downwards";
  EXPECT_NEAR(at[1].x - at[0].x, at[2].x - at[1].x, 0.11);
}

TEST(Figure, WhatCannotBeDrawnIsLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const std::string svg = to_svg(with_points({{0, 1}, {1, nan}, {2, infinite}, {3, 0}, {4, -1}, {5, 10, nan}}, true));
  EXPECT_EQ(marks(svg).size(), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(to_svg(with_points({}, true)), HasSubstr("</svg>"));
}

TEST(Figure, ABarThatReachesZeroEndsAtTheFrameOfALogarithmicPanel) {
  const std::string svg = to_svg(with_points({{0, 1e-3, 1e-2}, {1, 1}}, true));
  EXPECT_THAT(svg, HasSubstr("y2=\"284.0\" stroke=\"#0072b2\""));
}

TEST(Figure, ReferencesAreDashedInTheColourOfOurCurve) {
  Figure figure = with_points({{0, 1}, {1, 2}}, false);
  figure.panels[0].series.push_back({.name = "paper", .points = {{0, 1}, {1, 3}}, .reference = true});
  const std::string svg = to_svg(figure);
  EXPECT_THAT(svg, HasSubstr("stroke=\"#0072b2\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\""));
  EXPECT_THAT(svg, Not(HasSubstr("#d55e00")));
}

TEST(Figure, ASeriesWithoutPointsKeepsItsColourAndHasNoLegendEntry) {
  Figure figure = with_points({{0, 1}}, false);
  figure.panels[0].series.insert(figure.panels[0].series.begin(), {.name = "absent", .points = {}});
  const std::string svg = to_svg(figure);
  EXPECT_THAT(svg, Not(HasSubstr("absent")));
  EXPECT_THAT(svg, HasSubstr("fill=\"#d55e00\""));
}

TEST(Figure, ScatteredPointsAreNotJoined) {
  Figure figure = with_points({{0, 1}, {1, 2}}, false);
  figure.panels[0].series[0].scatter = true;
  EXPECT_THAT(to_svg(figure), Not(HasSubstr("<path")));
}

/// The texts of the ticks at the left of the first panel.
std::vector<std::string> tick_labels(const std::string& svg) {
  std::vector<std::string> found;
  const std::regex label("text-anchor=\"end\">([^<]*)</text>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

TEST(Figure, TicksHaveDifferentLabelsEvenIfAllValuesAreEqual) {
  for (const double value : {50.0, 0.0, -3e-9, 123456789.0}) {
    std::vector<std::string> labels = tick_labels(to_svg(with_points({{0, value}, {1, value}}, false)));
    EXPECT_GE(labels.size(), 2) << value;
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size()) << value;
  }
  const auto close = tick_labels(to_svg(with_points({{0, 1}, {1, 1 + 1e-8}}, false)));
  EXPECT_EQ(std::set<std::string>(close.begin(), close.end()).size(), close.size());
}

TEST(Figure, IsWideEnoughForItsLegendTitleAndCaption) {
  const auto width = [](const Figure& figure) {
    std::smatch found;
    const std::string svg = to_svg(figure);
    return std::regex_search(svg, found, std::regex("width=\"([0-9]+)\"")) ? std::stod(found[1]) : 0;
  };
  Figure figure = with_points({{0, 1}, {1, 2}}, false);
  const double narrow = width(figure);
  figure.panels[0].series[0].name = std::string(60, 'm');
  EXPECT_GE(width(figure), narrow + 59 * 7);
  figure.caption = std::string(300, 'm');
  EXPECT_GE(width(figure), 300 * 7);
}

TEST(Figure, NamesCannotBreakTheFile) {
  Figure figure = with_points({{0, 1}}, false);
  figure.title = "a < b & \"c\"";
  EXPECT_THAT(to_svg(figure), HasSubstr("a &lt; b &amp; &quot;c&quot;"));
}

}  // namespace
}  // namespace gtvmin
