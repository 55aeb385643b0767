#include "gtvmin/runtime/site_exchange.h"

#include <gtest/gtest.h>

#include "federation/small_federation.h"
#include "gtvmin/base/rng.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/privacy/gaussian_mechanism.h"
#include "gtvmin/problem/model.h"

namespace gtvmin {
namespace {

/// The site in the middle of the small federation: its only node, c, has an edge to b at one site and to d at another.
class MiddleSite : public testing::Test {
 protected:
  static constexpr NodeId kOurs = 2;

  /// Runs swap() with what neighbours have sent; returns what both of them get, one column each.
  Matrix swap(SiteExchange& exchange, std::uint64_t iteration, const Vector& update) {
    const std::vector<Index> first_column = {0};
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const auto delivered = links_.deliver(
          k, iteration - 1, parameters_message(iteration, neighbours_[k].theirs, Matrix::Ones(2, 1), first_column));
      EXPECT_TRUE(delivered.ok()) << delivered.error().messages.front();
    }
    shard_.w_next.col(0) = update;
    EXPECT_TRUE(exchange.swap({&shard_, 1}).ok());
    Matrix got(2, 2);
    for (std::size_t k = 0; k < links_.size(); ++k) {
      SiteLinks::Cursor cursor{iteration - 1, 0};
      const auto frame = links_.outgoing(k, cursor, false);
      EXPECT_TRUE(frame && frame->has_data);
      const std::vector<Index> column = {static_cast<Index>(k)};
      read_parameters(frame->bytes, got, column);
    }
    return got;
  }

  Federation federation_ = *parse_federation("f.toml", kSmallFederation);
  Dataset data_ =
      *parse_dataset({"data.csv", "node,y,x1,x2\na,1,1,0\nb,2,1,0\nc,-1,0.5,1\nd,1,0,1\n"},
                     {"edges.csv", "source,target,weight\na,b,2\nb,c,0.1\nc,d,1\n"}, {}, LabelDomain::kReal);
  Problem problem_ = *make_problem(data_, ModelSpec{.name = "linear"}, L2Penalty{}, 0.3);
  Shard shard_{problem_, {kOurs}};
  std::vector<SiteNeighbour> neighbours_ = site_neighbours(federation_, 1);
  SiteLinks links_{link_specs(federation_, neighbours_, 2), {.seconds = [] { return 1.0; }}};
};

TEST_F(MiddleSite, SendsWhatItHasComputed) {
  const Vector update = Vector::LinSpaced(2, 5, -7);
  SiteExchange exchange(shard_, neighbours_, links_, {});
  const Matrix got = swap(exchange, 1, update);
  EXPECT_EQ(got.col(0), update);
  EXPECT_EQ(got.col(1), update);
  EXPECT_EQ(shard_.w_next.col(1), Vector::Ones(2)) << "what a neighbour has sent";
  exchange.settle({&shard_, 1});
  EXPECT_TRUE(exchange.sent().empty());
}

TEST_F(MiddleSite, SendsAllNeighboursTheSameNoiseAndTakesTheStepThatTheySee) {
  const GaussianMechanism mechanism{.clip = 0.5, .noise = 2};
  Rng rng(3);
  std::vector<std::pair<std::uint64_t, NodeId>> releases;
  SiteExchange::Options options;
  options.release = [&](std::uint64_t iteration, NodeId node, VectorRef update) {
    releases.emplace_back(iteration, node);
    mechanism.release(update, [&] { return rng.bits(); });
  };
  SiteExchange exchange(shard_, neighbours_, links_, std::move(options));
  Vector known = shard_.w.col(0);  // to neighbours: the start, then what they got
  for (std::uint64_t iteration = 1; iteration <= 3; ++iteration) {
    const Vector update = static_cast<double>(iteration) * Vector::LinSpaced(2, 5000, -7000);
    const Matrix got = swap(exchange, iteration, update);
    EXPECT_EQ(got.col(0), got.col(1));
    EXPECT_LT(got.col(0).norm(), 0.5 + 10 * mechanism.deviation()) << "it was clipped before";
    // An edge is updated with 2w⁺ − w: at both of its ends from the same numbers.
    EXPECT_EQ(shard_.w_next.col(0), got.col(0));
    EXPECT_EQ(shard_.w.col(0), known);
    known = got.col(0);
    shard_.w.col(0) = known;  // as the solver does
    exchange.settle({&shard_, 1});
    EXPECT_EQ(shard_.w.col(0), update) << "the site itself goes on without noise";
    EXPECT_EQ(exchange.sent().at(kOurs), known);
  }
  EXPECT_EQ(releases, (std::vector<std::pair<std::uint64_t, NodeId>>{{1, kOurs}, {2, kOurs}, {3, kOurs}}))
      << "one release, however many get it";
}

TEST_F(MiddleSite, HasNoTreeInAFederationWithoutSums) {
  EXPECT_TRUE(neighbours_[0].is_parent && neighbours_[1].is_child);
  federation_.sums = false;
  neighbours_ = site_neighbours(federation_, 1);
  for (const SiteNeighbour& neighbour : neighbours_) EXPECT_FALSE(neighbour.is_parent || neighbour.is_child);
  SiteLinks links(link_specs(federation_, neighbours_, 2), {.seconds = [] { return 1.0; }});
  EXPECT_FALSE(links.deliver(1, 0, sums_message(MessageKind::kPartialSums, 1, {})).ok()) << "sums are refused";
  SiteExchange exchange(shard_, neighbours_, links, {});
  SteeringSums own;
  own.sums[SteeringSums::kLoss].add(0.25);
  EXPECT_EQ((*exchange.sum({&own, 1}))[SteeringSums::kLoss], 0.25);
  SiteLinks::Cursor cursor;
  EXPECT_FALSE(links.outgoing(0, cursor, false).has_value()) << "nothing travels";
}

/// The same site with a clock that can be set, a neighbour that is there, and one that is not.
class MiddleSiteAlone : public MiddleSite {
 protected:
  static SiteExchange::Options impatient() {
    SiteExchange::Options options;
    options.patience = 30;
    return options;
  }
  /// Parameters that link k sends in an iteration.
  void deliver(std::size_t k, std::uint64_t number, std::uint64_t iteration, double value) {
    const std::vector<Index> column = {0};
    const Matrix w = Matrix::Constant(2, 1, value);
    ASSERT_TRUE(clocked_.deliver(k, number, parameters_message(iteration, neighbours_[k].theirs, w, column)).ok());
  }

