#include "gtvmin/runtime/mpi/partition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/sbm.h"

namespace gtvmin {
namespace {

std::vector<Index> loads(const Owners& owners, const std::vector<Index>& work, int parts) {
  std::vector<Index> total(parts, 0);
  for (std::size_t i = 0; i < owners.size(); ++i) total[owners[i]] += work[i];
  return total;
}

TEST(Partition, CutsFewEdgesAndBalancesTheWork) {
  const auto graph = EmpiricalGraph::make(4000, geometric_graph({.nodes = 4000, .neighbours = 8}, 1)->edges);
  std::vector<Index> work(4000, 10);
  for (int i = 0; i < 400; ++i) work[i] = 100;  // a tenth of the nodes has half of the work
  for (const int parts : {2, 3, 8}) {
    const Result<Owners> owners = partition_graph(*graph, work, parts);
    ASSERT_TRUE(owners.ok());
    const std::vector<Index> total = loads(*owners, work, parts);
    const auto mean = static_cast<double>(4000 * 19) / parts;
    EXPECT_LT(static_cast<double>(*std::max_element(total.begin(), total.end())), 1.06 * mean);
    EXPECT_GT(*std::min_element(total.begin(), total.end()), 0);
    EXPECT_LT(cut_edges(*graph, *owners), graph->edges() / 10);
    EXPECT_EQ(*partition_graph(*graph, work, parts), *owners);
  }
}

TEST(Partition, FindsTheClustersOfAStochasticBlockModel) {
  const auto sbm = sbm_graph({.sizes = {100, 100}, .p_in = 0.3, .p_out = 0.001}, 2);
  const auto graph = EmpiricalGraph::make(200, sbm->edges);
  const Owners owners = *partition_graph(*graph, std::vector<Index>(200, 1), 2);
  EXPECT_EQ(std::count(owners.begin(), owners.begin() + 100, owners[0]), 100);
  EXPECT_EQ(std::count(owners.begin() + 100, owners.end(), 1 - owners[0]), 100);
}

TEST(Partition, GivesEveryNodeAnOwnerWhereThereAreMorePartsThanNodes) {
  const auto graph = EmpiricalGraph::make(3, {{0, 1, 1.0}, {1, 2, 1.0}});
  EXPECT_EQ(*partition_graph(*graph, std::vector<Index>(3, 1), 5), (Owners{0, 1, 2}));
  EXPECT_EQ(*partition_graph(*graph, std::vector<Index>(3, 1), 1), (Owners{0, 0, 0}));
}

}  // namespace
}  // namespace gtvmin
