#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/io/table.h"
#include "io/temporary_directory.h"
#include "synthetic/run_command.h"

namespace gtvmin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::array kFiles = {"data.csv", "edges.csv", "truth.csv", "clusters.csv", "generate.json"};

std::uint64_t fingerprint(const TemporaryDirectory& directory, const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::string file : {"data.csv", "edges.csv", "truth.csv", "clusters.csv"}) {
    for (const unsigned char c : directory.read(name + "/" + file)) hash = (hash ^ c) * 0x100000001b3ULL;
  }
  return hash;
}

TEST(GenerateCommand, WritesTheSameBytesForTheSameSeed) {
  const TemporaryDirectory directory;
  const std::string small = "generate sbm --sizes 6,2x4 --p-in 0.7 --p-out 0.1 --dimension 2 --samples 2 --noise 0.1";
  ASSERT_EQ(run_command(small + " --seed 5 --out " + directory.path("a")).exit_code, 0);
  ASSERT_EQ(run_command(small + " --seed 5 --out " + directory.path("b")).exit_code, 0);
  ASSERT_EQ(run_command(small + " --seed 6 --out " + directory.path("c")).exit_code, 0);
  for (const std::string file : kFiles) {
    EXPECT_EQ(directory.read("a/" + file), directory.read("b/" + file)) << file;
  }
  EXPECT_NE(directory.read("a/data.csv"), directory.read("c/data.csv"));
  EXPECT_EQ(fingerprint(directory, "a"), 11058299857603322395ULL) << "a seed must mean the same files for ever";
}

TEST(GenerateCommand, WritesWhatTheReadersRead) {
  const TemporaryDirectory directory;
  const std::string out = directory.path("chain");
  ASSERT_EQ(run_command("generate chain --sizes 5,4,3 --truth-values '1,0;0,1;-1,2' --epsilon 0.25 --accessible 0.5 "
                        "--samples 2 --max-samples 4 --out " +
                        out)
                .exit_code,
            0);
  const auto data = read_dataset(out + "/data.csv", out + "/edges.csv", {}, LabelDomain::kReal);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->nodes(), 12);
  EXPECT_EQ(data->feature_names, (std::vector<std::string>{"x1", "x2"}));
  int with_samples = 0;
  for (NodeId i = 0; i < 12; ++i) with_samples += data->samples_of(i) > 0 ? 1 : 0;
  EXPECT_EQ(with_samples, 6);
  double bridges = 0;
  for (const auto& e : data->edges) bridges += e.weight == 0.25 ? 1 : 0;
  EXPECT_EQ(bridges, 2);
  const auto truth = read_table(out + "/truth.csv", {"node"});
  ASSERT_TRUE(truth.ok());
  EXPECT_EQ(truth->number_names, data->feature_names);
  EXPECT_EQ(truth->numbers.col(4), Vector::Unit(2, 0));
  EXPECT_EQ(truth->numbers.col(5), Vector::Unit(2, 1));
  const auto settings = nlohmann::json::parse(directory.read("chain/generate.json"));
  EXPECT_EQ(settings["options"]["truth"], "given");
  EXPECT_EQ(settings["options"]["seed"], 1);
  EXPECT_EQ(settings["nodes_with_samples"], 6);
}

TEST(GenerateCommand, EveryKindHasDefaultsThatWork) {
  const TemporaryDirectory directory;
  for (const std::string kind : {"sbm", "chain", "star", "grid", "geometric", "scale-free"}) {
    EXPECT_EQ(run_command("generate " + kind + " --out " + directory.path(kind)).exit_code, 0) << kind;
  }
  // The settings of the paper's Table 1.
  const auto table1 = nlohmann::json::parse(directory.read("sbm/generate.json"));
  EXPECT_EQ(table1["nodes"], 200);
  EXPECT_EQ(table1["dimension"], 100);
  EXPECT_EQ(table1["samples"], 2000);
  EXPECT_THAT(directory.read("grid/data.csv"), StartsWith("node,x1,x2,x3\n"));
}

TEST(GenerateCommand, LeavesNodesOutOfAllFilesIfTheyHaveNeitherSamplesNorEdges) {
  const TemporaryDirectory directory;
  const auto outcome = run_command("generate sbm --sizes 3 --p-in 0 --accessible 0.3 --dimension 1 --samples 1 --out " +
                                   directory.path("out"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("warning: 2 nodes have neither samples nor edges"));
  EXPECT_EQ(read_table(directory.path("out/truth.csv"), {"node"})->rows(), 1);
  EXPECT_EQ(read_table(directory.path("out/clusters.csv"), {"node", "cluster"})->rows(), 1);
}

TEST(GenerateCommand, DrawsATruthWhereTheDefaultFitsNeitherClustersNorFeatures) {
  const std::vector<std::pair<std::string, std::string>> kinds = {{"chain", "given"},
                                                                  {"chain --dimension 4", "gaussian"},
                                                                  {"chain --sizes 5,5,5", "gaussian"},
                                                                  {"grid", "given"},
                                                                  {"grid --dimension 2", "gaussian"}};
  for (const auto& [arguments, truth] : kinds) {
    const TemporaryDirectory directory;
    const auto outcome = run_command("generate " + arguments + " --out " + directory.path("out"));
    EXPECT_EQ(outcome.exit_code, 0) << arguments << outcome.output;
    EXPECT_THAT(directory.read("out/generate.json"), HasSubstr("\"truth\": \"" + truth + "\"")) << arguments;
  }
}

TEST(GenerateCommand, NamesTheOptionThatIsWrongAndWritesNothing) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"sbm --p-in 1.2", "--p-in"},
      {"sbm --sizes 10,0", "--sizes"},
      {"sbm --sizes 3xlarge", "--sizes"},
      {"sbm --samples 3 --max-samples 2", "--max-samples"},
      {"sbm --truth gaussian --truth-values 1,2", "--truth-values"},
      {"chain --epsilon -1", "--epsilon"},
      {"chain --sizes 9,9,9 --truth given", "--truth-values"},
      {"chain --dimension 3 --truth-values '2,2;-2,2'", "--truth-values"},
      {"chain --truth-values '1,2;x,1'", "--truth-values: 'x'"},
      {"chain --covariance 1,2,2,1", "--covariance"},
      {"chain --covariance 1,0,1", "--covariance"},
      {"chain --accessible 0", "--accessible"},
      {"star --truth given", "--truth-values"},
      {"grid --rows 0", "--rows"},
      {"geometric --neighbours 1000", "--neighbours"},
      {"scale-free --clusters 1001", "--clusters"},
      {"scale-free --noise nan", "--noise"},
  };
  for (const auto& [arguments, option] : wrong) {
    const TemporaryDirectory directory;
    const auto outcome = run_command("generate " + arguments + " --out " + directory.path("out"));
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr(option)) << arguments;
    EXPECT_TRUE(directory.names().empty()) << arguments;
  }
}

}  // namespace
}  // namespace gtvmin
