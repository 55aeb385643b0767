#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "command.h"
#include "gtvmin/base/huge_pages.h"
#include "gtvmin/base/memory.h"
#include "gtvmin/version.h"
#include "help_formatter.h"
#include "standard_streams.h"
#include "usage.h"

namespace gtvmin::app {
namespace {

/// Matrices of some megabytes come and go all the time; to get their pages from the system anew, and zeroed, would take
/// longer than what is done with them. So memory is kept, and the heap begins with large pages, which come by two
/// megabytes at a time.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, 64 * kMegabyte);
  ::mallopt(M_TRIM_THRESHOLD, 512 * kMegabyte);
  constexpr Index kNumbers = 48 * kMegabyte / sizeof(double);
  const std::unique_ptr<double[]> heap(new (std::nothrow) double[kNumbers]);
  if (heap) prefer_huge_pages(heap.get(), kNumbers);
#endif
}

/// False where the command was built on a machine with other registers than this one.
bool processor_suits() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

int run(int argc, char** argv) {
  CLI::App app{
      "Trains one model per node of a graph by generalized total variation (GTV) minimisation: nodes fit their own "
      "data, and neighbours are pulled towards equal models.\n\nExit codes: 0 solved with a proved bound; 1 failed "
      "check, or a bug; 2 wrong usage; 3 bad input; 4 stopped without the bound asked for, results written; 5 runtime "
      "failure.",
      "gtvmin"};
  app.formatter(std::make_shared<HelpFormatter>(terminal_width()));  // inherited by the commands added below
  app.set_version_flag("--version", std::string("gtvmin ") + version_string());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);

  Action action;
  add_solve_command(app, action);
  add_baseline_command(app, action);
  add_generate_command(app, action);
  add_graph_command(app, action);
  add_evaluate_command(app, action);
  add_theory_command(app, action);
  add_predict_command(app, action);
  add_demo_command(app, action);
  add_reproduce_command(app, action);
  add_federation_command(app, action);
  add_agent_command(app, action);
  add_docs_command(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return report(usage_error(explain(app, error)));
  }
  return action();
}

/// Runs the command; what it throws becomes an exit code.
int run_guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    const std::optional<double> available = available_memory();
    tell(stderr, "gtvmin: out of memory{}\n",
         available ? fmt::format("; {} are available", memory_text(*available)) : "");
    return kRuntimeFailure;
  } catch (const std::system_error& error) {
    // Of the library: standard output that cannot be written, a thread or a lock that the system refuses.
    if (std::ferror(stdout) == 0) tell(stderr, "gtvmin: {}\n", error.what());
    return kRuntimeFailure;
  } catch (const std::exception& error) {
    tell(stderr, "gtvmin: this is a bug in gtvmin: {}\n", error.what());
  } catch (...) {
    tell(stderr, "gtvmin: this is a bug in gtvmin\n");
  }
  return kBug;
}

}  // namespace
}  // namespace gtvmin::app

int main(int argc, char** argv) {
  gtvmin::app::prepare_standard_streams();
  if (!gtvmin::app::processor_suits()) {
    std::fputs(
        "gtvmin: built for a processor with AVX2, which this one lacks; rebuild here, or with -DGTVMIN_PROCESSOR=ANY\n",
        stderr);
    return gtvmin::app::kRuntimeFailure;
  }
  gtvmin::app::keep_freed_memory();
  return gtvmin::app::finish_standard_output(gtvmin::app::run_guarded(argc, argv));
}
