#pragma once

#include <cstdint>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/certificate.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

struct Certified {
  Certificate certificate;
  /// The feasible flow with which the certificate was computed: u, repaired.
  Matrix u;
};

/// How hard to try for the tightest certificate. On a large problem one good certificate is worth more, the more so
/// where losses absorb what a flow misses.
struct CertifyEffort {
  double enough = 1e-12;  ///< a relative value that ends the search for a tighter one
  bool exact = true;      ///< also route what curved losses could absorb, which takes linear systems
  /// w is optimal as far as its clusters are right: what the flow misses has to be routed, so that is tried first.
  bool routing_first = false;
  ThreadTeam* team = nullptr;  ///< helps, if there is one
};
/// What is worthwhile after some iterations, if `tolerance` is asked for.
[[nodiscard]] CertifyEffort worthwhile_effort(const Problem& problem, double tolerance, std::int64_t iterations,
                                              ThreadTeam* team = nullptr);

/// Bounds F(w) − F* from above with a flow near u. Reads the problem and the pair (w, u), nothing of how they came
/// about.
///
/// With s = Dᵀu, F(w) − F* is at most the sum over edges of κφ(v_e) + κφ*(u_e/κ) − ⟨u_e, v_e⟩ and over nodes of
/// L_i(w_i) + L_i*(−s_i) + ⟨s_i, w_i⟩, all ≥ 0 (Fenchel–Young). L_i* is infinite where −s_i leaves the range of the
/// gradient of L_i, as it does at almost every u for a node without data. So u is repaired first: a least flow is added
/// after which −s_i = ∇L_i(w_i) + ∇²L_i(w_i) p holds to rounding, then a norm penalty's flow is scaled back into its
/// ball.
[[nodiscard]] Certified certify(const Problem& problem, const Matrix& w, Matrix u, const CertifyEffort& effort);
/// With as much effort as suits the size of the problem.
[[nodiscard]] Certified certify(const Problem& problem, const Matrix& w, Matrix u);

}  // namespace gtvmin
