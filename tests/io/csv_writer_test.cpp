#include "gtvmin/io/csv_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/io/dataset_reader.h"

namespace gtvmin {
namespace {

TEST(CsvWriter, QuotesTextOnlyWhereItHasTo) {
  CsvWriter csv({"plain", "a,b"});
  csv.text("São Paulo").text("say \"hi\"");
  csv.end_row();
  csv.text(" blank").text("two\nlines");
  csv.end_row();
  csv.text("").integer(-7);
  csv.end_row();
  EXPECT_EQ(csv.content(), "plain,\"a,b\"\nSão Paulo,\"say \"\"hi\"\"\"\n\" blank\",\"two\nlines\"\n\"\",-7\n");
}

TEST(CsvWriter, WritesSeventeenSignificantDigits) {
  CsvWriter csv;
  csv.number(0.1).number(1).number(-2.5e-300).number(1.0 / 3).number(std::numeric_limits<double>::infinity());
  csv.end_row();
  EXPECT_EQ(csv.content(), "0.10000000000000001,1,-2.5e-300,0.33333333333333331,inf\n");
}

/// Any finite double, of any magnitude.
double any_finite(Rng& rng) {
  while (true) {
    const double value = std::bit_cast<double>(rng.bits());
    if (std::isfinite(value)) return value;
  }
}

/// Any bytes but NUL, with those that CSV cares about more often.
std::string any_name(Rng& rng) {
  constexpr std::string_view kSpecial = ",\"\n\r \t";
  std::string name;
  for (std::uint64_t left = 1 + rng.below(8); left > 0; --left) {
    name += rng.below(2) == 0 ? kSpecial[rng.below(kSpecial.size())] : static_cast<char>(1 + rng.below(255));
  }
  return name;
}

TEST(CsvWriter, WhatItWritesIsReadBackWithTheSameBits) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    std::set<std::string> distinct;
    while (distinct.size() < 20) distinct.insert(any_name(rng));
    const std::vector<std::string> names(distinct.begin(), distinct.end());

    CsvWriter data({"node", "y", "x1", "x2"});
    std::vector<double> numbers;
    for (const std::string& name : names) {
      data.text(name);
      for (int k = 0; k < 3; ++k) data.number(numbers.emplace_back(any_finite(rng)));
      data.end_row();
    }
    CsvWriter edges({"source", "target", "weight"});
    for (std::size_t i = 1; i < names.size(); ++i) {
      edges.text(names[i]).text(names[i - 1]).number(std::abs(numbers[i]) + 1e-300);
      edges.end_row();
    }

    const auto read = parse_dataset({"data", data.content()}, {"edges", edges.content()}, {}, LabelDomain::kReal);
    ASSERT_TRUE(read.ok()) << read.error().messages.front();
    EXPECT_EQ(read->node_names, names);
    for (Index i = 0; i < read->samples(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read->labels[i]), std::bit_cast<std::uint64_t>(numbers[3 * i]));
      for (Index k = 0; k < 2; ++k) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(read->features(k, i)),
                  std::bit_cast<std::uint64_t>(numbers[3 * i + 1 + k]));
      }
    }
    ASSERT_EQ(read->edges.size(), names.size() - 1);
    for (std::size_t i = 1; i < names.size(); ++i) {
      const WeightedEdge& edge = read->edges[i - 1];
      EXPECT_EQ(edge.a, static_cast<NodeId>(i));
      EXPECT_EQ(edge.b, static_cast<NodeId>(i - 1));
      EXPECT_EQ(edge.weight, std::abs(numbers[i]) + 1e-300);
    }
  }
}

}  // namespace
}  // namespace gtvmin
