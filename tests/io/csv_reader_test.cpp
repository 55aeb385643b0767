#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/io/csv.h"

namespace gtvmin {
namespace {

struct Read {
  std::vector<std::string> fields;
  std::int64_t line;
  std::string problem;
  friend bool operator==(const Read&, const Read&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Read& read) {
    out << read.line << ':';
    for (const std::string& field : read.fields) out << " [" << field << ']';
    return out << ' ' << read.problem;
  }
};

std::vector<Read> read_all(std::string_view text) {
  CsvReader reader(text);
  CsvRecord record;
  std::vector<Read> records;
  while (reader.next(record)) {
    std::vector<std::string> fields;
    if (record.problem.empty()) fields.assign(record.fields.begin(), record.fields.end());
    records.push_back({fields, record.line, std::string(record.problem)});
  }
  return records;
}

TEST(CsvReader, SplitsLinesThatEndInLfOrCrlfOrNotAtAll) {
  const std::vector<Read> expected = {{{"a", "b"}, 1, ""}, {{"1", ""}, 2, ""}, {{"", "4"}, 3, ""}};
  EXPECT_EQ(read_all("a,b\n1,\n,4\n"), expected);
  EXPECT_EQ(read_all("a,b\r\n1,\r\n,4\r\n"), expected);
  EXPECT_EQ(read_all("a,b\n1,\n,4"), expected);
  EXPECT_EQ(read_all("a,b\n1,\n,4\n\n\r\n\n"), expected);
  EXPECT_EQ(read_all("\xEF\xBB\xBF"
                     "a,b\n1,\n,4\n"),
            expected);
}

TEST(CsvReader, KeepsAnEmptyLastFieldAtTheEndOfTheText) {
  EXPECT_EQ(read_all("a,"), (std::vector<Read>{{{"a", ""}, 1, ""}}));
  EXPECT_EQ(read_all(","), (std::vector<Read>{{{"", ""}, 1, ""}}));
}

TEST(CsvReader, SeesNoRecordInAnEmptyText) {
  EXPECT_TRUE(read_all("").empty());
  EXPECT_TRUE(read_all("\xEF\xBB\xBF").empty());
  EXPECT_TRUE(read_all("\n\r\n").empty());
}

TEST(CsvReader, TakesCommasQuotesAndLineBreaksInsideQuotesAndCountsTheLines) {
  const std::vector<Read> expected = {
      {{"a,b", "say \"hi\""}, 1, ""}, {{"two\nlines", "\r\n"}, 2, ""}, {{"", "\""}, 5, ""}, {{"x", "y"}, 6, ""}};
  EXPECT_EQ(read_all("\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\r\n\"\n\"\",\"\"\"\"\nx,y"), expected);
}

TEST(CsvReader, DropsBlanksAroundAFieldUnlessItIsQuoted) {
  EXPECT_EQ(read_all(" a ,\tb c\t,\" d \"\n"), (std::vector<Read>{{{"a", "b c", " d "}, 1, ""}}));
}

TEST(CsvReader, NamesWhatBreaksARecordAndGoesOnAfterIt) {
  const std::string_view nul("a\0b\nx\n", 6);
  const std::string_view quoted_nul("\"a\0b\"\nx\n", 8);
  const Read x = {{"x"}, 2, ""};
  EXPECT_EQ(read_all("a\"b\nx\n"),
            (std::vector<Read>{{{}, 1, "a quote inside a field that does not start with one"}, x}));
  EXPECT_EQ(read_all("\"a\"b\nx\n"), (std::vector<Read>{{{}, 1, "text after the closing quote of a field"}, x}));
  EXPECT_EQ(read_all("\"a\"\rb\nx\n"), (std::vector<Read>{{{}, 1, "text after the closing quote of a field"}, x}));
  EXPECT_EQ(read_all("a\rb\nx\n"), (std::vector<Read>{{{}, 1, "a carriage return that no line feed follows"}, x}));
  EXPECT_EQ(read_all(nul), (std::vector<Read>{{{}, 1, "a NUL byte; is this a text file?"}, x}));
  EXPECT_EQ(read_all(quoted_nul), (std::vector<Read>{{{}, 1, "a NUL byte; is this a text file?"}, x}));
  EXPECT_EQ(read_all("\nx\n"), (std::vector<Read>{{{}, 1, "an empty line"}, x}));
  EXPECT_EQ(read_all("\r\nx\n"), (std::vector<Read>{{{}, 1, "an empty line"}, x}));
  EXPECT_EQ(read_all("w\n\"x\ny\n"),
            (std::vector<Read>{{{"w"}, 1, ""}, {{}, 2, "a quoted field that never ends; is the file cut off?"}}));
}

TEST(CsvReader, RefusesALineOfMoreThanAMillionFields) {
  const std::vector<Read> records = read_all(std::string(1'000'000, ',') + "\nx\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].problem, "more than 1000000 fields");
  EXPECT_EQ(records[1], (Read{{"x"}, 2, ""}));
}

TEST(ParseNumber, AcceptsTheWaysInWhichPeopleWriteNumbers) {
  EXPECT_EQ(parse_number("1"), 1.0);
  EXPECT_EQ(parse_number("-.5"), -0.5);
  EXPECT_EQ(parse_number("2."), 2.0);
  EXPECT_EQ(parse_number("+3e-2"), 0.03);
  EXPECT_EQ(parse_number(" \t7 "), 7.0);
  EXPECT_EQ(parse_number("1E3"), 1000.0);
  EXPECT_EQ(parse_number("0.1000000000000000055511151231257827"), 0.1);
  EXPECT_EQ(parse_number("4.9406564584124654e-324"), 4.9406564584124654e-324);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
}

TEST(ParseNumber, KeepsInfinityAndNanForTheCallerToJudge) {
  EXPECT_TRUE(std::isinf(parse_number("1e999").value()));
  EXPECT_TRUE(std::isinf(parse_number("-inf").value()));
  EXPECT_TRUE(std::isnan(parse_number("NaN").value()));
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const std::string_view text :
       {"", " ", "+", "-", "+-1", "++1", "--1", "1,5", "1 2", "0x10", "1e", "a", "1a", "."}) {
    EXPECT_FALSE(parse_number(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace gtvmin
