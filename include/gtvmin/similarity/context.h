#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "gtvmin/base/result.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// How far a long computation has come: `done` of `total` steps of the stage, e.g. "distances".
struct StageRecord {
  std::string_view stage;
  Index done = 0;
  Index total = 0;
};

/// Who does the work and who watches. The results do not depend on the number of threads.
struct SimilarityContext {
  ThreadTeam& team;
  /// Called now and then, on the calling thread only; false stops the computation. May be empty.
  std::function<bool(const StageRecord&)> observe;

  [[nodiscard]] bool report(const StageRecord& record) const { return !observe || observe(record); }
};

/// What a computation ends with that the observer has stopped.
[[nodiscard]] inline Error stopped() { return runtime_failure("stopped before the graph was complete"); }

/// Runs job(worker, item) for the items 0 … items − 1 on the team, `chunk` at a time, and tells the observer. Fails
/// with stopped() if it says so.
template <class Callable>
[[nodiscard]] Status for_each_item(const SimilarityContext& context, std::string_view stage, Index items, Index chunk,
                                   const Callable& job) {
  std::atomic<bool> stop{false};
  std::atomic<Index> done{0};
  const auto work = [&](int worker, Index begin, Index end) {
    for (Index item = begin; item < end && !stop.load(std::memory_order_relaxed); ++item) {
      job(worker, item);
      const Index now = done.fetch_add(1, std::memory_order_relaxed) + 1;
      if (worker == 0 && !context.report({stage, now, items})) stop.store(true, std::memory_order_relaxed);
    }
  };
  context.team.run(items, chunk, work);
  if (stop.load()) return stopped();
  return Unit{};
}

}  // namespace gtvmin
