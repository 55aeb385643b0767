#include "gtvmin/second_order/block_cholesky.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "gtvmin/base/huge_pages.h"

namespace gtvmin {
namespace {

/// Flops between two calls of stop(): at most a millisecond.
constexpr double kFlopsPerPoll = 1e6;
/// Time of a front beside its flops, in flops.
constexpr double kFlopsPerSmallFront = 200;
/// Columns and rows up to which substitution uses plain loops.
constexpr Index kShort = 8;

using Panel = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
using Segment = Eigen::Map<Vector>;

/// to += from, n numbers.
inline void add_numbers(double* to, const double* from, Index n) {
  for (Index i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

/// State of one thread during a factorisation.
struct BlockCholesky::Worker {
  double* arena;
  const std::function<bool()>* stop;  // null: not the calling thread
  const FrontTeam* team;              // null: inside a task
  double flops = 0;                   // since stop() was called
};

BlockCholesky::Numbers BlockCholesky::allocate(Index count) {
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(double) / kPage + 1) * kPage;
  auto* const numbers = static_cast<double*>(std::aligned_alloc(kPage, bytes));
  if (numbers == nullptr) throw std::bad_alloc();
  prefer_huge_pages(numbers, count);
  return Numbers(numbers);
}

BlockCholesky::BlockCholesky(const EliminationPlan& plan, ThreadTeam& team)
    : plan_(plan), team_(team), d_(plan.block()) {
  for (const Supernode& s : plan.supernodes()) buffer_size_ = std::max(buffer_size_, s.rows * d_);
  buffer_size_ = (buffer_size_ + 7) / 8 * 8;
  factor_ = allocate(plan.factor_size());
  shared_arena_ = allocate(plan.shared_arena());
  task_arenas_ = allocate(plan.task_arena() * team.size());
  x_ = allocate((static_cast<Index>(plan.nodes()) + plan.buffer_rows()) * d_);
  buffers_ = allocate(buffer_size_ * team.size());
}

bool BlockCholesky::factorise(const double* diagonal, const double* off_diagonal, double relative,
                              const std::function<bool()>& stop) {
  state_ = stop() ? State::kStopped : State::kGood;
  const Input input{diagonal, off_diagonal, 1 + relative};
  const auto tasks = plan_.tasks();
  team_.run(static_cast<Index>(tasks.size()), 1, [&](int thread, Index begin, Index end) {
    Worker worker{task_arenas_.get() + thread * plan_.task_arena(), thread == 0 ? &stop : nullptr, nullptr};
    for (Index t = begin; t < end; ++t) {
      for (NodeId k = tasks[t].begin; k < tasks[t].end && state_.load(std::memory_order_relaxed) == State::kGood; ++k) {
        eliminate(k, input, worker);
      }
    }
  });
  const std::function<void(Index, const std::function<void(Index)>&)> run =
      [this](Index count, const std::function<void(Index)>& piece) {
        team_.run(count, 1, [&](int, Index begin, Index end) {
          for (Index k = begin; k < end; ++k) piece(k);
        });
      };
  const std::function<bool()> stop_front = [&] {
    if (stop()) state_ = State::kStopped;
    return stopped();
  };
  const FrontTeam front_team{run, stop_front};
  Worker worker{shared_arena_.get(), &stop, &front_team};
  eliminate_top(input, worker);
  return state_.load() == State::kGood;
}

void BlockCholesky::eliminate_top(const Input& input, Worker& worker) {
  const auto top = plan_.top();
  const auto supernodes = plan_.supernodes();
  for (std::size_t t = 0; t < top.size() && state_.load() == State::kGood; ++t) {
    const NodeId k = top[t];
    const Supernode& s = supernodes[k];
    const auto roots = plan_.task_roots_below(static_cast<Index>(t));
    if (!roots.empty()) {
      if (!s.is_opened) open(k, input, update_of(s, worker));
      for (const NodeId c : roots) {
        add_update(supernodes[c], update_of(supernodes[c], worker), update_of(s, worker), worker.team);
      }
      finish(k, input, worker);
    } else {
      eliminate(k, input, worker);
    }
  }
}

double* BlockCholesky::update_of(const Supernode& s, const Worker& worker) const {
  return (s.is_task_root ? shared_arena_.get() : worker.arena) + s.update;
}

void BlockCholesky::eliminate(NodeId k, const Input& input, Worker& worker) {
  const Supernode& s = plan_.supernodes()[k];
  if (!s.is_opened) open(k, input, update_of(s, worker));
  finish(k, input, worker);
}

/// Fills the front of supernode k with the entries of the matrix.
void BlockCholesky::open(NodeId k, const Input& input, double* update) {
  const Supernode& s = plan_.supernodes()[k];
  const Index w = s.columns * d_;
  const Index r = s.rows * d_;
  const Index height = w + r;
  double* const panel = factor_.get() + s.panel;
  std::fill_n(panel, w * height, 0.0);
  std::fill_n(update, r * r, 0.0);
  for (NodeId j = 0; j < s.columns; ++j) {
    const double* const block = input.diagonal + plan_.order()[s.first + j] * d_ * d_;
    double* const to = panel + j * d_ * (height + 1);
    for (Index c = 0; c < d_; ++c) {
      to[c * (height + 1)] = input.scale * block[c * (d_ + 1)];
      for (Index i = c + 1; i < d_; ++i) to[c * height + i] = block[c * d_ + i];
    }
  }
  for (const EdgePlace& place : plan_.edges(k)) {
    const double* const block = input.off_diagonal + place.edge * d_ * d_;
    double* const to = factor_.get() + place.offset;
    for (Index c = 0; c < d_; ++c) {
      if (place.is_transposed) {
        for (Index i = 0; i < d_; ++i) to[c * height + i] = block[i * d_ + c];
      } else {
        for (Index i = 0; i < d_; ++i) to[c * height + i] = block[c * d_ + i];
      }
    }
  }
}

/// Eliminates the columns of an assembled front and adds its update to the parent.
void BlockCholesky::finish(NodeId k, const Input& input, Worker& worker) {
  const Supernode& s = plan_.supernodes()[k];
  double* const update = update_of(s, worker);
  const Front front{factor_.get() + s.panel, update, s.columns * d_, s.rows * d_};
  const double flops = elimination_flops(static_cast<double>(front.w), static_cast<double>(front.r));
  worker.flops += flops + kFlopsPerSmallFront;
  if (worker.stop != nullptr && worker.flops > kFlopsPerPoll) {
    worker.flops = 0;
    if ((*worker.stop)()) {
      state_ = State::kStopped;
      return;
    }
  }
  const bool is_large = flops > kLargeFront;
  bool is_positive = false;
  if (is_large && worker.team != nullptr) {
    is_positive = eliminate_front(front, *worker.team);
  } else if (is_large) {
    static const std::function<void(Index, const std::function<void(Index)>&)> kAlone =
        [](Index count, const std::function<void(Index)>& piece) {
          for (Index i = 0; i < count; ++i) piece(i);
        };
    const std::function<bool()> stop = [&] {
      if (worker.stop != nullptr && (*worker.stop)()) state_ = State::kStopped;
      return state_.load() != State::kGood;
    };
    is_positive = eliminate_front(front, {kAlone, stop});
  } else {
    is_positive = eliminate_front(front);
  }
  if (!is_positive) {
    State good = State::kGood;
    state_.compare_exchange_strong(good, State::kNotPositive);
    return;
  }
  if (s.is_task_root || s.parent < 0) return;
  double* const parent_update = update_of(plan_.supernodes()[s.parent], worker);
  if (s.opens_parent) open(s.parent, input, parent_update);
  add_update(s, update, parent_update, worker.team);
}

void BlockCholesky::add_update(const Supernode& s, const double* update, double* parent_update, const FrontTeam* team) {
  const Supernode& p = plan_.supernodes()[s.parent];
  const NodeId* const places = plan_.places(s);
  double* const panel = factor_.get() + p.panel;
  const Index height = (p.columns + p.rows) * d_;
  const Index below = p.rows * d_;
  const Index size = s.rows * d_;
  // Runs of rows that are neighbours in the parent, too, are added at once.
  const auto add_column = [&](Index j) {
    const bool is_in_panel = places[j] < p.columns;
    double* const to = is_in_panel ? panel + places[j] * d_ * height
                                   : parent_update + (places[j] - p.columns) * d_ * (below + 1) - places[j] * d_;
    const Index stride = is_in_panel ? height : below;
    const double* const from = update + j * d_ * size;
    for (Index i = j; i < s.rows;) {
      Index end = i + 1;
      while (end < s.rows && places[end] - places[i] == end - i) ++end;
      for (Index c = 0; c < d_; ++c) {
        add_numbers(to + c * stride + places[i] * d_, from + c * size + i * d_, (end - i) * d_);
      }
      i = end;
    }
  };
  constexpr Index kLargeUpdate = 512;  // scalar rows
  if (team == nullptr || size < kLargeUpdate) {
    for (Index j = 0; j < s.rows; ++j) add_column(j);
    return;
  }
  const Index chunk = std::max<Index>(1, 64 / d_);
  team->run((s.rows + chunk - 1) / chunk, [&](Index piece) {
    for (Index j = piece * chunk; j < std::min<Index>(s.rows, (piece + 1) * chunk); ++j) add_column(j);
  });
}

void BlockCholesky::forward(const Supernode& s, double* buffer) const {
  const Index w = s.columns * d_;
  const Index r = s.rows * d_;
  const double* const panel = factor_.get() + s.panel;
  const NodeId* const targets = plan_.targets(s);
  double* const x = x_.get() + s.first * d_;
  if (w <= kShort) {
    std::fill_n(buffer, r, 0.0);
    for (Index c = 0; c < w; ++c) {
      const double* const column = panel + c * (w + r);
      const double value = x[c] /= column[c];
      for (Index i = c + 1; i < w; ++i) x[i] -= column[i] * value;
      for (Index i = 0; i < r; ++i) buffer[i] += column[w + i] * value;
    }
  } else {
    const Eigen::OuterStride<> stride(w + r);
    Segment head(x, w);
    Panel(panel, w, w, stride).triangularView<Eigen::Lower>().solveInPlace(head);
    if (r > 0) Segment(buffer, r).noalias() = Panel(panel + w, r, w, stride) * head;
  }
  for (NodeId i = 0; i < s.rows; ++i) {
    double* const to = x_.get() + targets[i] * d_;
    for (Index c = 0; c < d_; ++c) to[c] -= buffer[i * d_ + c];
  }
}

void BlockCholesky::backward(const Supernode& s, double* buffer) const {
  const Index w = s.columns * d_;
  const Index r = s.rows * d_;
  const double* const panel = factor_.get() + s.panel;
  const NodeId* const rows = plan_.rows(s);
  double* const x = x_.get() + s.first * d_;
  for (NodeId i = 0; i < s.rows; ++i) std::copy_n(x_.get() + rows[i] * d_, d_, buffer + i * d_);
  if (w <= kShort && r <= 4 * kShort) {
    for (Index c = w; c-- > 0;) {
      const double* const column = panel + c * (w + r);
      double sum = x[c];
      for (Index i = c + 1; i < w; ++i) sum -= column[i] * x[i];
      for (Index i = 0; i < r; ++i) sum -= column[w + i] * buffer[i];
      x[c] = sum / column[c];
    }
    return;
  }
  const Eigen::OuterStride<> stride(w + r);
  Segment head(x, w);
  if (r > 0) head.noalias() -= Panel(panel + w, r, w, stride).transpose() * Segment(buffer, r);
  Panel(panel, w, w, stride).transpose().triangularView<Eigen::Upper>().solveInPlace(head);
}

void BlockCholesky::solve(Matrix& rhs) const {
  const auto order = plan_.order();
  const auto supernodes = plan_.supernodes();
  const auto tasks = plan_.tasks();
  const auto top = plan_.top();
  const auto task_count = static_cast<Index>(tasks.size());
  double* const x = x_.get();
  double* const outside = x + static_cast<Index>(plan_.nodes()) * d_;
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::copy_n(rhs.data() + order[k] * d_, d_, x + static_cast<Index>(k) * d_);
  }
  std::fill_n(outside, plan_.buffer_rows() * d_, 0.0);
  team_.run(task_count, 1, [&](int thread, Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      for (NodeId k = tasks[t].begin; k < tasks[t].end; ++k) {
        forward(supernodes[k], buffers_.get() + thread * buffer_size_);
      }
    }
  });
  for (const EliminationTask& task : tasks) {
    const Supernode& root = supernodes[task.end - 1];
    for (NodeId i = 0; i < root.rows; ++i) {
      add_numbers(x + plan_.rows(root)[i] * d_, outside + (task.buffer + i) * d_, d_);
    }
  }
  for (const NodeId k : top) forward(supernodes[k], buffers_.get());
  for (std::size_t t = top.size(); t-- > 0;) backward(supernodes[top[t]], buffers_.get());
  team_.run(task_count, 1, [&](int thread, Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      for (NodeId k = tasks[t].end; k-- > tasks[t].begin;) {
        backward(supernodes[k], buffers_.get() + thread * buffer_size_);
      }
    }
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::copy_n(x + static_cast<Index>(k) * d_, d_, rhs.data() + order[k] * d_);
  }
}

}  // namespace gtvmin
