#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/options/option_set.h"
#include "gtvmin/options/table_reader.h"

namespace gtvmin::app {

/// An experiment has two readings: what the paper says, and what was run to get its numbers.
enum class Reading { kAsWritten, kAsRun };
inline constexpr std::array<Reading, 2> kReadings = {Reading::kAsWritten, Reading::kAsRun};
[[nodiscard]] std::string_view to_string(Reading reading);

/// What is measured of a result.
enum class Metric {
  kParameters,     ///< ‖ŵ_i − w̄_i‖², mean over nodes: the paper's definition
  kPerCoordinate,  ///< the same over the dimension
  kLabels,         ///< (ŷ − y)², mean over the samples of all nodes, seen in training or not, y as generated
  kUnseenLabels,   ///< the same over the nodes whose samples were withheld
  kScatter,        ///< no error: how many different models the nodes have; their two parameters are shown
  kAccuracy,       ///< no error: the share of held-out samples whose label is the most probable one
};
[[nodiscard]] std::string_view to_string(Metric metric);
/// In words, for tables.
[[nodiscard]] std::string_view describe(Metric metric);

/// What varies from one row of the table to the next.
struct XAxis {
  std::string column;  ///< its name in the table
  /// "generate.epsilon" or "solve.lambda"; "iteration": a training is watched, and x counts its iterations or rounds
  /// from 0; empty: nothing varies.
  std::string sets;
  /// The text that the option gets, with the value for {}.
  std::string pattern = "{}";
  std::vector<double> values;

  [[nodiscard]] bool is_iteration() const { return sets == "iteration"; }
};

/// Samples from files: data.csv, heldout.csv and clusters.csv in a folder below that of --data, and edges.
struct FileData {
  std::string folder;
  std::string edges = "edges.csv";
};

enum class MethodKind {
  kSolve,           ///< gtvmin solve
  kBaseline,        ///< gtvmin baseline
  kCriticalLambda,  ///< gtvmin solve, again and again: the least λ at which all nodes share one model
  kTruth            ///< nothing is trained: the true parameters
};

/// A way to train, and the part of a column's name that stands for it.
struct ExperimentMethod {
  std::string key;
  std::string name;
  MethodKind kind = MethodKind::kSolve;
  SetOptions options;
  std::vector<double> values;   ///< of x at which it is run; empty: at all of them
  std::optional<Reading> only;  ///< the one reading that has it
  double seconds = 0;           ///< what a cell was measured to take; 0: not known
  bool full_only = false;       ///< left out of the quick version
  std::string solved_by;        ///< key of the method that solves the same problem to optimality; empty: none
};

/// Changes of the data that give a curve of their own, e.g. the share of accessible nodes.
struct Variant {
  std::string key;
  std::string name;
  SetOptions generate;
};

/// How much the loss of a node counts where methods solve.
enum class LossWeights {
  kEqual,
  /// degree(i)/degree(c) for node i in cluster c, both counted from 0: what the authors' code comes to, which gives the
  /// primal update of every node of cluster c the step size of node c.
  kClusterDegree
};
[[nodiscard]] std::string_view to_string(LossWeights weights);

/// What sets a reading apart.
struct ReadingChanges {
  Metric metric = Metric::kParameters;
  SetOptions generate;
  LossWeights loss_weights = LossWeights::kEqual;
  std::string edges;  ///< of files, in place of those of FileData; empty: the same
  SetOptions solve;
  SetOptions baseline;
  std::map<std::string, SetOptions> methods;   ///< of some methods, by key
  std::map<std::string, SetOptions> variants;  ///< of the data of some variants, by key
};

/// Numbers that the paper prints.
struct PrintedCurve {
  std::string series;
  std::vector<double> x;
  std::vector<double> y;
};

/// A statement about the results, tested whenever they are made. Empty fields do not restrict.
struct Check {
  std::string text;
  std::optional<Reading> reading;
  std::vector<std::string> series;
  std::vector<double> x;
  std::optional<double> at_most;
  std::optional<double> at_least;
  /// Bounds of ours over the paper's number, wherever the paper's is below `where_paper_below`.
  std::optional<double> ratio_at_most;
  std::optional<double> ratio_at_least;
  std::optional<double> where_paper_below;
  /// The median of our runs decides, not their mean: one unlucky draw is no failure.
  bool typical = false;
  /// Where our mean breaks ratio_at_most and would not without up to so many of its draws, the place is listed with
  /// those draws, their errors and what is left of them when the problem is solved, and the check holds.
  std::int64_t but_for_draws = 0;
  /// Bound of the median over x of ours over the paper's, for every series.
  std::optional<double> median_ratio_at_most;
  /// The series, in this order, fall below each other.
  bool ascending = false;
  /// Two series differ by no more than this.
  std::optional<double> within;
  /// Wherever the paper's error bars do not overlap, our means of two methods of one variant stand in the paper's
  /// order.
  bool papers_order = false;
  /// Where our means stand in another order but within our error bars, the place is listed, and the check holds.
  bool but_for_ties = false;
};

/// A sentence about a series, or about all series of a method, for the page that compares.
struct Note {
  std::string about;
  std::string text;
};

/// One table or figure of the paper as data; see docs/experiments.md for the format.
struct Experiment {
  std::string file;
  std::string name;
  std::string title;
  std::string origin;  ///< where the paper shows it
  std::int64_t runs = 1;
  std::int64_t seed = 1;
  XAxis x;
  std::string graph;  ///< of generated data
  SetOptions generate;
  std::optional<FileData> files;  ///< instead
  std::vector<ExperimentMethod> methods;
  std::vector<Variant> variants;
  std::array<ReadingChanges, 2> readings;
  std::int64_t quick_runs = 1;
  std::vector<double> quick_values;
  /// Names of columns, with the key of the series for {}.
  std::string mean_column = "{}MSE";
  std::string deviation_column = "{}STD";
  std::string recovered_file;  ///< the table that --paper-results has for it
  std::vector<PrintedCurve> printed;
  std::vector<Check> checks;
  std::vector<Note> notes;
  bool panel_per_method = false;

  [[nodiscard]] const ReadingChanges& changes(Reading reading) const {
    return readings[reading == Reading::kAsWritten ? 0 : 1];
  }
};

/// A curve of an experiment: a method on a variant of the data.
struct SeriesId {
  const ExperimentMethod* method = nullptr;
  const Variant* variant = nullptr;
  [[nodiscard]] std::string key() const { return method->key + variant->key; }
  [[nodiscard]] std::string name() const;
};

/// What the numbers of a reading are, in words; columns that hold something else are named.
[[nodiscard]] std::string describe_numbers(const Experiment& experiment, Reading reading);

/// The curves of a reading in the order of the table's columns. They point into `experiment`.
[[nodiscard]] std::vector<SeriesId> series_of(const Experiment& experiment, Reading reading);

/// `pattern` with `text` for {}.
[[nodiscard]] std::string fill_in(std::string_view pattern, std::string_view text);

/// Reads an experiment; fails with all that is wrong, each "file:line: what". Options are checked when they are used.
[[nodiscard]] Result<Experiment> parse_experiment(const std::string& file, std::string_view content);

}  // namespace gtvmin::app
