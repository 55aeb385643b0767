#include "gtvmin/io/table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "temporary_directory.h"

namespace gtvmin {
namespace {

using Names = std::vector<std::string>;

Names table_problems(std::string_view text, const Names& columns) {
  const auto table = parse_table("t.csv", text, columns);
  return table ? Names{} : table.error().messages;
}

Names matrix_problems(std::string_view text) {
  const auto matrix = parse_matrix("q.csv", text);
  return matrix ? Names{} : matrix.error().messages;
}

TEST(ReadTable, SeparatesTextFromNumbers) {
  const TemporaryDirectory directory;
  const auto table =
      read_table(directory.write("t.csv", "w1,node,kind,w2\n1,b,\"x, y\",2\n3,a,,4\n"), {"node", "kind"});
  ASSERT_TRUE(table.ok()) << table.error().messages.front();
  EXPECT_EQ(table->texts, (std::vector<Names>{{"b", "a"}, {"x, y", ""}}));
  EXPECT_EQ(table->number_names, (Names{"w1", "w2"}));
  EXPECT_EQ(table->numbers, (Matrix(2, 2) << 1, 3, 2, 4).finished());
}

TEST(ReadTable, CountsTheRowsOfATableWithoutNumbers) {
  const auto table = parse_table("t.csv", "node,cluster\na,1\nb,1\n", {"node", "cluster"});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows(), 2);
  EXPECT_EQ(table->numbers.rows(), 0);
}

TEST(ReadTable, AcceptsATableWithoutRows) {
  const auto table = parse_table("t.csv", "node,w\n", {"node"});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows(), 0);
}

TEST(ReadTable, ListsEveryProblem) {
  EXPECT_EQ(table_problems("id,w\na,1\n", {"node"}), (Names{"t.csv:1: no column \"node\"; there are \"id\", \"w\""}));
  EXPECT_EQ(table_problems("", {"node"}), (Names{"t.csv:1: the file is empty"}));
  EXPECT_EQ(
      table_problems("node,w\na,1\nb,two\na,3\n,4\n", {"node"}),
      (Names{"t.csv:3: column \"w\": \"two\" is not a number", "t.csv:4: column \"node\": \"a\" is already on line 2",
             "t.csv:5: column \"node\": empty where a name is expected"}));
}

TEST(ReadMatrix, ReadsASymmetricMatrix) {
  const TemporaryDirectory directory;
  const auto matrix = read_matrix(directory.write("q.csv", "2,-1\r\n-1,3\r\n"));
  ASSERT_TRUE(matrix.ok()) << matrix.error().messages.front();
  EXPECT_EQ(*matrix, (Matrix(2, 2) << 2, -1, -1, 3).finished());
}

TEST(ReadMatrix, EvensOutDifferencesOfRounding) {
  const auto matrix = parse_matrix("q.csv", "1,0.30000000000000004\n0.3,1\n");
  ASSERT_TRUE(matrix.ok());
  EXPECT_EQ((*matrix)(0, 1), (*matrix)(1, 0));
}

TEST(ReadMatrix, ListsEveryProblem) {
  EXPECT_EQ(matrix_problems(""), (Names{"q.csv:1: the file is empty"}));
  EXPECT_EQ(matrix_problems("1,2\n2,1\n3,1\n"), (Names{"q.csv:1: the matrix is not square: 3 lines of 2 numbers"}));
  EXPECT_EQ(matrix_problems("1,2\n2\n"), (Names{"q.csv:2: 1 number, but the first line has 2"}));
  EXPECT_EQ(matrix_problems("x1,inf\n2,\n"),
            (Names{"q.csv:1: column 1: \"x1\" is not a number", "q.csv:1: column 2: \"inf\" is not a finite number",
                   "q.csv:2: column 2: empty where a number is expected"}));
  EXPECT_EQ(matrix_problems("1,2,0\n2,1,5\n0,4,1\n"),
            (Names{"q.csv:3: the matrix is not symmetric: row 3 column 2 is 4, row 2 column 3 is 5"}));
}

}  // namespace
}  // namespace gtvmin
