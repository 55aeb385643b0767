#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/second_order/elimination_plan.h"
#include "gtvmin/second_order/front_kernel.h"

namespace gtvmin {

/// M = L Lᵀ for a symmetric positive definite matrix M with a d × d block per node and per edge of a graph.
/// Multifrontal: every supernode of the plan is a dense front; what is left of it after its columns are eliminated is
/// added to the front of its parent. Results have the same bits for every number of threads.
class BlockCholesky {
 public:
  /// Allocates all memory. Plan and team have to outlive it.
  BlockCholesky(const EliminationPlan& plan, ThreadTeam& team);

  /// `diagonal` has a d × d block per node, column-major, of which the lower triangle is read; `off_diagonal` has one
  /// per edge, that of row head(e) and column tail(e). Adds relative · M_kk to every diagonal entry. False if a pivot
  /// is not positive and finite or if stop() is true; only the calling thread calls stop(), every millisecond or so.
  [[nodiscard]] bool factorise(const double* diagonal, const double* off_diagonal, double relative,
                               const std::function<bool()>& stop);
  /// Whether the last factorise() ended because of stop().
  [[nodiscard]] bool stopped() const { return state_.load() == State::kStopped; }

  /// rhs (d × nodes) becomes M⁻¹ rhs. After a factorise() that returned true; not from several threads at once.
  void solve(Matrix& rhs) const;

 private:
  enum class State { kGood, kNotPositive, kStopped };
  struct Free {
    void operator()(double* numbers) const { std::free(numbers); }
  };
  using Numbers = std::unique_ptr<double, Free>;
  struct Input {
    const double* diagonal;
    const double* off_diagonal;
    double scale;  // of the diagonal
  };
  struct Worker;

  static Numbers allocate(Index count);
  void eliminate(NodeId k, const Input& input, Worker& worker);
  void finish(NodeId k, const Input& input, Worker& worker);
  void open(NodeId k, const Input& input, double* update);
  void add_update(const Supernode& s, const double* update, double* parent_update, const FrontTeam* team);
  [[nodiscard]] double* update_of(const Supernode& s, const Worker& worker) const;
  void eliminate_top(const Input& input, Worker& worker);
  void forward(const Supernode& s, double* buffer) const;
  void backward(const Supernode& s, double* buffer) const;

  const EliminationPlan& plan_;
  ThreadTeam& team_;
  Index d_;
  Index buffer_size_ = 0;  // of the rows of any supernode
  Numbers factor_;
  Numbers shared_arena_;
  Numbers task_arenas_;  // one per thread
  Numbers x_;            // a right-hand side in the order of elimination, then the buffers of the tasks
  Numbers buffers_;      // one per thread
  std::atomic<State> state_{State::kGood};
};

}  // namespace gtvmin
