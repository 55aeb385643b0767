// One row of the table that bench/cluster prints; to be started by mpirun:
//   cluster_bench square|ring NODES ITERATIONS    random points with 8 neighbours each, d = 8, 10 samples a node
// The points lie in a square, or on a ribbon of one width and density that is closed to a ring and as long as it must
// be for all nodes: however many ranks share it, each has two borders, and they are as long as the ribbon is wide. Rank
// 0 prints: ranks nodes seconds/iteration, work and bytes of the busiest rank, all bytes, and the bound on them.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/nearest_neighbours.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/runtime/cluster_solve.h"
#include "gtvmin/runtime/mpi/mpi_cluster.h"
#include "gtvmin/runtime/mpi/mpi_exchange.h"
#include "gtvmin/runtime/mpi/partition.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace gtvmin {
namespace {

constexpr Index kDimension = 8;
constexpr NodeId kNeighbours = 8;

GeneratedGraph ring_graph(NodeId nodes, std::uint64_t seed) {
  constexpr double kNodesPerLength = 2500;  // on a ribbon of width 1: 50 side by side
  const double radius = nodes / kNodesPerLength / (2 * std::numbers::pi);
  Rng rng(seed);
  Matrix points(3, nodes);
  std::vector<NodeId> quarter(nodes);
  for (NodeId i = 0; i < nodes; ++i) {
    const double turn = rng.uniform();
    const double angle = 2 * std::numbers::pi * turn;
    points.col(i) << radius * std::cos(angle), radius * std::sin(angle), rng.uniform();
    quarter[i] = static_cast<NodeId>(4 * turn);
  }
  return {nearest_neighbour_edges(points, kNeighbours), partition_by_label(quarter)};
}

Index largest(Index mine) {
  Index most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

Index sum(Index mine) {
  Index total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

int run(const std::string& shape, NodeId nodes, std::int64_t iterations) {
  const auto cluster = join_mpi();
  if (!cluster) return EXIT_FAILURE;
  const int rank = (*cluster)->rank();
  const GeneratedGraph points =
      shape == "ring" ? ring_graph(nodes, 1) : *geometric_graph({.nodes = nodes, .neighbours = kNeighbours}, 1);
  const auto data = make_synthetic_data(points, {.dimension = kDimension, .noise = 0.5}, 1);
  const auto graph = EmpiricalGraph::make(nodes, data->dataset.edges);
  const ModelPtr model = *make_model({}, shape_of(data->dataset));
  const std::vector<Index> work = node_work(data->dataset, *graph, *model);
  const Owners owners = *(*cluster)->partition(*graph, work);
  std::vector<char> has_samples(owners.size(), 0);
  std::vector<NodeId> mine;
  Index my_work = 0;
  for (NodeId i = 0; i < nodes; ++i) {
    if (owners[i] != rank) continue;
    mine.push_back(i);
    has_samples[i] = 1;
    my_work += work[i];
  }
  const Problem problem = *make_problem(keep_samples(data->dataset, has_samples), *model, {}, *make_penalty("l2"), 0.1);
  std::vector<Shard> shards;
  shards.emplace_back(problem, std::move(mine));
  MpiExchange exchange(MPI_COMM_WORLD, shards, owners);
  const SolverOptions options{
      .tolerance = 0, .max_iterations = iterations, .accelerators = Accelerators::none(), .threads = 1};
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  const auto result = solve(problem, shards, exchange, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const Index busiest = largest(my_work);
  const Index most_bytes = largest(exchange.bytes_per_iteration());
  const Index all_bytes = sum(exchange.bytes_per_iteration());
  if (rank != 0) return EXIT_SUCCESS;
  const Index bound = static_cast<Index>(cut_edges(*graph, owners)) * kDimension * 8;
  fmt::print("{} {} {:.6g} {} {} {} {}\n", (*cluster)->size(), nodes,
             elapsed.count() / static_cast<double>(result->iterations), busiest, most_bytes, all_bytes, bound);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace gtvmin

int main(int argc, char** argv) {
  if (argc != 4) return EXIT_FAILURE;
  return gtvmin::run(argv[1], std::atoi(argv[2]), std::atoll(argv[3]));
}
