#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/io/dataset_reader.h"

namespace gtvmin {
namespace {

using Messages = std::vector<std::string>;
using namespace std::string_literals;

constexpr std::string_view kGoodData = "node,y,x\na,1,2\n";
constexpr std::string_view kGoodEdges = "source,target\na,b\n";

Messages problems(std::string_view data, std::string_view edges, LabelDomain labels = LabelDomain::kReal,
                  const DataColumns& columns = {}) {
  const auto dataset = parse_dataset({"data.csv", data}, {"edges.csv", edges}, columns, labels);
  if (dataset) return {};
  EXPECT_EQ(dataset.error().kind, Error::Kind::kBadInput);
  return dataset.error().messages;
}

struct BadFile {
  std::string name;
  std::string text;
  Messages messages;
  friend std::ostream& operator<<(std::ostream& out, const BadFile& file) { return out << file.name; }
};

std::string test_name(const testing::TestParamInfo<BadFile>& info) { return info.param.name; }

class BadData : public testing::TestWithParam<BadFile> {};

TEST_P(BadData, IsReportedWithFileAndLine) { EXPECT_EQ(problems(GetParam().text, kGoodEdges), GetParam().messages); }

INSTANTIATE_TEST_SUITE_P(
    EveryKind, BadData,
    testing::Values(
        BadFile{"EmptyFile", "", {"data.csv:1: the file is empty"}},
        BadFile{"OnlyAByteOrderMark", "\xEF\xBB\xBF\n", {"data.csv:1: the file is empty"}},
        BadFile{"HeaderWithoutRows", "node,y,x\n\n", {"data.csv:1: no rows after the header"}},
        BadFile{"NoNodeColumn", "id,y,x\na,1,2\n", {"data.csv:1: no column \"node\"; there are \"id\", \"y\", \"x\""}},
        BadFile{"NoLabelColumn", "node,x\na,2\n", {"data.csv:1: no column \"y\"; there are \"node\", \"x\""}},
        BadFile{"ColumnTwice", "node,y,x,x\na,1,2,3\n", {"data.csv:1: column \"x\" appears twice in the header"}},
        BadFile{"ColumnWithoutName", "node,y,,x\na,1,2,3\n", {"data.csv:1: column 3 has no name"}},
        BadFile{"BrokenHeader", "node,y\"\na,1\n", {"data.csv:1: a quote inside a field that does not start with one"}},
        BadFile{"EmptyNodeName",
                "node,y,x\n,1,2\n\"\",1,2\n",
                {"data.csv:2: column \"node\": empty where a name is expected",
                 "data.csv:3: column \"node\": empty where a name is expected"}},
        BadFile{"RaggedRows",
                "node,y,x\na,1\na,1,2,3\na\n",
                {"data.csv:2: 2 fields, but the header has 3", "data.csv:3: 4 fields, but the header has 3",
                 "data.csv:4: 1 field, but the header has 3"}},
        BadFile{"NotANumber",
                "node,y,x\na,one,2\na,1,\n",
                {"data.csv:2: column \"y\": \"one\" is not a number",
                 "data.csv:3: column \"x\": empty where a number is expected"}},
        BadFile{"NotFinite",
                "node,y,x\na,nan,inf\na,1,-1e999\n",
                {"data.csv:2: column \"y\": \"nan\" is not a finite number",
                 "data.csv:2: column \"x\": \"inf\" is not a finite number",
                 "data.csv:3: column \"x\": \"-1e999\" is not a finite number"}},
        BadFile{"LongAndControlCharacters",
                "node,y,x\na,1,\"\x1b[31m\n\t\x7f\xff\"\na,1," + std::string(100, 'z') + "\n",
                {"data.csv:2: column \"x\": \"\\x1b[31m\\n\\t\\x7f\\xff\" is not a number",
                 "data.csv:4: column \"x\": \"" + std::string(40, 'z') + "…\" is not a number"}},
        BadFile{"EmptyLineInside", "node,y,x\na,1,2\n\na,1,2\n", {"data.csv:3: an empty line"}},
        BadFile{"CutOffInsideQuotes",
                "node,y,x\na,1,2\n\"a\nb\n",
                {"data.csv:3: a quoted field that never ends; is the file cut off?"}},
        BadFile{"CutOffInsideARow", "node,y,x\na,1,2\na,1", {"data.csv:3: 2 fields, but the header has 3"}},
        BadFile{"StrayQuote",
                "node,y,x\na\"b,1,2\n\"a\"b,1,2\n",
                {"data.csv:2: a quote inside a field that does not start with one",
                 "data.csv:3: text after the closing quote of a field"}},
        BadFile{"NulByte", "node,y,x\na,1,2\na,\0,2\n"s, {"data.csv:3: a NUL byte; is this a text file?"}},
        BadFile{"OldMacLineEnds", "node,y,x\ra,1,2\r", {"data.csv:1: a carriage return that no line feed follows"}},
        BadFile{"LinesAfterQuotedLineBreaks",
                "node,y,x\n\"a\n\n\",1,2\nb,1,bad\n",
                {"data.csv:5: column \"x\": \"bad\" is not a number"}},
        BadFile{"FormOfRowsUnderABadHeader",
                "id,y,x\na,no,2\na,1\n",
                {"data.csv:1: no column \"node\"; there are \"id\", \"y\", \"x\"",
                 "data.csv:3: 2 fields, but the header has 3"}}),
    test_name);

class BadEdges : public testing::TestWithParam<BadFile> {};

TEST_P(BadEdges, AreReportedWithFileAndLine) { EXPECT_EQ(problems(kGoodData, GetParam().text), GetParam().messages); }

INSTANTIATE_TEST_SUITE_P(
    EveryKind, BadEdges,
    testing::Values(
        BadFile{"EmptyFile", "", {"edges.csv:1: the file is empty"}},
        BadFile{"NoTarget",
                "source,weight\na,1\n",
                {"edges.csv:1: no column \"target\"; there are \"source\", \"weight\""}},
        BadFile{"UnknownColumn",
                "source,target,length\na,b,1\n",
                {"edges.csv:1: unknown column \"length\"; an edge file has source, target and, if wanted, weight"}},
        BadFile{"SelfLoop", "source,target\nb,c\na,a\n", {"edges.csv:3: an edge from \"a\" to itself"}},
        BadFile{"SameEdgeTwice",
                "source,target\na,b\nb,c\na,b\nc,b\nb,a\n",
                {"edges.csv:4: the edge between \"a\" and \"b\" is given twice, first on line 2",
                 "edges.csv:5: the edge between \"b\" and \"c\" is given twice, first on line 3",
                 "edges.csv:6: the edge between \"a\" and \"b\" is given twice, first on line 2"}},
        BadFile{"WeightNotPositive",
                "source,target,weight\na,b,0\nb,c,-0.5\nc,d,nan\nd,e,\ne,f,heavy\n",
                {"edges.csv:2: column \"weight\": \"0\" is not greater than 0",
                 "edges.csv:3: column \"weight\": \"-0.5\" is not greater than 0",
                 "edges.csv:4: column \"weight\": \"nan\" is not a finite number",
                 "edges.csv:5: column \"weight\": empty where a number is expected",
                 "edges.csv:6: column \"weight\": \"heavy\" is not a number"}},
        BadFile{"EmptyName",
                "source,target\na,\n,b\n",
                {"edges.csv:2: column \"target\": empty where a name is expected",
                 "edges.csv:3: column \"source\": empty where a name is expected"}},
        BadFile{"MixedKindsInTheOrderOfTheFile",
                "source,target,weight\na,b,1\na,b,1\nb,b,1\na,b\n",
                {"edges.csv:3: the edge between \"a\" and \"b\" is given twice, first on line 2",
                 "edges.csv:4: an edge from \"b\" to itself", "edges.csv:5: 2 fields, but the header has 3"}}),
    test_name);

TEST(BadLabels, OutsideTheBinaryDomainAreReported) {
  EXPECT_EQ(problems("node,y\na,1\nb,2\nc,0.5\n", kGoodEdges, LabelDomain::kBinary),
            (Messages{"data.csv:3: column \"y\": label \"2\" is neither 0 or 1 nor -1 or 1",
                      "data.csv:4: column \"y\": label \"0.5\" is neither 0 or 1 nor -1 or 1"}));
}

TEST(BadLabels, OfBothBinaryConventionsInOneFileAreReported) {
  EXPECT_EQ(problems("node,y\na,1\nb,0\nc,-1\n", kGoodEdges, LabelDomain::kBinary),
            (Messages{"data.csv:4: column \"y\": label -1 in a file that has 0 on line 3"}));
}

TEST(BadSelection, NamesTheColumnsThereAre) {
  EXPECT_EQ(problems(kGoodData, kGoodEdges, LabelDomain::kReal, {"node", "y", {"x", "size", "x", "y", "node"}}),
            (Messages{"data.csv:1: no column \"size\"; there are \"node\", \"y\", \"x\"",
                      "data.csv:1: column \"x\" is selected twice as a feature",
                      "data.csv:1: column \"y\" is the label and cannot be a feature too",
                      "data.csv:1: column \"node\" is the node and cannot be a feature too"}));
  EXPECT_EQ(problems(kGoodData, kGoodEdges, LabelDomain::kReal, {"node", "node", {}}),
            (Messages{"data.csv:1: column \"node\" cannot be both the node and the label"}));
}

TEST(BadInput, ListsTwentyProblemsOfAFileAndCountsTheRest) {
  std::string data = "node,y,x\n";
  for (int i = 0; i < 25; ++i) data += "a,1,bad\n";
  const Messages messages = problems(data, "source,target\na,a\n");
  ASSERT_EQ(messages.size(), 22U);
  EXPECT_EQ(messages.front(), "data.csv:2: column \"x\": \"bad\" is not a number");
  EXPECT_EQ(messages[19], "data.csv:21: column \"x\": \"bad\" is not a number");
  EXPECT_EQ(messages[20], "data.csv: and 5 more problems");
  EXPECT_EQ(messages[21], "edges.csv:2: an edge from \"a\" to itself");
}

TEST(BadInput, ListsExactlyTwentyProblemsWithoutACount) {
  std::string data = "node,y,x\n";
  for (int i = 0; i < 20; ++i) data += "a,1,bad\n";
  EXPECT_EQ(problems(data, kGoodEdges).size(), 20U);
  const Messages more = problems(data + "a,1,bad\n", kGoodEdges);
  EXPECT_EQ(more.back(), "data.csv: and 1 more problem");
}

TEST(BadInput, ListsTheFirstProblemsOfAFileEvenIfTheyAreFoundLast) {
  std::string edges = "source,target\na,b\nb,a\n";
  for (int i = 0; i < 30; ++i) edges += "c,c\n";
  const Messages messages = problems(kGoodData, edges);
  ASSERT_EQ(messages.size(), 21U);
  EXPECT_EQ(messages.front(), "edges.csv:3: the edge between \"a\" and \"b\" is given twice, first on line 2");
  EXPECT_EQ(messages.back(), "edges.csv: and 11 more problems");
}

}  // namespace
}  // namespace gtvmin
