#pragma once

#include <span>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/certify/certificate.h"
#include "gtvmin/certify/pooled_level.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/solver/exchange.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

/// Bounds F(w) − F* for a state that is spread over shards, whose flows lie in their domain, as they do after a step
/// without over-relaxation.
///
/// The flow is taken as it is: every node fits its slopes to it, and what they do not meet is charged with a proved
/// radius, as in certify(). Nodes and edges need nothing but their own; what the radius needs (differences between
/// nodes through a maximum spanning tree of the public graph, the level of each component from pooled rows) are sums,
/// added up exactly, so that every process gets the same bits for every partition.
class SumCertifier {
 public:
  /// `known`: every loss of the problem is a sum over samples, in whichever process it is. The problem must outlive it.
  SumCertifier(const Problem& problem, bool known);

  struct Outcome {
    Certificate certificate;        // without terms
    SteeringSums sums;              // of the state: loss, variation, gaps
    std::vector<ShardTerms> terms;  // of the shards held here
  };
  [[nodiscard]] Result<Outcome> certify(std::span<const Shard> shards, Exchange& exchange, double size_at_start) const;

 private:
  struct Component {
    bool alone = false;  // one node: nothing is shared
    Index place = -1;    // among those that are not
  };

  const Problem& problem_;
  bool known_;
  Partition components_;
  std::vector<Component> component_;
  Index shared_ = 0;                // components of more than one node
  std::vector<double> bottleneck_;  // least κ on the path to the root
  std::vector<double> resistance_;  // Σ 1/(κ · modulus) on the path to the root, for quadratic penalties
  friend class SumCertificate;
};

/// Where the problem is not convex nothing is proved; the norm of the residual is told.
[[nodiscard]] Certificate residual_of(const SteeringSums& total);

/// Puts the terms of a shard into their places among those of the whole problem.
void add_terms(const Shard& shard, const ShardTerms& terms, Certificate& certificate);

}  // namespace gtvmin
