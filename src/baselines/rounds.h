#pragma once

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

/// Keeps the records of a run and says when it ends. Their seconds leave out what recording takes, which is no part of
/// the method.
///     Rounds rounds(input, options, context);
///     do { … one round that changes w … } while (rounds.another(w));
///     return rounds.result(std::move(w));
class Rounds {
 public:
  /// Reads the clock. The references must outlive this.
  Rounds(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context);

  /// To be called after every round with what each node would use now. False after the last round: the number of rounds
  /// is reached, w has hardly changed, or the observer said stop.
  [[nodiscard]] bool another(const Matrix& w);
  /// The same for a method that knows itself when it has arrived: what counts is `arrived`, not how far w has moved.
  [[nodiscard]] bool another(const Matrix& w, bool arrived);
  /// For methods without rounds, whose answer is there at once.
  void record(const Matrix& w);

  /// For methods with several starts: the next one has as many rounds again. Records and numbers of rounds go on.
  void restart();

  /// Asks the caller whether to go on, for methods whose rounds are long or have no records.
  [[nodiscard]] bool asked_to_stop();

  /// Rounds so far.
  [[nodiscard]] std::int64_t done() const { return done_; }
  /// The caller said stop.
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  [[nodiscard]] BaselineResult result(Matrix w);

 private:
  [[nodiscard]] double now() const { return context_.seconds ? context_.seconds() : 0; }

  const BaselineInput& input_;
  const BaselineOptions& options_;
  const BaselineContext& context_;
  double began_ = 0;  // moved on by the time that recording took
  std::int64_t done_ = 0;
  std::int64_t first_ = 0;  // rounds before this start
  bool interrupted_ = false;
  Matrix before_;
  std::vector<RoundRecord> trace_;
};

/// Runs a method that has round(number) and w(), what each node would use now, to its end.
template <class Method>
[[nodiscard]] BaselineResult run_rounds(Rounds& rounds, Method& method) {
  do {
    method.round(rounds.done());
  } while (rounds.another(method.w()));
  return rounds.result(method.w());
}

}  // namespace gtvmin