  double now_ = 100;
  SiteLinks clocked_{link_specs(federation_, neighbours_, 2), {.seconds = [this] { return now_; }}};
  SiteExchange exchange_{shard_, neighbours_, clocked_, impatient()};
};

TEST_F(MiddleSiteAlone, FreezesTheLastParametersOfANeighbourThatStaysAway) {
  deliver(0, 0, 1, 5);
  deliver(1, 0, 1, 6);
  ASSERT_TRUE(exchange_.swap({&shard_, 1}).ok());
  EXPECT_FALSE(exchange_.is_inexact());
  now_ += 31;
  clocked_.opened(1, 1);  // it is only slow
  for (std::uint64_t iteration = 2; iteration <= 3; ++iteration) {
    deliver(1, iteration - 1, iteration, static_cast<double>(10 * iteration));
    shard_.w_next.setConstant(-1);
    ASSERT_TRUE(exchange_.swap({&shard_, 1}).ok());
    EXPECT_EQ(shard_.w_next.col(1), Vector::Constant(2, 5)) << "the last that is known";
    EXPECT_EQ(shard_.w_next.col(2), Vector::Constant(2, static_cast<double>(10 * iteration)));
  }
  EXPECT_EQ(exchange_.absences()[0].since, 2U);
  EXPECT_EQ(exchange_.absences()[1].since, 0U);
  EXPECT_TRUE(exchange_.is_inexact());
}

TEST_F(MiddleSiteAlone, TellsInSumsWhomItHasGivenUp) {
  ASSERT_TRUE(clocked_.deliver(1, 0, sums_message(MessageKind::kPartialSums, 1, {})).ok());
  now_ += 31;  // the parent never comes
  const SteeringSums own;
  const auto total = exchange_.sum({&own, 1});
  ASSERT_TRUE(total.ok());
  EXPECT_EQ((*total)[SteeringSums::kAbsent], 1);
  SiteLinks::Cursor cursor;
  const auto told = clocked_.outgoing(1, cursor, false);
  ASSERT_TRUE(told && told->has_data);
  EXPECT_EQ(read_sums(told->bytes)[SteeringSums::kAbsent], 1) << "the child learns it as well";
  EXPECT_TRUE(exchange_.is_inexact());
}

TEST_F(MiddleSiteAlone, LearnsFromSumsThatSomebodyElseIsMissing) {
  SteeringSums all;
  all.sums[SteeringSums::kAbsent].add(2);
  ASSERT_TRUE(clocked_.deliver(1, 0, sums_message(MessageKind::kPartialSums, 1, {})).ok());
  ASSERT_TRUE(clocked_.deliver(0, 0, sums_message(MessageKind::kTotalSums, 1, all)).ok());
  const SteeringSums own;
  ASSERT_TRUE(exchange_.sum({&own, 1}).ok());
  EXPECT_TRUE(exchange_.is_inexact());
}

TEST_F(MiddleSite, SendsNoMoreThanItMayKeepBeforeANeighbourHasCoveredIt) {
  SiteLinks links(link_specs(federation_, neighbours_, 2), {.seconds = [] { return 1.0; }, .most_kept = 1});
  int looks = 0;
  SiteExchange::Options options;
  options.interrupted = [&] { return ++looks == 2; };
  SiteExchange exchange(shard_, neighbours_, links, options);
  const std::vector<Index> column = {0};
  for (std::uint64_t iteration = 1; iteration <= 2; ++iteration) {
    for (std::size_t k = 0; k < links.size(); ++k) {
      const Matrix w = Matrix::Ones(2, 1);
      ASSERT_TRUE(
          links.deliver(k, iteration - 1, parameters_message(iteration, neighbours_[k].theirs, w, column)).ok());
    }
  }
  ASSERT_TRUE(exchange.swap({&shard_, 1}).ok());
  const Status second = exchange.swap({&shard_, 1});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().messages.front(), "interrupted in iteration 2 while waiting for " + links.site(0));
  for (std::size_t k = 0; k < links.size(); ++k) {
    EXPECT_EQ(links.reports()[k].kept_messages, 1U);
    links.received(k, 0, /*covered=*/1, false);
  }
  SiteExchange again(shard_, neighbours_, links, {}, 1);
  EXPECT_TRUE(again.swap({&shard_, 1}).ok());
}

TEST_F(MiddleSite, EndsIfANeighbourHasRefusedItForGood) {
  SiteExchange exchange(shard_, neighbours_, links_, {});
  links_.refused_for_good(1, "it has lost its checkpoint");
  const Status swapped = exchange.swap({&shard_, 1});
  ASSERT_FALSE(swapped.ok());
  EXPECT_EQ(swapped.error().messages.front(), "iteration 1: this site cannot continue: " + links_.site(1) +
                                                  " has refused it permanently: it has lost its checkpoint");
}

}  // namespace
}  // namespace gtvmin
