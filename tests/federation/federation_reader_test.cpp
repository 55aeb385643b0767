#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gtvmin/base/rng.h"
#include "gtvmin/federation/federation.h"
#include "small_federation.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::string with(std::string_view from, std::string_view to) {
  std::string text = kSmallFederation;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Damage {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};

class DamagedFederation : public testing::TestWithParam<Damage> {};

TEST_P(DamagedFederation, IsRefusedWithItsPlace) {
  const auto federation = parse_federation("f.toml", with(GetParam().from, GetParam().to));
  ASSERT_FALSE(federation.ok());
  EXPECT_THAT(federation.error().messages, ElementsAre(StartsWith(GetParam().message)));
  EXPECT_EQ(federation.error().kind, Error::Kind::kBadInput);
}

INSTANTIATE_TEST_SUITE_P(
    Reader, DamagedFederation,
    testing::Values(
        Damage{"format", "format = 1", "format = 2", "f.toml:1: not a federation file of a known format"},
        Damage{"no_format", "format = 1\n", "", "f.toml:1: not a federation file of a known format"},
        Damage{"broken_toml", "[solve]", "[solve", "f.toml:12: "},
        Damage{"name_with_capital", "\"trial\"", "\"Trial\"",
               "f.toml:2: \"Trial\" is not a valid federation name: 1 to 63"},
        Damage{"name_of_wrong_type", "\"trial\"", "7", "f.toml:2: 'name' needs a text"},
        Damage{"sums_of_wrong_type", "sums = true", "sums = 1", "f.toml:3: 'sums' needs true or false"},
        Damage{"site_with_dot", "\"middle\"", "\"mid.dle\"", "f.toml:26: \"mid.dle\" is not a valid site name"},
        Damage{"site_with_hyphen_first", "\"middle\"", "\"-a\"", "f.toml:26: \"-a\" is not a valid site name"},
        Damage{"site_twice", "\"middle\"", "\"north\"", "f.toml:26: site \"north\" is already declared on line 17"},
        Damage{"site_without_name", "name = \"south\"\n", "", "f.toml:32: 'name' is missing"},
        Damage{"address_without_port", "north.example:7443", "north.example",
               "f.toml:19: \"north.example\" is not an address"},
        Damage{"port_too_large", "north.example:7443", "north.example:65536",
               "f.toml:19: \"north.example:65536\" is no"},
        Damage{"port_zero", "north.example:7443", "h:0", "f.toml:19: \"h:0\" is not an address"},
        Damage{"ipv6_without_brackets", "[2001:db8::1]:7443", "2001:db8::1:7443",
               "f.toml:27: \"2001:db8::1:7443\" is no"},
        Damage{"no_ipv6", "[2001:db8::1]", "[2001:db8::g]", "f.toml:27: \"[2001:db8::g]:7443\" is not an address"},
        Damage{"no_ipv4", "north.example", "256.1.1.1", "f.toml:19: \"256.1.1.1:7443\" is not an address"},
        Damage{"host_with_space", "north.example", "north example",
               "f.toml:19: \"north example:7443\" is not an address"},
        Damage{"address_twice", "[2001:db8::1]:7443", "north.example:7443",
               "f.toml:27: site \"north\" has this address"},
        Damage{"nobody_can_dial", "address = \"[2001:db8::1]:7443\"\n", "",
               "f.toml:31: sites \"middle\" and \"south\" are neighbours and neither has an address"},
        Damage{"node_in_two_sites", "  \"d\",\n]", "  \"d\", \"a\",\n]",
               "f.toml:35: node \"a\" is in two sites, \"north\" and"},
        Damage{"node_twice", "  \"b\",\n]", "  \"b\",\n  \"b\",\n]",
               "f.toml:23: node \"b\" is listed twice in site \"north\""},
        Damage{"node_no_text", "  \"b\",\n]", "  \"b\", 7,\n]", "f.toml:22: the name of a node must be a text"},
        Damage{"node_empty", "  \"b\",\n]", "  \"b\", '',\n]", "f.toml:22: the name of a node must be a text"},
        Damage{"no_solve", "[solve]\nmodel = \"linear\"\nlambda = 0.5\nfeatures = [\"x1\", \"x2\"]\n", "",
               "f.toml:1: [solve] is missing"},
        Damage{"solve_with_table", "lambda = 0.5", "lambda = {a = 1}",
               "f.toml:14: 'lambda' is not a valid option value"},
        Damage{"solve_with_date", "lambda = 0.5", "lambda = 2000-01-01", "f.toml:14: dates and times"},
        Damage{"unknown_key", "[solve]", "colour = 1\n[solve]", "f.toml:12: unknown key 'colour'"},
        Damage{"unknown_key_of_site", "name = \"south\"", "name = \"south\"\nadress = \"h:1\"",
               "f.toml:34: unknown key 'adress'; did you mean 'address'?"},
        Damage{"edge_of_unknown_node", "[\"c\", \"d\", 1]", "[\"c\", \"d\", 1], [\"x\", \"d\", 1]",
               "f.toml:9: node \"x\" belongs to no site"},
        Damage{"edge_to_itself", "[\"a\", \"b\", 2]", "[\"a\", \"a\", 2]", "f.toml:7: an edge from \"a\" to itself"},
        Damage{"edge_twice", "[\"a\", \"b\", 2]", "[\"c\", \"b\", 2]",
               "f.toml:8: the edge between \"b\" and \"c\" is given twice, first on line 7"},
        Damage{"edge_too_short", "[\"a\", \"b\", 2]", "[\"a\", \"b\"]",
               "f.toml:7: an edge is [source, target, weight]"},
        Damage{"edge_no_array", "[\"a\", \"b\", 2]", "\"ab\"", "f.toml:7: an edge is [source, target, weight]"},
        Damage{"edge_end_no_text", "[\"a\", \"b\", 2]", "[\"a\", 1, 2]",
               "f.toml:7: source and target of an edge must be names"},
        Damage{"weight_zero", "[\"a\", \"b\", 2]", "[\"a\", \"b\", 0]",
               "f.toml:7: the weight of an edge must be a number"},
        Damage{"weight_nan", "[\"a\", \"b\", 2]", "[\"a\", \"b\", nan]",
               "f.toml:7: the weight of an edge must be a number"},
        Damage{"weight_text", "[\"a\", \"b\", 2]", "[\"a\", \"b\", \"2\"]",
               "f.toml:7: the weight of an edge must be a number"},
        Damage{"not_connected", "  [\"c\", \"d\", 1],\n", "", "f.toml:16: all sites must be connected, but no path"}),
    [](const auto& damage) { return std::string(damage.param.name); });

