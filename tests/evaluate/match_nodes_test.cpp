#include "gtvmin/evaluate/match_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gtvmin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Names = std::vector<std::string>;

TEST(MatchNodes, FindsNodesInAnyOrder) {
  const Names truth = {"c", "a", "b"};
  const Names result = {"a", "b", "c"};
  EXPECT_THAT(*match_nodes({"truth.csv", truth}, {"parameters.csv", result}), ElementsAre(2, 0, 1));
}

TEST(MatchNodes, ListsTheNodesThatEitherSideLacks) {
  const Names truth = {"a", "x", "y"};
  const Names result = {"a", "z"};
  const auto matched = match_nodes({"truth.csv", truth}, {"parameters.csv", result});
  ASSERT_FALSE(matched.ok());
  EXPECT_EQ(matched.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(matched.error().messages, ElementsAre("parameters.csv: 2 nodes of truth.csv are not there: x, y",
                                                    "truth.csv: 1 node of parameters.csv is not there: z"));
}

TEST(MatchNodes, LooksUpAPartWithoutAskingForTheRest) {
  const Names part = {"b"};
  const Names whole = {"a", "b"};
  EXPECT_THAT(*find_nodes({"held.csv", part}, {"parameters.csv", whole}), ElementsAre(1));
  EXPECT_FALSE(find_nodes({"parameters.csv", whole}, {"held.csv", part}).ok());
}

TEST(MatchNodes, ListsAtMostTwentyNames) {
  Names many;
  for (int i = 0; i < 25; ++i) many.push_back(std::to_string(100 + i));
  const Names none;
  const auto found = find_nodes({"held.csv", many}, {"parameters.csv", none});
  EXPECT_THAT(found.error().messages.front(), HasSubstr("25 nodes"));
  EXPECT_THAT(found.error().messages.front(), HasSubstr("119, …"));
  EXPECT_THAT(found.error().messages.front(), Not(HasSubstr("120")));
}

}  // namespace
}  // namespace gtvmin
