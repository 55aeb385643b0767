#include "gtvmin/options/option_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "gtvmin/options/toml_options.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Colour { kRed, kBlue };

struct Settings {
  bool verbose = false;
  std::int64_t count = 3;
  int small = 1;
  double rate = 0.5;
  std::string name = "none";
  std::string file;
  std::vector<std::string> columns;
  Colour colour = Colour::kBlue;
  bool polish = true;
};

OptionSet declare(Settings& s) {
  OptionSet options;
  options.group("First");
  options.flag("verbose", s.verbose, "Say more");
  options.integer("count", s.count, Range::between(1, 10), "How many");
  options.integer("small", s.small, Range::at_least(0), "A small number");
  options.real("rate", s.rate, {.low = 0, .high = 1, .low_open = true}, "How fast");
  options.group("Second");
  options.text("name", s.name, "What it is called").required("a name, e.g. --name anna");
  options.path("file", s.file, "Where");
  options.list("columns", s.columns, "Which");
  options.choice<Colour>("colour", s.colour, {{"red", Colour::kRed}, {"blue", Colour::kBlue}}, "Paint");
  options.choice<bool>("polish", s.polish, {{"on", true}, {"off", false}}, "Polish it");
  return options;
}

std::string message(const Status& status) { return status ? "" : status.error().messages.front(); }

TEST(OptionSet, DefaultsAreTheValuesOfTheVariables) {
  Settings settings;
  OptionSet options = declare(settings);
  EXPECT_EQ(to_json(options),
            R"({"verbose":false,"count":3,"small":1,"rate":0.5,"name":"none","file":"","columns":[],"colour":"blue",)"
            R"("polish":"on"})");
}

TEST(OptionSet, TextFromTheCommandLineReachesTheVariables) {
  Settings settings;
  OptionSet options = declare(settings);
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{{"verbose", "true"},
                                                                                   {"count", "7"},
                                                                                   {"small", "12"},
                                                                                   {"rate", "2.5e-1"},
                                                                                   {"name", "7"},
                                                                                   {"columns", "a,b c,d"},
                                                                                   {"colour", "red"},
                                                                                   {"polish", "off"}}) {
    EXPECT_EQ(message(options.find(name)->set_text(text)), "") << name;
  }
  EXPECT_TRUE(settings.verbose);
  EXPECT_EQ(settings.count, 7);
  EXPECT_EQ(settings.small, 12);
  EXPECT_EQ(settings.rate, 0.25);
  EXPECT_EQ(settings.name, "7");
  EXPECT_THAT(settings.columns, ElementsAre("a", "b c", "d"));
  EXPECT_EQ(settings.colour, Colour::kRed);
  EXPECT_FALSE(settings.polish);
}

TEST(OptionSet, RefusesWhatIsOutOfBoundsAndKeepsTheOldValue) {
  Settings settings;
  OptionSet options = declare(settings);
  EXPECT_EQ(message(options.find("count")->set_text("11")), "must be 1 to 10, not 11");
  EXPECT_EQ(message(options.find("rate")->set_text("0")), "must be > 0 and ≤ 1, not 0");
  EXPECT_EQ(message(options.find("rate")->set_text("1")), "");
  EXPECT_EQ(message(options.find("rate")->set(std::numeric_limits<double>::quiet_NaN())), "must be finite, not nan");
  EXPECT_EQ(message(options.find("small")->set_text("3000000000")), "must be 0 to 2147483647, not 3000000000");
  EXPECT_EQ(message(options.find("count")->set_text("99999999999999999999")),
            "needs a whole number, not '99999999999999999999'");
  EXPECT_EQ(message(options.find("count")->set_text("2.5")), "needs a whole number, not '2.5'");
  EXPECT_EQ(message(options.find("rate")->set_text("fast")), "needs a number, not 'fast'");
  EXPECT_EQ(message(options.find("rate")->set_text("")), "needs a number, not ''");
  EXPECT_EQ(message(options.find("colour")->set_text("blu")),
            "must be one of red, blue, not 'blu'; did you mean 'blue'?");
  EXPECT_EQ(settings.count, 3);
  EXPECT_EQ(settings.small, 1);
  EXPECT_EQ(settings.rate, 1);
  EXPECT_EQ(settings.colour, Colour::kBlue);
}

TEST(OptionSet, NamesWhatIsRequiredUntilItIsGiven) {
  Settings settings;
  OptionSet options = declare(settings);
  const Status missing = options.check_required();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(missing.error().messages, ElementsAre("--name is required: a name, e.g. --name anna"));
  ASSERT_TRUE(options.find("name")->set_text("anna"));
  EXPECT_TRUE(options.check_required());
}

