#include "interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <utility>

#include "clock.h"

namespace gtvmin::app {
namespace {

constexpr int kExitOnSecondSignal = 130;
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// The only things that the signal handler uses.
std::atomic<int> g_signals = 0;
std::atomic<int> g_most_signals = 1;  // one more ends the process
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int /*signal*/) {
  if (g_signals.fetch_add(1) >= g_most_signals.load()) _exit(kExitOnSecondSignal);
}

int g_guards = 0;  // that live
std::array<struct sigaction, kSignals.size()> g_old;

void install(int signal, struct sigaction& old) {
  sigaction(signal, nullptr, &old);
  if (old.sa_handler == SIG_IGN) {
    return;  // the caller (nohup, a shell's background job) asked for this signal to be ignored
  }
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (g_guards++ > 0) return;
  g_signals = 0;
  for (std::size_t k = 0; k < kSignals.size(); ++k) install(kSignals[k], g_old[k]);
}

InterruptGuard::~InterruptGuard() {
  if (--g_guards > 0) return;
  for (std::size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], &g_old[k], nullptr);
}

bool InterruptGuard::interrupted() { return g_guards > 0 && g_signals.load() > 0; }

WritingGuard::WritingGuard() : signals_before_(g_signals.load()) { g_most_signals = 2; }

WritingGuard::~WritingGuard() { g_most_signals = 1; }

Stop WritingGuard::stop() {
  return [this] {
    const int signals = g_signals.load();
    if (signals == signals_before_) return false;
    if (signals > 1) return true;
    const double now = seconds_now();
    if (noted_at_ == 0) noted_at_ = now;
    return now - noted_at_ >= kGraceSeconds;
  };
}

}  // namespace gtvmin::app
