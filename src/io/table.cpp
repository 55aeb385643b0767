#include "gtvmin/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "gtvmin/io/csv.h"
#include "gtvmin/io/input_problems.h"
#include "gtvmin/io/text_file.h"
#include "headed_csv.h"

namespace gtvmin {

namespace {

constexpr double kSymmetryTolerance = 1e-12;

/// Insists that the first text column names each row once.
class RowNames {
 public:
  void check(HeadedCsv& csv, Index column) {
    const auto name = csv.name(column);
    if (!name) return;
    const auto [known, is_new] = lines_.try_emplace(std::string(*name), csv.line());
    if (!is_new) csv.report(column, fmt::format("{} is already on line {}", shown(*name), known->second));
  }

 private:
  std::unordered_map<std::string, std::int64_t> lines_;
};

void check_symmetry(const Matrix& matrix, const std::vector<std::int64_t>& lines, InputProblems& problems) {
  const double allowed = kSymmetryTolerance * matrix.cwiseAbs().maxCoeff();
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(matrix(i, j) - matrix(j, i)) <= allowed) continue;
      problems.add(lines[i], fmt::format("the matrix is not symmetric: row {} column {} is {}, row {} column {} is {}",
                                         i + 1, j + 1, matrix(i, j), j + 1, i + 1, matrix(j, i)));
    }
  }
}

}  // namespace

Result<Table> read_table(const std::string& path, const std::vector<std::string>& text_columns) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return parse_table(path, file->content(), text_columns);
}

Result<Table> parse_table(const std::string& name, std::string_view content,
                          const std::vector<std::string>& text_columns) {
  InputProblems problems(name);
  HeadedCsv csv(content, problems);
  std::vector<Index> texts;
  texts.reserve(text_columns.size());
  for (const std::string& column : text_columns) texts.push_back(csv.require(column));
  if (!problems.empty()) {
    while (csv.next()) {
    }
    return problems.to_error();
  }

  Table table;
  std::vector<Index> numbers;
  for (Index column = 0; column < static_cast<Index>(csv.columns().size()); ++column) {
    if (std::find(texts.begin(), texts.end(), column) != texts.end()) continue;
    numbers.push_back(column);
    table.number_names.push_back(csv.columns()[column]);
  }
  table.texts.resize(texts.size());
  RowNames row_names;
  std::vector<double> values;
  Index rows = 0;
  for (; csv.next(); ++rows) {
    if (!texts.empty()) row_names.check(csv, texts.front());
    for (std::size_t k = 0; k < texts.size(); ++k) table.texts[k].emplace_back(csv.field(texts[k]));
    for (const Index column : numbers) values.push_back(csv.number(column).value_or(0));
  }
  if (!problems.empty()) return problems.to_error();
  table.numbers = Eigen::Map<const Matrix>(values.data(), static_cast<Index>(numbers.size()), rows);
  return table;
}

Result<Matrix> read_matrix(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return parse_matrix(path, file->content());
}

Result<Matrix> parse_matrix(const std::string& name, std::string_view content) {
  InputProblems problems(name);
  CsvReader reader(content);
  CsvRecord record;
  std::vector<double> numbers;
  std::vector<std::int64_t> lines;
  std::size_t columns = 0;
  while (reader.next(record)) {
    if (!record.problem.empty()) {
      problems.add(record.line, std::string(record.problem));
      continue;
    }
    if (lines.empty()) columns = record.fields.size();
    lines.push_back(record.line);
    if (record.fields.size() != columns) {
      problems.add(record.line, fmt::format("{} {}, but the first line has {}", record.fields.size(),
                                            record.fields.size() == 1 ? "number" : "numbers", columns));
      continue;
    }
    for (std::size_t k = 0; k < columns; ++k) {
      const auto number = parse_number(record.fields[k]);
      numbers.push_back(number.value_or(0));
      if (number && std::isfinite(*number)) continue;
      problems.add(record.line, fmt::format("column {}: {}", k + 1, number_problem(record.fields[k], number)));
    }
  }
  if (lines.empty() && problems.empty()) problems.add(1, "the file is empty");
  if (problems.empty() && lines.size() != columns) {
    problems.add(1, fmt::format("the matrix is not square: {} lines of {} numbers", lines.size(), columns));
  }
  if (!problems.empty()) return problems.to_error();

  const auto d = static_cast<Index>(columns);
  const Matrix transpose = Eigen::Map<const Matrix>(numbers.data(), d, d);
  const Matrix matrix = transpose.transpose();
  check_symmetry(matrix, lines, problems);
  if (!problems.empty()) return problems.to_error();
  // Halves first: the sum of two large entries must not overflow.
  return Matrix(0.5 * matrix + 0.5 * transpose);
}

}  // namespace gtvmin
