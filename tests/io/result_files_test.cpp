#include "gtvmin/io/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "gtvmin/problem/standardize.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two nodes, one edge of weight 2, a made-up result: no solver is needed to test what is written about it.
struct MadeUpRun {
  Dataset dataset;
  ModelPtr model;
  Problem problem;
  SolveResult result;
  RunRecord record;

  explicit MadeUpRun(const std::string& penalty)
      : dataset(make_dataset()),
        model(*make_model({.name = "linear"}, shape_of(dataset))),
        problem(*make_problem(dataset, *model, {}, *make_penalty(penalty), 0.5)),
        result(make_result()),
        record{{dataset,
                "linear",
                *model,
                problem,
                result.parameters,
                result.clusters,
                "adaptive",
                7,
                R"({"tol":0.5})",
                {},
                {"first"}},
               result} {}

  static Dataset make_dataset() {
    Dataset data;
    data.node_names = {"a, b", "c"};
    data.feature_names = {"x", "z"};
    data.first_sample = {0, 1, 1};
    data.features = Matrix{{1.0}, {0.0}};
    data.labels = Vector{{3.0}};
    data.edges = {{0, 1, 2.0}};
    return data;
  }
  static SolveResult make_result() {
    SolveResult result;
    result.status = SolveStatus::kSolved;
    result.w = Matrix{{1.0, 4.0}, {0.0, 4.0}};
    result.parameters = result.w;
    result.node_losses = Vector{{4.0, 0.0}};
    result.u = Matrix{{0.3}, {-0.4}};
    result.certificate.kind = Certificate::Kind::kGap;
    result.certificate.value = 0.75;
    result.certificate.node_terms = Vector{{0.0, 0.25}};
    result.certificate.edge_terms = Vector{{0.5}};
    result.clusters = {{0, 1}, 2};
    result.trace = {{.iteration = 10, .objective = 1.5}};
    result.warnings = {{1, "is odd"}};
    return result;
  }
};

TEST(ResultFiles, ParametersHaveOneRowPerNode) {
  EXPECT_EQ(parameters_csv(MadeUpRun("l2").record.trained), "node,x,z\n\"a, b\",1,0\nc,4,4\n");
}

TEST(ResultFiles, NodesHaveTheirLossTheirShareOfTheCertificateAndTheirInfluence) {
  MadeUpRun run("l2");
  EXPECT_EQ(nodes_csv(run.record), "node,samples,loss,certificate,influence\n\"a, b\",1,4,0,\"\"\nc,0,0,0.25,\"\"\n");
  run.record.influence = Vector{{0.5, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(nodes_csv(run.record), "node,samples,loss,certificate,influence\n\"a, b\",1,4,0,0.5\nc,0,0,0.25,\"\"\n");
}

TEST(ResultFiles, ClustersAreNumberedFromZero) {
  EXPECT_EQ(clusters_csv(MadeUpRun("l2").record.trained), "node,cluster\n\"a, b\",0\nc,1\n");
}

// u = (0.3, −0.4) and w differs by (−3, −4).
TEST(ResultFiles, TheFlowIsMeasuredInTheDualNormOfThePenalty) {
  EXPECT_THAT(edges_csv(MadeUpRun("l2").record), HasSubstr("\"a, b\",c,2,0.5,0.5,5,undecided,0.5\n"));
  EXPECT_THAT(edges_csv(MadeUpRun("l1").record),
              HasSubstr("\"a, b\",c,2,0.40000000000000002,0.40000000000000002,5,undecided,0.5\n"));
  EXPECT_THAT(edges_csv(MadeUpRun("linf").record),
              HasSubstr("\"a, b\",c,2,0.69999999999999996,0.69999999999999996,5,undecided,0.5\n"));
  EXPECT_THAT(edges_csv(MadeUpRun("squared_l2").record), HasSubstr("\"a, b\",c,2,0.5,0,5,undecided,0.5\n"));
}

// λ·weight = 0.5·2 = 1.
TEST(ResultFiles, TheUtilisationOfAnEdgeOfANormIsTheShareOfWhatItsFlowMayBe) {
  MadeUpRun norm("l1");
  norm.result.u = Matrix{{1.0}, {-1.0}};
  norm.result.edge_status = {EdgeStatus::kSeparate};
  EXPECT_THAT(edges_csv(norm.record), HasSubstr(",1,1,5,separate,"));
  norm.result.u = Matrix{{0.25}, {0.0}};
  norm.result.edge_status = {EdgeStatus::kFused};
  EXPECT_THAT(edges_csv(norm.record), HasSubstr(",0.25,0.25,5,fused,"));
  MadeUpRun smooth("squared_l2");
  smooth.result.u = Matrix{{5.0}, {0.0}};
  EXPECT_THAT(edges_csv(smooth.record), HasSubstr(",5,0,5,undecided,"));
}

TEST(ResultFiles, FlowsHaveAColumnPerCoupledParameter) {
  EXPECT_EQ(flows_csv(MadeUpRun("l2").record),
            "source,target,x,z\n\"a, b\",c,0.29999999999999999,-0.40000000000000002\n");
}

TEST(ResultFiles, TheClusterGraphHasClustersThenTheirBoundaries) {
  EXPECT_EQ(clustergraph_csv(MadeUpRun("l2").record),
            "cluster,neighbour,size,loss,edges,weight,flow_norm\n0,\"\",1,4,\"\",2,\"\"\n1,\"\",1,0,\"\",2,\"\"\n0,1,"
            "\"\",\"\",1,2,0.5\n");
}

TEST(ResultFiles, TheSummaryNamesTheLargestContributors) {
  const std::string summary = summary_json(MadeUpRun("l2").record);
  EXPECT_THAT(summary, HasSubstr("\"largest_nodes\": [\n      {\n        \"node\": \"c\",\n        \"value\": 0.25\n"));
  EXPECT_THAT(summary, HasSubstr("\"source\": \"a, b\",\n        \"target\": \"c\",\n        \"value\": 0.5\n"));
  EXPECT_THAT(summary, HasSubstr("\"seed\": 7"));
  EXPECT_THAT(summary, HasSubstr("\"options\": {\n    \"tol\": 0.5\n  }"));
  EXPECT_THAT(summary, HasSubstr("\"first\",\n    \"node 'c': is odd\""));
}

TEST(ResultFiles, ANameThatIsNoUtf8DoesNotStopTheSummary) {
  MadeUpRun run("l2");
  run.dataset.node_names[1] = "caf\xe9";
  EXPECT_THAT(summary_json(run.record), HasSubstr("caf\xef\xbf\xbd"));
}

TEST(Standardize, GivesEveryFeatureMeanZeroAndDeviationOne) {
  Dataset data;
  data.node_names = {"a"};
  data.first_sample = {0, 3};
  data.feature_names = {"x", "same"};
  data.features = Matrix{{1.0, 2.0, 6.0}, {0.1, 0.1, 0.1}};
  const Standardization map = standardize_features(data);
  EXPECT_EQ(map.means(0), 3);
  EXPECT_DOUBLE_EQ(map.scales(0), std::sqrt(14.0 / 3));
  EXPECT_NEAR(data.features.row(0).sum(), 0, 1e-15);
  EXPECT_NEAR(data.features.row(0).squaredNorm(), 3, 1e-14);
  EXPECT_THAT(map.constant_features, ElementsAre("same"));
  EXPECT_EQ(map.scales(1), 1);
  EXPECT_EQ(data.features.row(1).squaredNorm(), 0);
}

}  // namespace
}  // namespace gtvmin
