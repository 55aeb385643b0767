#include "interrupt.h"

#include <unistd.h>

#include <csignal>

namespace gtvmin::app {
namespace {

constexpr int kExitOnSecondSignal = 130;

volatile std::sig_atomic_t g_interrupted = 0;  // the only thing that a signal handler may write

extern "C" void on_signal(int /*signal*/) {
  if (g_interrupted != 0) {
    _exit(kExitOnSecondSignal);
  }
  g_interrupted = 1;
}

struct sigaction g_old_interrupt;
struct sigaction g_old_terminate;

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
  g_interrupted = 0;
  install(SIGINT, g_old_interrupt);
  install(SIGTERM, g_old_terminate);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &g_old_interrupt, nullptr);
  sigaction(SIGTERM, &g_old_terminate, nullptr);
}

bool InterruptGuard::interrupted() { return g_interrupted != 0; }

}  // namespace gtvmin::app
