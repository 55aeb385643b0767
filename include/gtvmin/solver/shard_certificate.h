#pragma once

#include "gtvmin/certify/certificate.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

/// A shard's share of a certificate for its state, whose flows lie in their domain, as they do after a step without
/// over-relaxation.
///
/// Nothing is repaired, so every node and edge needs nothing but its own, and the certificate is a matter of sums:
/// F(w) − F* is at most Σ_e [κφ(v_e) + κφ*(u_e/κ) − ⟨u_e, v_e⟩] + Σ_i [gap_i + miss_i · radius], where miss_i is 0
/// wherever a loss is curved in every direction. certify() proves more, but must see the whole problem.
struct ShardCertificate {
  SteeringSums sums;
  Vector node_gaps;  ///< of owned nodes
  Vector misses;     ///< of owned nodes
  Vector edge_gaps;  ///< of local edges; 0 where another shard counts them
};
[[nodiscard]] ShardCertificate shard_certificate(const Shard& shard);

/// What the sums over all shards prove. `size_at_start` is the |objective| before the first iteration.
[[nodiscard]] Certificate certificate_of(const SteeringSums& total, double lambda, double size_at_start);

/// Where the problem is not convex nothing is proved; what its nodes miss is told.
[[nodiscard]] Certificate residual_of(const SteeringSums& total);

/// Puts what the shard's nodes and edges add to the certificate into its place.
void add_terms(const Shard& shard, const ShardCertificate& share, Certificate& certificate);

}  // namespace gtvmin
