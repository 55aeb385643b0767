#include "gtvmin/base/thread_team.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "gtvmin/base/errand.h"

namespace gtvmin {
namespace {
// A helper that sleeps is of use again only after some fifty microseconds, so it spins for a while before it sleeps:
// about ten microseconds, which is the gap between two sweeps, or about two hundred, which is a sweep that the caller
// does alone.
constexpr int kFewSpins = 400;
constexpr int kManySpins = 8000;

/// How long a helper spins. The long way as long as news comes in time; where it did not, ever more waits are short
/// before the next long one, so that a helper for whom there is little to do takes no processor from somebody else.
class Patience {
 public:
  [[nodiscard]] int spins() const { return short_waits_ == 0 ? kManySpins : kFewSpins; }
  void waited(bool in_time) {
    constexpr int kMostShortWaits = 256;
    if (in_time && short_waits_ == 0) {
      next_short_waits_ = 1;
    } else if (short_waits_ > 0) {
      --short_waits_;
    } else {
      short_waits_ = next_short_waits_;
      next_short_waits_ = std::min(2 * next_short_waits_, kMostShortWaits);
    }
  }

 private:
  int short_waits_ = 0;  // still to come
  int next_short_waits_ = 1;
};

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

ThreadTeam::ThreadTeam(int threads)
    : ThreadTeam(threads, [](std::function<void()> body) { return std::thread(std::move(body)); }) {}

ThreadTeam::ThreadTeam(int threads, const StartThread& start) {
  try {
    helpers_.reserve(static_cast<std::size_t>(std::max(threads - 1, 0)));
    for (int worker = 1; worker < threads; ++worker) helpers_.push_back(start([this, worker] { help(worker); }));
  } catch (const std::system_error&) {  // a limit on threads or on memory for their stacks
  } catch (const std::bad_alloc&) {
  }
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

void ThreadTeam::take_chunks(int worker) noexcept {
  const Errand* const errand = Errand::of_this_thread();
  try {
    for (;;) {
      const Index begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= items_) return;
      if (errand != nullptr) errand->run();
      job_.call(job_.object, worker, begin, std::min(begin + chunk_, items_));
    }
  } catch (...) {
    next_.store(items_, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
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
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::help(int worker) {
  std::uint32_t seen = 0;
  Patience patience;
  for (;;) {
    const int most_spins = patience.spins();
    int spins = 0;
    for (; spins < most_spins && generation_.load() == seen; ++spins) relax_processor();
    patience.waited(spins < most_spins);
    {
      std::unique_lock lock(mutex_);
      opened_.wait(lock, [&] { return generation_.load() != seen; });
      seen = generation_.load();
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
