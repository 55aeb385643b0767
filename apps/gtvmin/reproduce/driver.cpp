#include "driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "../clock.h"
#include "../interrupt.h"
#include "cell_progress.h"
#include "cell_store.h"
#include "documents.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/io/output_file.h"

namespace gtvmin::app {
namespace {

/// A reading on its way: its cells and, position by position, what they found.
struct Job {
  const Experiment* experiment;
  Reading reading;
  std::string folder;
  PaperNumbers paper;
  std::vector<Cell> cells;
  CellStore store;
  std::vector<std::optional<CellOutcome>> outcomes;
};

struct Task {
  Job* job;
  std::size_t position;
};

Result<Job> prepare(const Experiment& experiment, Reading reading, const DriverSettings& settings) {
  Result<std::vector<Cell>> cells = plan_cells(experiment, reading, settings.quick, settings.data);
  if (!cells) return cells.error();
  Result<PaperNumbers> paper = paper_numbers(experiment, settings.paper_results);
  if (!paper) return paper.error();
  const std::string folder = fmt::format("{}/{}/{}", settings.out, experiment.name, to_string(reading));
  Job job{&experiment, reading, folder, *std::move(paper), *std::move(cells), CellStore(folder + "/cells"), {}};
  job.outcomes.reserve(job.cells.size());
  for (const Cell& cell : job.cells) job.outcomes.push_back(job.store.load(cell));
  return job;
}

Result<std::vector<Job>> prepare_all(const std::vector<Experiment>& experiments, const DriverSettings& settings) {
  std::vector<Job> jobs;
  jobs.reserve(experiments.size() * settings.readings.size());
  for (const Experiment& experiment : experiments) {
    for (const Reading reading : settings.readings) {
      Result<Job> job = prepare(experiment, reading, settings);
      if (!job) return job.error();
      jobs.push_back(*std::move(job));
    }
  }
  return jobs;
}

/// Cells that are not on disk, in the order of the plan.
std::vector<Task> open_tasks(std::vector<Job>& jobs) {
  std::vector<Task> tasks;
  for (Job& job : jobs) {
    for (std::size_t k = 0; k < job.cells.size(); ++k) {
      if (!job.outcomes[k]) tasks.push_back({&job, k});
    }
  }
  return tasks;
}

/// What a user of `generate` or `solve` did wrong is here wrong with the experiment.
Error in_experiment(const Experiment& experiment, const Cell& cell, Error error) {
  for (std::string& message : error.messages) message = fmt::format("{}: {}: {}", experiment.file, cell.key, message);
  if (error.kind == Error::Kind::kUsage) error.kind = Error::Kind::kBadInput;
  return error;
}

/// Runs one cell and puts it on disk.
Status run_task(const Task& task, CellProgress& progress) {
  const Cell& cell = task.job->cells[task.position];
  progress.begin(cell);
  const double began = seconds_now();
  Result<CellOutcome> outcome = run_cell(cell);
  if (!outcome) return in_experiment(*task.job->experiment, cell, outcome.error());
  outcome->seconds = seconds_now() - began;
  if (const Status saved = task.job->store.save(cell, *outcome); !saved) return saved;
  progress.add_finished(cell, outcome->seconds);
  task.job->outcomes[task.position] = *std::move(outcome);
  return Unit{};
}

Status run_tasks(std::vector<Job>& jobs, const std::vector<Task>& tasks, const DriverSettings& settings) {
  CellProgress progress(settings.progress ? stderr : nullptr, tasks.size(), settings.threads);
  for (const Task& task : tasks) progress.expect(task.job->cells[task.position]);
  for (const Job& job : jobs) {
    for (std::size_t k = 0; k < job.cells.size(); ++k) {
      if (job.outcomes[k]) progress.add_finished(job.cells[k], job.outcomes[k]->seconds);
    }
  }
  std::atomic<bool> failed = false;
  std::mutex mutex;
  Status first = Unit{};
  ThreadTeam team(settings.threads);
  team.run(static_cast<Index>(tasks.size()), 1, [&](int, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      if (failed || InterruptGuard::interrupted()) return;
      const Status done = run_task(tasks[k], progress);
      if (done || failed.exchange(true)) continue;
      const std::lock_guard lock(mutex);
      first = done;
    }
  });
  return first;
}

std::vector<FinishedCell> finished_cells(Job& job) {
  std::vector<FinishedCell> cells;
  cells.reserve(job.cells.size());
  for (std::size_t k = 0; k < job.cells.size(); ++k) cells.push_back({&job.cells[k], *std::move(job.outcomes[k])});
  return cells;
}

ReadingResult conclude(Job& job, Summary summary) {
  std::vector<CheckOutcome> checks = run_checks(*job.experiment, summary, job.paper);
  return {job.experiment, std::move(summary), std::move(job.paper), std::move(checks)};
}

Status write_documents(const Job& job, const Summary& summary, const std::vector<FinishedCell>& cells) {
  const std::string& name = job.experiment->name;
  std::vector<std::pair<std::string, std::string>> files = {
      {name + ".csv", summary_csv(*job.experiment, summary)},
      {"results.json", results_json(*job.experiment, summary, cells)},
      {"figure.svg", to_svg(figure(*job.experiment, summary, job.paper))}};
  if (std::string cloud = cloud_csv(summary); !cloud.empty()) files.emplace_back(name + "_weights.csv", cloud);
  for (const auto& [file, content] : files) {
    const std::string path = fmt::format("{}/{}", job.folder, file);
    if (const Status written = write_output_file(path, true, content); !written) return written;
  }
  return Unit{};
}

}  // namespace

Result<DriverResult> run_experiments(const std::vector<Experiment>& experiments, const DriverSettings& settings) {
  Result<std::vector<Job>> jobs = prepare_all(experiments, settings);
  if (!jobs) return jobs.error();
  for (const Job& job : *jobs) {
    if (const Status made = job.store.make_folder(); !made) return made.error();
  }
  const Status done = run_tasks(*jobs, open_tasks(*jobs), settings);
  DriverResult result;
  for (const Job& job : *jobs) result.cells += job.cells.size();
  result.finished = result.cells - open_tasks(*jobs).size();
  // A cell that a signal cut short fails too, but that is no failure.
  result.interrupted = InterruptGuard::interrupted() && result.finished < result.cells;
  if (result.interrupted) return result;
  if (!done) return done.error();
  result.readings.reserve(jobs->size());
  for (Job& job : *jobs) {
    const std::vector<FinishedCell> cells = finished_cells(job);
    Summary summary = summarise(*job.experiment, job.reading, cells);
    if (const Status written = write_documents(job, summary, cells); !written) return written.error();
    result.readings.push_back(conclude(job, std::move(summary)));
  }
  return result;
}

Result<std::vector<ReadingResult>> load_experiments(const std::vector<Experiment>& experiments,
                                                    const DriverSettings& settings) {
  Result<std::vector<Job>> jobs = prepare_all(experiments, settings);
  if (!jobs) return jobs.error();
  std::vector<ReadingResult> readings;
  readings.reserve(jobs->size());
  for (Job& job : *jobs) {
    if (!std::all_of(job.outcomes.begin(), job.outcomes.end(),
                     [](const auto& outcome) { return outcome.has_value(); })) {
      return usage_error(fmt::format("{}: cells are missing; run gtvmin reproduce {} --out {} first", job.folder,
                                     job.experiment->name, settings.out));
    }
    readings.push_back(conclude(job, summarise(*job.experiment, job.reading, finished_cells(job))));
  }
  return readings;
}

}  // namespace gtvmin::app
