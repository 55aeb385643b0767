#include "gtvmin/io/toml_tree.h"

#include <gtest/gtest.h>

namespace gtvmin {
namespace {

TEST(TomlTree, KeepsTablesArraysTheOrderAndTheLines) {
  const auto tree = parse_toml_tree("x.toml",
                                    "b = 1\na = [1.5, 'two']\n[[method]]\nkey = 'N1'\nsolve = {z = true, y = 2}\n"
                                    "[[method]]\nkey = 'N2'\n");
  ASSERT_TRUE(tree.ok()) << tree.error().messages.front();
  ASSERT_EQ(tree->size(), 3);
  EXPECT_EQ((*tree)[0].key, "b");
  EXPECT_EQ(*(*tree)[0].node.get_if<std::int64_t>(), 1);
  const auto& array = *(*tree)[1].node.get_if<TomlNode::Array>();
  EXPECT_EQ(*array[0].get_if<double>(), 1.5);
  EXPECT_EQ(*array[1].get_if<std::string>(), "two");
  const auto& methods = *(*tree)[2].node.get_if<TomlNode::Array>();
  ASSERT_EQ(methods.size(), 2);
  const auto& first = *methods[0].get_if<TomlNode::Table>();
  EXPECT_EQ(first[1].key, "solve");
  EXPECT_EQ(first[1].node.line, 5);
  const auto& solve = *first[1].node.get_if<TomlNode::Table>();
  EXPECT_EQ(solve[0].key, "z");
  EXPECT_EQ(solve[1].key, "y");
}

TEST(TomlTree, RefusesDatesAndTextsThatAreNoToml) {
  const auto date = parse_toml_tree("x.toml", "a = 1\nb = 1979-05-27\n");
  ASSERT_FALSE(date.ok());
  EXPECT_EQ(date.error().messages.front(), "x.toml:2: dates and times have no meaning here");
  const auto broken = parse_toml_tree("x.toml", "a = 1\nb = \n");
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(broken.error().messages.front().starts_with("x.toml:2: "));
}

}  // namespace
}  // namespace gtvmin
