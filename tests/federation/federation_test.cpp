#include "gtvmin/federation/federation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_federation.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// One node per site, named after it; edges by site numbers.
Federation federation_of(SiteId sites, std::vector<WeightedEdge> edges) {
  Federation federation{
      .name = "f", .sums = true, .sites = {}, .node_names = {}, .owner = {}, .edges = std::move(edges), .solve = {}};
  for (SiteId k = 0; k < sites; ++k) {
    const std::string name = "s" + std::to_string(k);
    federation.sites.push_back({name, "host:" + std::to_string(k + 1), {k}});
    federation.node_names.push_back(name);
    federation.owner.push_back(k);
  }
  return federation;
}

TEST(Federation, NumbersNodesInTheOrderOfSites) {
  const auto federation = parse_federation("f.toml", kSmallFederation);
  ASSERT_TRUE(federation.ok()) << federation.error().messages.front();
  EXPECT_THAT(federation->node_names, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(federation->owner, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(federation->sites[0].nodes, ElementsAre(0, 1));
  EXPECT_EQ(federation->edges[1].weight, 0.1);
  EXPECT_EQ(federation->sites[2].address, "");
  EXPECT_EQ(tls_name(*federation, 1), "middle.trial");
  EXPECT_EQ(find_site(*federation, "south"), 2);
  EXPECT_EQ(find_site(*federation, "west"), std::nullopt);
}

TEST(Federation, SitesAreNeighboursWhereAnEdgeJoinsTheirNodes) {
  const auto federation = parse_federation("f.toml", kSmallFederation);
  ASSERT_TRUE(federation.ok());
  EXPECT_THAT(neighbours(*federation, 0), ElementsAre(1));
  EXPECT_THAT(neighbours(*federation, 1), ElementsAre(0, 2));
  EXPECT_THAT(boundary_nodes(*federation, 0, 1), ElementsAre(1));
  EXPECT_THAT(boundary_nodes(*federation, 0, 2), IsEmpty());
}

TEST(SpanningTree, IsTheFirstThatABreadthFirstSearchFinds) {
  // A square 0-1-3-2-0 with a tail 3-4: 3 is found from 1, which is asked before 2.
  const auto tree = spanning_tree(federation_of(5, {{1, 3, 1}, {0, 2, 1}, {2, 3, 1}, {0, 1, 1}, {3, 4, 1}}));
  ASSERT_TRUE(tree.ok());
  EXPECT_THAT(tree->parent, ElementsAre(SpanningTree::kNone, 0, 0, 1, 3));
  EXPECT_THAT(tree->children, ElementsAre(ElementsAre(1, 2), ElementsAre(3), IsEmpty(), ElementsAre(4), IsEmpty()));
}

TEST(SpanningTree, NamesTheSitesThatNoChainOfEdgesReaches) {
  const auto tree = spanning_tree(federation_of(4, {{0, 1, 1}, {2, 3, 1}}));
  ASSERT_FALSE(tree.ok());
  EXPECT_THAT(tree.error().messages.front(), HasSubstr("from \"s0\" to \"s2\", \"s3\""));
}

TEST(Federation, ATextThatWasReadGivesItselfBack) {
  const auto federation = parse_federation("f.toml", kSmallFederation);
  ASSERT_TRUE(federation.ok());
  EXPECT_EQ(federation_text(*federation), kSmallFederation);
}

TEST(Federation, HasSumsUnlessTheFileSaysNo) {
  std::string text = kSmallFederation;
  const std::string line = "sums = true\n";
  const auto silent = parse_federation("f.toml", text.erase(text.find(line), line.size()));
  ASSERT_TRUE(silent.ok());
  EXPECT_EQ(federation_text(*silent), kSmallFederation);
  const auto without = parse_federation("f.toml", text.insert(0, "sums = false\n"));
  ASSERT_TRUE(without.ok());
  EXPECT_FALSE(without->sums);
  EXPECT_THAT(federation_text(*without), HasSubstr("\nsums = false\n"));
}

TEST(Federation, TheTextDoesNotDependOnTheOrderInWhichEdgesWereGiven) {
  std::string text = kSmallFederation;
  const std::string first = "  [\"a\", \"b\", 2],\n";
  text.erase(text.find(first), first.size());
  text.insert(text.find("]\n\n[solve]"), "  [\"b\", \"a\", 2.0],\n");
  const auto federation = parse_federation("f.toml", text);
  ASSERT_TRUE(federation.ok()) << federation.error().messages.front();
  EXPECT_EQ(federation_text(*federation), kSmallFederation);
}

TEST(Federation, ANumberThatWasReadGivesItselfBack) {
  for (const std::string number : {"-0.0", "0.0", "1.0", "1e300", "5e-324", "-inf", "nan", "1e15", "1e16", "1_000.5",
                                   "123456789012345678.0", "9223372036854775807", "-9223372036854775808"}) {
    std::string text = kSmallFederation;
    text.insert(text.find("[solve]\n") + 8, "odd = " + number + "\n");
    const auto federation = parse_federation("f.toml", text);
    ASSERT_TRUE(federation.ok()) << federation.error().messages.front();
    const auto again = parse_federation("f.toml", federation_text(*federation));
    ASSERT_TRUE(again.ok()) << number;
    EXPECT_EQ(federation_text(*again), federation_text(*federation)) << number;
  }
}

TEST(Federation, NamesOfNodesMayHoldAnything) {
  Federation federation = federation_of(1, {});
  federation.node_names[0] = "quote \" backslash \\ tab \t new\nline ä 😀 \x7F";
  federation.solve = {{"odd key", std::vector<std::string>{"a,\"b\""}, 0}, {"tol", 1e-300, 0}, {"on", true, 0}};
  const auto read = parse_federation("f.toml", federation_text(federation));
  ASSERT_TRUE(read.ok()) << read.error().messages.front();
  EXPECT_EQ(read->node_names, federation.node_names);
  ASSERT_EQ(read->solve.size(), 3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(read->solve[k].name, federation.solve[k].name);
    EXPECT_EQ(read->solve[k].value, federation.solve[k].value);
  }
}

}  // namespace
}  // namespace gtvmin
