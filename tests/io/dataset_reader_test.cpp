#include "gtvmin/io/dataset_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include "temporary_directory.h"

namespace gtvmin {
namespace {

using Names = std::vector<std::string>;

Dataset parse(std::string_view data, std::string_view edges, LabelDomain labels = LabelDomain::kReal,
              const DataColumns& columns = {}) {
  Result<Dataset> dataset = parse_dataset({"data.csv", data}, {"edges.csv", edges}, columns, labels);
  if (dataset) return *std::move(dataset);
  for (const std::string& message : dataset.error().messages) ADD_FAILURE() << message;
  return {};
}

TEST(ReadDataset, GroupsTheRowsOfANodeAndKeepsTheirOrder) {
  const Dataset dataset = parse("node,y,x1,x2\nzoe,1,10,11\nadam,2,20,21\nzoe,3,30,31\n7,4,40,41\nadam,5,50,51\n",
                                "source,target\nadam,zoe\n");
  EXPECT_EQ(dataset.node_names, (Names{"zoe", "adam", "7"}));
  EXPECT_EQ(dataset.feature_names, (Names{"x1", "x2"}));
  EXPECT_EQ(dataset.first_sample, (std::vector<Index>{0, 2, 4, 5}));
  EXPECT_EQ(dataset.labels, (Vector(5) << 1, 3, 2, 5, 4).finished());
  EXPECT_EQ(dataset.features, (Matrix(2, 5) << 10, 30, 20, 50, 40, 11, 31, 21, 51, 41).finished());
}

TEST(ReadDataset, GivesANodeThatOnlyEdgesNameNoSamples) {
  const Dataset dataset = parse("node,y,x\na,1,2\n", "source,target,weight\nb,a,0.5\nc,b,2e3\n");
  EXPECT_EQ(dataset.node_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(dataset.first_sample, (std::vector<Index>{0, 1, 1, 1}));
  ASSERT_EQ(dataset.edges.size(), 2U);
  EXPECT_EQ(dataset.edges[0].a, 1);
  EXPECT_EQ(dataset.edges[0].b, 0);
  EXPECT_EQ(dataset.edges[0].weight, 0.5);
  EXPECT_EQ(dataset.edges[1].weight, 2000);
}

TEST(ReadDataset, WeighsEveryEdgeOneWhereTheFileHasNoWeights) {
  const Dataset dataset = parse("node,y,x\na,1,2\n", "target,source\nb,a\n");
  ASSERT_EQ(dataset.edges.size(), 1U);
  EXPECT_EQ(dataset.edges[0].weight, 1);
}

TEST(ReadDataset, AcceptsAnEdgeFileOfAHeaderOnlyAndNoEdgeFile) {
  EXPECT_TRUE(parse("node,y,x\na,1,2\n", "source,target\n").edges.empty());
  const auto without = parse_dataset({"data.csv", "node,y,x\na,1,2\n"}, {}, {}, LabelDomain::kReal);
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(without->edges.empty());
}

TEST(ReadDataset, ReadsTheSameFromEveryFlavourOfCsv) {
  const std::string_view edges = "source,target\r\n\"a,\n1\",b\r\n";
  const Dataset plain = parse("node,y,x\n\"a,\n1\",1,2\n\"b\",3,4\n", edges);
  const Dataset crlf = parse("\xEF\xBB\xBFnode,y,x\r\n\"a,\n1\", +1,2\r\n\"b\",3,\"4\"\r\n\r\n", edges);
  EXPECT_EQ(plain.node_names, (Names{"a,\n1", "b"}));
  EXPECT_EQ(crlf.node_names, plain.node_names);
  EXPECT_EQ(crlf.features, plain.features);
  EXPECT_EQ(crlf.labels, plain.labels);
  EXPECT_EQ(plain.edges.size(), 1U);
  EXPECT_EQ(crlf.edges.size(), 1U);
}

TEST(ReadDataset, SelectsAndRenamesColumns) {
  const std::string_view data = "price,note,sqft,id,beds\n100,cosy,50,h1,2\n200,\"big, new\",90,h2,4\n";
  const Dataset dataset = parse(data, "source,target\nh1,h2\n", LabelDomain::kReal, {"id", "price", {"beds", "sqft"}});
  EXPECT_EQ(dataset.feature_names, (Names{"beds", "sqft"}));
  EXPECT_EQ(dataset.features, (Matrix(2, 2) << 2, 4, 50, 90).finished());
  EXPECT_EQ(dataset.labels, (Vector(2) << 100, 200).finished());
}

TEST(ReadDataset, TakesEveryColumnButTheNodeAsAFeatureWhereThereIsNoLabel) {
  const Dataset dataset = parse("y,node,x\n1,a,2\n", "source,target\n", LabelDomain::kNone);
  EXPECT_EQ(dataset.feature_names, (Names{"y", "x"}));
  EXPECT_EQ(dataset.features, (Matrix(2, 1) << 1, 2).finished());
  EXPECT_EQ(dataset.labels.size(), 0);
}

TEST(ReadDataset, CountsTheSamplesOfAFileWithoutFeatures) {
  const Dataset dataset = parse("node,y\na,1\na,2\n", "source,target\n");
  EXPECT_EQ(dataset.features.rows(), 0);
  EXPECT_EQ(dataset.samples(), 2);
}

TEST(ReadDataset, StoresBinaryLabelsAsMinusOneAndPlusOne) {
  const Vector expected = (Vector(3) << 1, -1, 1).finished();
  const std::string_view edges = "source,target\n";
  EXPECT_EQ(parse("node,y\na,1\na,0\na,1.0\n", edges, LabelDomain::kBinary).labels, expected);
  EXPECT_EQ(parse("node,y\na,1\na,-1\na,+1\n", edges, LabelDomain::kBinary).labels, expected);
}

TEST(ReadDataset, ReadsFilesAndPipes) {
  const TemporaryDirectory directory;
  const std::string data = directory.write("data.csv", "node,y,x\na,1,2\nb,3,4\n");
  const std::string pipe = directory.path("edges.csv");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&directory] { directory.write("edges.csv", "source,target\na,b\n"); });
  const auto dataset = read_dataset(data, pipe, {}, LabelDomain::kReal);
  writer.join();
  ASSERT_TRUE(dataset.ok()) << dataset.error().messages.front();
  EXPECT_EQ(dataset->samples(), 2);
  EXPECT_EQ(dataset->edges.size(), 1U);
}

TEST(ReadDataset, NamesEveryFileThatCannotBeRead) {
  const TemporaryDirectory directory;
  const std::string missing = directory.path("missing.csv");
  const std::string folder = directory.path("");
  const auto neither = read_dataset(missing, folder, {}, LabelDomain::kReal);
  ASSERT_FALSE(neither.ok());
  EXPECT_EQ(neither.error().kind, Error::Kind::kBadInput);
  EXPECT_EQ(neither.error().messages,
            (Names{missing + ": cannot be read: No such file or directory", folder + ": is a directory, not a file"}));

  const std::string data = directory.write("data.csv", "node,y,x\na,1\n");
  const auto mixed = read_dataset(data, missing, {}, LabelDomain::kReal);
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.error().messages, (Names{data + ":2: 2 fields, but the header has 3",
                                           missing + ": cannot be read: No such file or directory"}));
}

