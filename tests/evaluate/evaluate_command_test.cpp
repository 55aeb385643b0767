#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/temporary_directory.h"
#include "synthetic/run_command.h"

namespace gtvmin {
namespace {

using testing::HasSubstr;

/// A result directory as `gtvmin solve` leaves it, with nodes a, b, c and two features.
class EvaluateCommand : public testing::Test {
 protected:
  EvaluateCommand() {
    std::filesystem::create_directory(files_.path("result"));
    files_.write("result/parameters.csv", "node,x1,x2\na,1,0\nb,2,0\nc,0,-1\n");
    files_.write("result/clusters.csv", "node,cluster\na,0\nb,0\nc,1\n");
    summary(R"({"model": "linear", "options": {"intercept": false}})");
  }

  void summary(const std::string& json) { files_.write("result/summary.json", json); }
  [[nodiscard]] CommandOutcome evaluate(const std::string& arguments) const {
    return run_command("evaluate " + files_.path("result") + " " + arguments);
  }
  [[nodiscard]] nlohmann::json evaluate_json(const std::string& arguments) const {
    const auto outcome = evaluate(arguments + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return nlohmann::json::parse(outcome.output, nullptr, false);
  }

  TemporaryDirectory files_;
};

TEST_F(EvaluateCommand, ComparesParametersClustersAndLabels) {
  // Differences (0, 1), (1, 0), (0, −2), nodes in another order: MSE (1 + 1 + 4)/3 = 2.
  const auto truth = files_.write("truth.csv", "node,x1,x2\nc,0,1\nb,1,0\na,1,-1\n");
  const auto clusters = files_.write("clusters.csv", "node,cluster\nb,left\na,left\nc,right\n");
  // Predictions b: 2, c: −3; errors 1 and 1.
  const auto held = files_.write("held.csv", "x2,node,y,x1\n7,b,1,1\n3,c,-2,5\n");
  const auto json = evaluate_json("--truth " + truth + " --clusters " + clusters + " --data " + held);
  EXPECT_DOUBLE_EQ(json["parameters"]["mse"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(json["parameters"]["mse_per_coordinate"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(json["parameters"]["mse_by_coordinate"]["x2"].get<double>(), 5.0 / 3);
  EXPECT_DOUBLE_EQ(json["clusters"]["adjusted_rand_index"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(json["labels"]["mean_squared_error"].get<double>(), 1);
  EXPECT_EQ(json["labels"]["samples"], 2);

  const auto table = evaluate("--truth " + truth + " --clusters " + clusters + " --data " + held);
  EXPECT_EQ(table.exit_code, 0);
  for (const std::string part : {"MSE per coordinate", "adjusted Rand index", "in squared units of the label"}) {
    EXPECT_THAT(table.output, HasSubstr(part));
  }
}

TEST_F(EvaluateCommand, CountsWrongLabelsOfALogisticModel) {
  summary(R"({"model": "logistic", "options": {"node-column": "site", "label": "outcome"}})");
  const auto held = files_.write("held.csv", "site,outcome,x1,x2\na,1,2,0\na,0,1,0\nc,0,0,1\n");
  const auto labels = evaluate_json("--data " + held)["labels"];
  EXPECT_DOUBLE_EQ(labels["misclassification_rate"].get<double>(), 1.0 / 3);
  EXPECT_FALSE(labels.contains("mean_squared_error"));
}

TEST_F(EvaluateCommand, UndoesStandardisation) {
  files_.write("result/parameters.csv", "node,x1,x2,intercept\na,1,0,10\nb,2,0,10\nc,0,-1,10\n");
  summary(R"({"model": "linear", "options": {"intercept": true},
              "standardize": {"means": {"x1": 1, "x2": 0}, "scales": {"x1": 2, "x2": 4}}})");
  // In the units of the data the slopes are (½, 0), (1, 0), (0, −¼).
  const auto truth = files_.write("truth.csv", "node,x1,x2\na,0.5,0\nb,1,0\nc,0,-0.25\n");
  // a at x1 = 5: 1·(5 − 1)/2 + 10 = 12.
  const auto held = files_.write("held.csv", "node,y,x1,x2\na,12,5,9\n");
  const auto json = evaluate_json("--truth " + truth + " --data " + held);
  EXPECT_DOUBLE_EQ(json["parameters"]["mse"].get<double>(), 0);
  EXPECT_TRUE(json["parameters"]["without_intercept"].get<bool>());
  EXPECT_DOUBLE_EQ(json["labels"]["mean_squared_error"].get<double>(), 0);
}

TEST_F(EvaluateCommand, ListsNodesAndColumnsThatDoNotMatch) {
  const auto truth = files_.write("truth.csv", "node,x1,x2\na,1,0\nb,1,0\nd,1,0\n");
  auto outcome = evaluate("--truth " + truth);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("1 node of " + truth + " is not there: d"));
  EXPECT_THAT(outcome.output, HasSubstr("is not there: c"));
  outcome = evaluate("--truth " + files_.write("columns.csv", "node,x1,x3\na,1,0\nb,1,0\nc,1,0\n"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("no column 'x3'"));
  EXPECT_THAT(outcome.output, HasSubstr("no column 'x2'"));
  EXPECT_EQ(evaluate("--data " + files_.write("held.csv", "node,y,x1,x2\nd,1,2,3\n")).exit_code, 3);
}

TEST_F(EvaluateCommand, NeedsAResultAndSomethingToCompareItWith) {
  const auto nothing = evaluate("");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.output, HasSubstr("--truth"));
  EXPECT_EQ(run_command("evaluate --truth x.csv").exit_code, 2);
  EXPECT_EQ(run_command("evaluate " + files_.path("nowhere") + " --truth x.csv").exit_code, 3);
  summary("{\"model\": \"unheard of\"}");
  EXPECT_EQ(evaluate("--truth " + files_.write("t.csv", "node,x1,x2\n")).exit_code, 3);
  summary(R"({"model": "linear", "options": {"intercept": true}})");
  EXPECT_EQ(evaluate("--data " + files_.write("d.csv", "node,y,x1,x2\na,1,2,3\n")).exit_code, 3);
  summary("{\"model\": \"linear\"}");
  EXPECT_EQ(evaluate("--data " + files_.write("empty.csv", "node,y,x1,x2\n")).exit_code, 3);
  summary("{\"model\": \"point\"}");
  EXPECT_EQ(evaluate("--data " + files_.write("p.csv", "node,x1,x2\na,1,2\n")).exit_code, 2);
}

}  // namespace
}  // namespace gtvmin
