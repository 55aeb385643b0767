#pragma once

#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/theory/cluster_constants.h"
#include "gtvmin/theory/sink_routing.h"

namespace gtvmin {

/// Which condition proves that every optimum is constant on a cluster.
enum class ClusterTest {
  kNone,               ///< none of those below
  kSingleton,          ///< one node needs no condition
  kDefinition1,        ///< demands of every size routed to one node: the paper's well-connected clusters
  kCurrents,           ///< demands of every size routed as electric currents
  kQuadraticCurrents,  ///< the same with what quadratic losses say about the demands
};
[[nodiscard]] std::string_view to_string(ClusterTest test);

/// All λ with low < λ < high; empty unless low < high.
struct LambdaInterval {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  [[nodiscard]] bool empty() const { return !(low < high); }
  [[nodiscard]] bool contains(double lambda) const { return low < lambda && lambda < high; }
};

struct ClusterAnalysis {
  ClusterConstants constants;
  bool connected = true;
  /// Demands of the cluster at λ, or for λ → ∞ if no λ is given, routed to one node; margin t* = 1/scale. The cluster
  /// is well-connected at λ (Definition 1) if t* > 1.
  SinkRouting definition1;
  double definition1_margin = 0;
  LambdaInterval definition1_interval;
  /// By currents; not attempted where `currents_skipped`.
  LambdaInterval currents_interval;
  bool currents_skipped = false;
  EdgeId currents_edge = -1;  ///< of the problem: the edge that limits the interval; −1: none was tested
  /// For every λ in it, every optimum is constant on the cluster. The one that contains the λ asked for, if any does.
  LambdaInterval proved;
  ClusterTest proved_by = ClusterTest::kNone;
};

/// Two neighbouring clusters: where both are constant, they have different parameters for every λ < separate_below.
struct ClusterPair {
  NodeId a = 0;
  NodeId b = 0;
  double weight = 0;    ///< of the edges between them
  double distance = 0;  ///< ‖w̄_a − w̄_b‖
  double separate_below = 0;
};

struct ProblemAnalysis {
  std::vector<ClusterAnalysis> clusters;
  std::vector<ClusterPair> pairs;
  /// For every λ in it, the clusters of every optimum are exactly those of the partition.
  LambdaInterval recovery;
};

struct AnalysisOptions {
  double lambda = 0;  ///< the λ asked for; 0: none
  /// Operations that currents may take, over all clusters, see current_routing_work; the default is half a minute.
  double currents_work = 3e10;
};

/// Why the analysis cannot be applied to a problem: one message per reason, without the names of nodes. Empty if it
/// can.
[[nodiscard]] std::vector<std::string> analysis_refusals(const Problem& problem);

/// The paper's analysis of a partition of the nodes. λ of the problem is not used. Every bound holds in exact
/// arithmetic for constants that are rounded to the safe side; see docs/math.md for proofs. Fails with a usage error if
/// there are refusals, and with interrupted().
[[nodiscard]] Result<ProblemAnalysis> analyse(const Problem& problem, const Partition& clusters,
                                              const AnalysisOptions& options = {}, const Stop& stop = {});

}  // namespace gtvmin