TEST(OptionSet, RefusesAnOptionThatSaysNothingWithoutAnother) {
  Settings settings;
  OptionSet options;
  options.path("file", settings.file, "Where");
  options.integer("count", settings.count, Range::at_least(1), "How many lines of it").needs("file");
  EXPECT_TRUE(options.check_required());
  ASSERT_TRUE(options.find("count")->set_text("2"));
  EXPECT_EQ(message(options.check_required()), "--count needs --file");
  ASSERT_TRUE(options.find("file")->set_text("a.txt"));
  EXPECT_TRUE(options.check_required());
}

TEST(OptionSet, SuggestsTheClosestNameAndNothingFarFetched) {
  Settings settings;
  const OptionSet options = declare(settings);
  EXPECT_EQ(options.closest("cuont"), "count");
  EXPECT_EQ(options.closest("color"), "colour");
  EXPECT_EQ(options.closest("temperature"), "");
  EXPECT_EQ(options.closest("x"), "");
}

TEST(OptionSet, MarkdownHasOneTablePerGroupAndOneRowPerOption) {
  Settings settings;
  const std::string page = markdown_table(declare(settings));
  EXPECT_THAT(page,
              HasSubstr("### First\n\n| Option | Values | Default | Meaning |\n|---|---|---|---|\n| `--verbose`"));
  EXPECT_THAT(page, HasSubstr("| `--rate` | number > 0 and ≤ 1 | `0.5` | How fast |\n"));
  EXPECT_THAT(page, HasSubstr("\n### Second\n"));
  EXPECT_THAT(page, HasSubstr("| `--name` | text | required | What it is called |\n"));
  EXPECT_THAT(page, HasSubstr("| `--colour` | `red`, `blue` | `blue` | Paint |\n"));
}

TEST(OptionSet, AJointTableHasOneRowPerOptionWithTheDefaultsAndCommandsThatHaveIt) {
  std::int64_t one = 1;
  std::int64_t two = 2;
  bool extra = false;
  std::vector<NamedOptions> commands(2);
  commands[0].name = "a";
  commands[0].options.integer("size", one, Range::at_least(0), "Size");
  commands[0].options.integer("same", one, Range::at_least(0), "Same");
  commands[1].name = "b";
  commands[1].options.integer("size", two, Range::at_least(0), "Size, with a remark");
  commands[1].options.integer("same", one, Range::at_least(0), "Same");
  commands[1].options.flag("extra", extra, "Extra");
  EXPECT_EQ(joint_table(commands, "", "Commands"),
            "| Option | Values | Default | Commands | Meaning |\n|---|---|---|---|---|\n"
            "| `--size` | whole number ≥ 0 | `1` (a), `2` (b) | all | Size, with a remark |\n"
            "| `--same` | whole number ≥ 0 | `1` | all | Same |\n"
            "| `--extra` | flag | `false` | b | Extra |\n");
}

TEST(TomlOptions, SetTheSameVariablesAsTheCommandLine) {
  Settings settings;
  OptionSet options = declare(settings);
  const Status read = parse_toml_options(options, "runs/first.toml",
                                         "verbose = true\ncount = 9\nrate = 1\nname = \"n\"\nfile = \"data.csv\"\n"
                                         "columns = [\"a\", \"b\"]\ncolour = \"red\"\npolish = false\n");
  ASSERT_TRUE(read) << message(read);
  EXPECT_TRUE(settings.verbose);
  EXPECT_EQ(settings.count, 9);
  EXPECT_EQ(settings.rate, 1);
  EXPECT_EQ(settings.file, "runs/data.csv") << "paths start at the folder of the file";
  EXPECT_THAT(settings.columns, ElementsAre("a", "b"));
  EXPECT_EQ(settings.colour, Colour::kRed);
  EXPECT_FALSE(settings.polish);
}

TEST(TomlOptions, LeaveAbsolutePathsAlone) {
  Settings settings;
  OptionSet options = declare(settings);
  ASSERT_TRUE(parse_toml_options(options, "runs/first.toml", "file = \"/data/x.csv\"\n"));
  EXPECT_EQ(settings.file, "/data/x.csv");
}

TEST(TomlOptions, ListEveryProblemWithItsPlace) {
  Settings settings;
  OptionSet options = declare(settings);
  const Status read =
      parse_toml_options(options, "a.toml", "cuont = 1\n\nrate = -1\nverbose = \"yes\"\ncount = 2.0\ncolour = true\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(read.error().messages, ElementsAre("a.toml:1: unknown option 'cuont'; did you mean 'count'?",
                                                 "a.toml:3: 'rate' must be > 0 and ≤ 1, not -1",
                                                 "a.toml:4: 'verbose' needs true or false, not 'yes'",
                                                 "a.toml:5: 'count' needs a whole number, not '2.0'",
                                                 "a.toml:6: 'colour' must be one of red, blue, not 'on'"));
}

}  // namespace
}  // namespace gtvmin
