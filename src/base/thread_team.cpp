#include "gtvmin/base/thread_team.h"

#include <algorithm>
#include <chrono>

#include "gtvmin/base/errand.h"

namespace gtvmin {
namespace {
using Clock = std::chrono::steady_clock;

// A helper that sleeps is of use again only after some fifty microseconds. So it spins for a while before it sleeps:
// for the gap between two sweeps and, where its last job came soon, long enough for one that the caller does alone.
// Nobody loses more than that of a processor, and nobody loses it twice.
constexpr auto kShortWait = std::chrono::microseconds(10);
constexpr auto kLongWait = std::chrono::microseconds(200);

void relax_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}
}  // namespace

int threads_or_all(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadTeam::ThreadTeam(int threads) {
  for (int worker = 1; worker < threads; ++worker) helpers_.emplace_back([this, worker] { help(worker); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    generation_.fetch_add(1);
  }
  opened_.notify_all();
  for (auto& helper : helpers_) helper.join();
}

void ThreadTeam::take_chunks(int worker) {
  const Errand* const errand = Errand::of_this_thread();
  for (;;) {
    const Index begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
    if (begin >= items_) return;
    if (errand != nullptr) errand->run();
    job_.call(job_.object, worker, begin, std::min(begin + chunk_, items_));
  }
}

void ThreadTeam::run_job(Index items, Index chunk, Job job) {
  if (helpers_.empty() || items <= chunk) {
    const Errand* const errand = Errand::of_this_thread();
    const Index at_once = errand != nullptr ? chunk : items;
    for (Index begin = 0; begin < items; begin += at_once) {
      if (errand != nullptr) errand->run();
      job.call(job.object, 0, begin, std::min(begin + at_once, items));
    }
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = job;
    items_ = items;
    chunk_ = chunk;
    next_.store(0, std::memory_order_relaxed);
    generation_.fetch_add(1);
  }
  opened_.notify_all();
  take_chunks(0);
  std::unique_lock lock(mutex_);
  left_.wait(lock, [this] { return inside_ == 0; });
  job_ = {};
}

void ThreadTeam::help(int worker) {
  std::uint32_t seen = 0;
  auto patience = kShortWait;
  for (;;) {
    const auto since = Clock::now();
    while (generation_.load() == seen && Clock::now() - since < patience) relax_processor();
    {
      std::unique_lock lock(mutex_);
      opened_.wait(lock, [&] { return generation_.load() != seen; });
      seen = generation_.load();
      patience = Clock::now() - since < kLongWait ? kLongWait : kShortWait;
      if (closing_) return;
      if (job_.object == nullptr) continue;
      ++inside_;
    }
    take_chunks(worker);
    {
      const std::lock_guard lock(mutex_);
      --inside_;
    }
    left_.notify_one();
  }
}

}  // namespace gtvmin
