#include "gtvmin/federation/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_directory.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;

class Topology : public testing::Test {
 protected:
  Result<Federation> read(const std::string& sites, const std::string& edges) {
    folder_.write("edges.csv", edges);
    return read_topology(
        folder_.write("t.toml", "name = 'trial'\nedges = 'edges.csv'\n" + sites + "[solve]\nlambda = 1\n"));
  }
  std::string in(const std::string& file, const std::string& message) { return folder_.path(file) + message; }

  TemporaryDirectory folder_;
};

TEST_F(Topology, TakesEdgesFromTheFileThatStandsBesideIt) {
  const auto federation =
      read("[[site]]\nname = 'x'\naddress = 'h:1'\nnodes = ['b', 'lonely']\n[[site]]\nname = 'y'\nnodes = ['a']\n",
           "source,target,weight\na,b,0.25\n");
  ASSERT_TRUE(federation.ok()) << federation.error().messages.front();
  EXPECT_THAT(federation->node_names, ElementsAre("b", "lonely", "a"));
  ASSERT_EQ(federation->edges.size(), 1);
  EXPECT_EQ(federation->edges[0].a, 0);
  EXPECT_EQ(federation->edges[0].b, 2);
  EXPECT_EQ(federation->edges[0].weight, 0.25);
  EXPECT_EQ(federation->solve[0].name, "lambda");
}

TEST_F(Topology, ListsWhatIsWrongInBothFilesWithPlaces) {
  const auto federation = read("[[site]]\nname = 'x'\nnodes = ['a', 'b']\n[[site]]\nname = 'Y'\nnodes = ['a']\n",
                               "source,target\na,b\nb,nowhere\nnowhere,a\nelse,a\n");
  ASSERT_FALSE(federation.ok());
  EXPECT_THAT(federation.error().messages,
              ElementsAre(in("t.toml",
                             ":7: \"Y\" is not a valid site name: 1 to 63 lower-case letters, digits and hyphens, "
                             "no hyphen at either end"),
                          in("t.toml", ":8: node \"a\" is in two sites, \"x\" and \"Y\""),
                          in("edges.csv", ":3: node \"nowhere\" belongs to no site"),
                          in("edges.csv", ":5: node \"else\" belongs to no site")));
}

TEST_F(Topology, NamesTheEdgeFileThatIsBadOrMissing) {
  const auto bad = read("[[site]]\nname = 'x'\nnodes = ['a']\n", "source,target\na,a\n");
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().messages, ElementsAre(in("edges.csv", ":2: an edge from \"a\" to itself")));
  std::filesystem::remove(folder_.path("edges.csv"));
  const auto missing = read_topology(folder_.path("t.toml"));
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().messages, ElementsAre(in("edges.csv", ": cannot be read: No such file or directory")));
}

}  // namespace
}  // namespace gtvmin
