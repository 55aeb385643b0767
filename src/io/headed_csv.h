#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/stop.h"
#include "gtvmin/base/types.h"
#include "gtvmin/io/csv.h"
#include "gtvmin/io/input_problems.h"

namespace gtvmin {

/// A CSV text whose first record names the columns. Everything wrong with its form goes to `problems`: an empty file, a
/// column without a name or with the name of another, records that are broken or have another number of fields.
class HeadedCsv {
 public:
  static constexpr Index kAbsent = -1;

  /// The text and the problems must outlive this object.
  HeadedCsv(std::string_view text, InputProblems& problems, Stop stop = {});

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// The position of a column, or kAbsent.
  [[nodiscard]] Index find(std::string_view column) const;
  /// The same, but an absent column is a problem: "no column …" and the columns there are.
  [[nodiscard]] Index require(std::string_view column);

  /// Goes to the next record of good form; false at the end, or once `stop` said so.
  bool next();
  [[nodiscard]] bool stopped() const { return poll_.has_stopped(); }
  [[nodiscard]] std::int64_t line() const { return record_.line; }
  [[nodiscard]] std::string_view field(Index column) const { return record_.fields[column]; }
  /// The finite number in a field; anything else is a problem.
  [[nodiscard]] std::optional<double> number(Index column);
  /// The name in a field; an empty one is a problem.
  [[nodiscard]] std::optional<std::string_view> name(Index column);
  /// A problem of the current record, or of one of its fields.
  void report(std::string what) { problems_.add(record_.line, std::move(what)); }
  void report(Index column, std::string_view what);

 private:
  CsvReader reader_;
  CsvRecord record_;
  InputProblems& problems_;
  StopPoll poll_;
  std::vector<std::string> columns_;
};

/// Why a field, which parse_number made `number` of, is not a finite number.
[[nodiscard]] std::string number_problem(std::string_view field, const std::optional<double>& number);

}  // namespace gtvmin
