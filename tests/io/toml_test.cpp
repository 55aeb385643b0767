#include "gtvmin/io/toml.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "temporary_directory.h"

namespace gtvmin {
namespace {

using Messages = std::vector<std::string>;

Messages problems(std::string_view text) {
  const auto entries = parse_toml("run.toml", text);
  return entries ? Messages{} : entries.error().messages;
}

TEST(ReadToml, KeepsTheOrderTheTypesAndTheLines) {
  const TemporaryDirectory directory;
  const auto entries = read_toml(directory.write("run.toml",
                                                 "# a run\nout = \"results\"\nlambda = 0.1\n\nmax-iterations = 500\n"
                                                 "intercept = true\nfeatures = [\n  \"beds\",\n  \"sqft\",\n]\n"
                                                 "data = 'houses.csv'\nempty = []\n"));
  ASSERT_TRUE(entries.ok()) << entries.error().messages.front();
  const std::vector<TomlEntry> expected = {{"out", std::string("results"), 2},
                                           {"lambda", 0.1, 3},
                                           {"max-iterations", std::int64_t{500}, 5},
                                           {"intercept", true, 6},
                                           {"features", std::vector<std::string>{"beds", "sqft"}, 7},
                                           {"data", std::string("houses.csv"), 11},
                                           {"empty", std::vector<std::string>{}, 12}};
  ASSERT_EQ(entries->size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ((*entries)[k].key, expected[k].key);
    EXPECT_EQ((*entries)[k].value, expected[k].value) << expected[k].key;
    EXPECT_EQ((*entries)[k].line, expected[k].line) << expected[k].key;
  }
}

TEST(ReadToml, AcceptsAnEmptyFile) {
  const auto entries = parse_toml("run.toml", "");
  ASSERT_TRUE(entries.ok());
  EXPECT_TRUE(entries->empty());
}

TEST(ReadToml, ListsEveryValueThatNoOptionCanHave) {
  EXPECT_EQ(problems("a = 1\nwhen = 2024-01-01\nmixed = [\"x\", 1]\ninline = { x = 1 }\n[solver]\ntol = 1\n[[many]]\n"),
            (Messages{"run.toml:2: \"when\" is a date or a time",
                      "run.toml:3: \"mixed\" is an array that does not hold strings only",
                      "run.toml:4: \"inline\" is a table; options must be at the top level",
                      "run.toml:5: \"solver\" is a table; options must be at the top level",
                      "run.toml:7: \"many\" is a table; options must be at the top level"}));
}

TEST(ReadToml, SaysWhereATextStopsBeingToml) {
  for (const std::string_view text : {"a = 1\nb = \n", "a = 1\na = 2\n", "a = 1\n\"b = 2\n", "a = 1\nb = \xff\n",
                                      "a = 1\n[ \n", "a = 1\n[[[b]]]\n", "a = 1\nb = Ѝ\n"}) {
    const Messages messages = problems(text);
    ASSERT_EQ(messages.size(), 1U) << text;
    EXPECT_EQ(messages.front().substr(0, 12), "run.toml:2: ") << text;
    EXPECT_GT(messages.front().size(), 20U) << text;
  }
}

TEST(ReadToml, NamesAFileThatCannotBeRead) {
  const TemporaryDirectory directory;
  const auto entries = read_toml(directory.path("absent.toml"));
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().messages,
            (Messages{directory.path("absent.toml") + ": cannot be read: No such file or directory"}));
}

}  // namespace
}  // namespace gtvmin