TEST(FederationReader, ListsAllProblemsButNotMoreThanTwenty) {
  std::string edges;
  for (int k = 0; k < 30; ++k) edges += "  [\"a\", \"a\", 1],\n";
  const auto federation = parse_federation("f.toml", with("  [\"a\", \"b\", 2],\n", edges));
  ASSERT_FALSE(federation.ok());
  ASSERT_EQ(federation.error().messages.size(), 21);
  EXPECT_EQ(federation.error().messages.back(), "f.toml: and 10 more problems");
}

TEST(FederationReader, SurvivesAnyDamage) {
  // Each text is the small federation with bytes changed, removed or doubled; whatever comes of it is read or refused.
  Rng rng(5);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = kSmallFederation;
    for (std::uint64_t k = 0; k <= rng.below(4); ++k) {
      const std::size_t at = rng.below(text.size());
      const std::size_t length = 1 + rng.below(std::min<std::size_t>(12, text.size() - at));
      switch (rng.below(3)) {
        case 0:
          text[at] = static_cast<char>(rng.below(256));
          break;
        case 1:
          text.erase(at, length);
          break;
        default:
          text.insert(rng.below(text.size()), text.substr(at, length));
      }
    }
    const auto federation = parse_federation("f.toml", text);
    if (federation) {
      const auto again = parse_federation("f.toml", federation_text(*federation));
      ASSERT_TRUE(again.ok()) << text << again.error().messages.front();
      ASSERT_EQ(federation_text(*again), federation_text(*federation));
      continue;
    }
    ++refused;
    for (const std::string& message : federation.error().messages) {
      ASSERT_THAT(message, StartsWith("f.toml:"));
      for (const char c : message) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << message;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace gtvmin
