#include "gtvmin/solver/solver_state.h"

#include "gtvmin/base/bytes.h"

namespace gtvmin {
namespace {

void put(const IterationRecord& record, ByteWriter& out) {
  out.integer(record.iteration);
  out.reals({{record.seconds, record.objective, record.loss, record.gtv, record.certificate, record.relative,
              record.primal_weight}});
  out.integer(record.restarts);
  out.integer(record.newton_steps);
}

IterationRecord get_record(ByteReader& in) {
  IterationRecord record;
  record.iteration = in.integer();
  for (double* value : {&record.seconds, &record.objective, &record.loss, &record.gtv, &record.certificate,
                        &record.relative, &record.primal_weight}) {
    *value = in.real();
  }
  record.restarts = in.integer();
  record.newton_steps = in.integer();
  return record;
}

}  // namespace

std::string pack(const SolverState& state) {
  ByteWriter out;
  const Progress& progress = state.progress;
  out.integer(progress.iteration);
  out.reals({{progress.seconds, progress.objective, progress.previous_objective, progress.certified}});
  const PrimalWeight::State& weight = state.weight.state();
  out.real(weight.omega);
  out.integer(weight.window_end);
  out.integer(weight.changes);
  out.integer(state.convex ? 1 : 0);
  out.integer(state.known_losses ? 1 : 0);
  out.reals({{state.scale, state.size_at_start, state.inner_scale}});
  out.integer(static_cast<std::int64_t>(state.trace.size()));
  for (const IterationRecord& record : state.trace) put(record, out);
  return out.take();
}

Result<SolverState> unpack_state(std::string_view bytes) {
  const Error damaged = bad_input("a state of the solver that was not packed as one");
  ByteReader in(bytes);
  SolverState state;
  Progress& progress = state.progress;
  progress.iteration = in.integer();
  for (double* value : {&progress.seconds, &progress.objective, &progress.previous_objective, &progress.certified}) {
    *value = in.real();
  }
  PrimalWeight::State weight;
  weight.omega = in.real();
  weight.window_end = in.integer();
  weight.changes = in.integer();
  state.weight = PrimalWeight(weight);
  state.convex = in.integer() != 0;
  state.known_losses = in.integer() != 0;
  for (double* value : {&state.scale, &state.size_at_start, &state.inner_scale}) *value = in.real();
  const std::int64_t records = in.integer();
  if (records < 0 || records > in.numbers_left()) return damaged;
  state.trace.reserve(static_cast<std::size_t>(records));
  for (std::int64_t k = 0; k < records; ++k) state.trace.push_back(get_record(in));
  if (!in.ok() || !in.at_end() || progress.iteration < 0) return damaged;
  return state;
}

}  // namespace gtvmin
