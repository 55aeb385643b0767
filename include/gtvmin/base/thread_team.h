#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// How many threads a user means who asks for `wanted`; 0: as many as the machine has.
[[nodiscard]] int threads_or_all(int wanted);

/// A few threads that share the chunks of one job at a time. The caller works too and takes whatever the others have
/// not taken; it waits only for chunks that another thread has begun. So a helper that gets no processor time costs
/// nothing, and nobody spins for long: idle helpers sleep.
class ThreadTeam {
 public:
  /// Starts a thread that runs a function, or throws std::system_error.
  using StartThread = std::function<std::thread(std::function<void()>)>;

  /// The caller and threads − 1 helpers. If the system refuses a helper, the team goes on with those that it has.
  explicit ThreadTeam(int threads);
  ThreadTeam(int threads, const StartThread& start);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Runs job(worker, begin, end) over 0 … items − 1 in chunks of `chunk`; worker 0 is the caller. Returns when all is
  /// done. Allocates nothing. If the job throws, in whichever thread, the chunks that are left are dropped and the
  /// first exception is thrown here.
  template <class Callable>
  void run(Index items, Index chunk, const Callable& callable) {
    run_job(items, chunk, {&callable, [](const void* object, int worker, Index begin, Index end) {
                             (*static_cast<const Callable*>(object))(worker, begin, end);
                           }});
  }

 private:
  struct Job {
    const void* object = nullptr;  // null: no job is open to helpers
    void (*call)(const void* object, int worker, Index begin, Index end) = nullptr;
  };
  void run_job(Index items, Index chunk, Job job);
  void help(int worker);
  void take_chunks(int worker) noexcept;

  std::vector<std::thread> helpers_;
  std::mutex mutex_;
  std::condition_variable opened_;
  std::condition_variable left_;
  // Guarded by mutex_; `generation_` may be read without it to see cheaply whether there is news.
  Job job_;
  Index items_ = 0;
  Index chunk_ = 1;
  int inside_ = 0;  // helpers working on the open job
  bool closing_ = false;
  std::exception_ptr failure_;  // the first that a chunk of the open job threw
  std::atomic<std::uint32_t> generation_{0};

  std::atomic<Index> next_{0};  // first item nobody has taken
};

}  // namespace gtvmin