TEST(ReadDataset, EndsOnceItIsToldTo) {
  std::string rows = "node,y,x\n";
  for (int row = 0; row < 20000; ++row) rows += std::to_string(row % 7) + ",1,2\n";
  std::string edges = "source,target\n";
  for (int row = 0; row < 20000; ++row) edges += std::to_string(row) + "," + std::to_string(row + 1) + "\n";
  int asked = 0;
  const auto count = [&] { return ++asked < 0; };
  ASSERT_TRUE(parse_dataset({"data.csv", rows}, {"edges.csv", edges}, {}, LabelDomain::kReal, count));
  const int all = asked;
  EXPECT_GE(all, 12);  // rows are counted, read and grouped, edges are read and sorted
  for (int last = 1; last <= all; ++last) {
    asked = 0;
    const Result<Dataset> dataset = parse_dataset({"data.csv", rows}, {"edges.csv", edges}, {}, LabelDomain::kReal,
                                                  [&] { return ++asked >= last; });
    ASSERT_FALSE(dataset) << last;
    EXPECT_EQ(dataset.error().kind, Error::Kind::kInterrupted);
    EXPECT_LE(asked, last + 5);
  }
}

TEST(ReadDataset, EndsWhileItWaitsForAPipe) {
  const TemporaryDirectory home;
  ASSERT_EQ(::mkfifo(home.path("pipe").c_str(), 0600), 0);
  int asked = 0;
  const auto nobody_writes = read_dataset(home.path("pipe"), "", {}, LabelDomain::kReal, [&] { return ++asked > 2; });
  ASSERT_FALSE(nobody_writes);
  EXPECT_EQ(nobody_writes.error().kind, Error::Kind::kInterrupted);
}

}  // namespace
}  // namespace gtvmin
