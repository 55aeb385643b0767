#include "gtvmin/runtime/site_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

const LinkShape kShape{.nodes = {3, 5}, .dimension = 2, .from_child = true};

std::string parameters(std::uint64_t iteration, const Matrix& w = Matrix::Ones(2, 2),
                       const std::vector<NodeId>& nodes = {3, 5}) {
  const std::vector<Index> columns = {0, 1};
  return parameters_message(iteration, nodes, w, std::span(columns).first(nodes.size()));
}

std::string problem_of(std::string_view message) {
  const auto checked = check_message(message, kShape);
  return checked ? "" : checked.error().messages.front();
}

SiteLinks make_links(bool restartable = false) {
  return SiteLinks({{.site = "north", .shape = kShape}},
                   {.seconds = [] { return 1.0; }, .restartable = restartable, .most_waiting = 4});
}

TEST(SiteMessages, BringParametersAndSumsAsTheyWere) {
  Matrix w(2, 3);
  w << 1, 2, 3, 4, 5, 6;
  const std::vector<NodeId> nodes = {3, 5};
  const std::vector<Index> columns = {2, 0};
  const std::string message = parameters_message(7, nodes, w, columns);
  EXPECT_EQ(problem_of(message), "");
  Matrix back = Matrix::Zero(2, 3);
  read_parameters(message, back, columns);
  EXPECT_EQ(back.col(2), w.col(2));
  EXPECT_EQ(back.col(0), w.col(0));
  EXPECT_TRUE(back.col(1).isZero());
  EXPECT_EQ(read_header(message).round, 7U);

  SteeringSums sums;
  sums.sums[0].add(0.1);
  const std::string partial = sums_message(MessageKind::kPartialSums, 3, sums);
  EXPECT_EQ(problem_of(partial), "");
  EXPECT_EQ(read_sums(partial).sums[0].value(), 0.1);
}

TEST(SiteMessages, AreRefusedWithTheReason) {
  EXPECT_THAT(problem_of(""), HasSubstr("truncated"));
  EXPECT_THAT(problem_of(std::string(9, '\7')), HasSubstr("unknown kind, 7"));
  EXPECT_THAT(problem_of(parameters(1).substr(0, 12)), HasSubstr("truncated"));
  EXPECT_THAT(problem_of(parameters(1) + "x"), HasSubstr("bytes instead of"));
  EXPECT_THAT(problem_of(parameters(1, Matrix::Ones(3, 2))), HasSubstr("dimension 3 instead of 2"));
  EXPECT_THAT(problem_of(parameters(1, Matrix::Ones(2, 2), {3})), HasSubstr("1 nodes instead of 2"));
  EXPECT_THAT(problem_of(parameters(1, Matrix::Ones(2, 2), {3, 4})), HasSubstr("node 4"));
  Matrix w = Matrix::Ones(2, 2);
  w(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(problem_of(parameters(1, w)), HasSubstr("not finite"));
  w(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THAT(problem_of(parameters(1, w)), HasSubstr("not finite"));
  SteeringSums sums;
  EXPECT_THAT(problem_of(sums_message(MessageKind::kTotalSums, 1, sums)), HasSubstr("not the parent"));
  sums.sums[2].add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(problem_of(sums_message(MessageKind::kPartialSums, 1, sums)), HasSubstr("not finite"));
}

TEST(SiteLinks, RefuseMessagesOutOfTheirOrder) {
  SiteLinks links = make_links();
  EXPECT_TRUE(*links.deliver(0, 0, parameters(1)));
  EXPECT_FALSE(*links.deliver(0, 0, parameters(1))) << "replayed, ignored";
  const auto refusal = [&](std::uint64_t number, std::uint64_t iteration) {
    const auto status = links.deliver(0, number, parameters(iteration));
    return status ? "" : status.error().messages.front();
  };
  EXPECT_THAT(refusal(1, 1), HasSubstr("received iteration 1, expected 2"));
  EXPECT_THAT(refusal(1, 1000), HasSubstr("received iteration 1000, expected 2"));
  EXPECT_THAT(refusal(1'000'000, 2), HasSubstr("received message 1000000, expected 1"));
  EXPECT_EQ(refusal(1, 2), "");
  EXPECT_EQ(links.reports()[0].messages_received, 2);
  EXPECT_EQ(links.reports()[0].refusals, 3);
  EXPECT_EQ(links.reports()[0].repeats, 1);
}

TEST(SiteLinks, AreNeededUntilBothSidesHaveFinished) {
  SiteLinks links = make_links();
  links.opened(0, 1);
  links.received(0, 0, 0, true);
  links.closed(0, "gone");
  EXPECT_TRUE(links.over(0)) << "that a neighbour hangs up which has finished is no news";
  EXPECT_TRUE(links.is_needed(0)) << "but its last messages may not have come";
  links.finish();
  EXPECT_FALSE(links.is_needed(0));
}

TEST(SiteLinks, CountTheTimeThatANeighbourIsAwayWhoComesAndGoes) {
  double now = 100;
  SiteLinks links({{.site = "north", .shape = kShape}}, {.seconds = [&] { return now; }});
  const auto away = [&] { return links.reports()[0].away_seconds; };
  for (int k = 1; k <= 5; ++k) {
    now += 1;
    links.opened(0, 1);
    now += 0.5;
    links.closed(0, "refused");
    EXPECT_EQ(away(), k) << "connections without a message do not count";
  }
  links.opened(0, 1);
  ASSERT_TRUE(links.deliver(0, 0, parameters(1)).ok());
  links.closed(0, "lost");
  now += 2;
  EXPECT_EQ(away(), 2) << "a message does";
  links.opened(0, 1);
  now += 60;  // it waits for somebody itself
  EXPECT_EQ(away(), 2);
  links.closed(0, "lost");
  EXPECT_EQ(away(), 0) << "who was there for long is away anew";
}

TEST(SiteLinks, AskAgainForAMessageThatWasNotTheOneDue) {
  SiteLinks links = make_links();
  ASSERT_TRUE(links.deliver(0, 0, parameters(1)).ok());
  EXPECT_FALSE(links.receive(0, {MessageKind::kPartialSums, 1}, 0.01).has_value());
  EXPECT_EQ(links.next(0), 0U);
  EXPECT_THAT(*links.refused_since(0, 0), HasSubstr("expected"));
  ASSERT_TRUE(links.deliver(0, 0, parameters(1)).ok());
  EXPECT_TRUE(links.receive(0, {MessageKind::kParameters, 1}, 0.01).has_value());
}

TEST(SiteLinks, StopReadingWhenTooMuchWaits) {
  SiteLinks links = make_links();
  for (std::uint64_t k = 0; k < 4; ++k) {
    EXPECT_TRUE(links.has_room(0));
    ASSERT_TRUE(links.deliver(0, k, parameters(k + 1)).ok());
  }
  EXPECT_FALSE(links.has_room(0));
  int woken = 0;
  links.set_wake([&](std::size_t) { ++woken; });
  EXPECT_TRUE(links.receive(0, {MessageKind::kParameters, 1}, 0).has_value());
  EXPECT_TRUE(links.has_room(0));
  EXPECT_EQ(woken, 1);
}

TEST(SiteLinks, CoverWhatACheckpointHasAndNothingElse) {
  SiteLinks links = make_links(true);
  ASSERT_TRUE(links.deliver(0, 0, parameters(1)).ok());
  ASSERT_TRUE(links.deliver(0, 1, parameters(2)).ok());
  ASSERT_TRUE(links.receive(0, {MessageKind::kParameters, 1}, 0).has_value());
  SiteLinks::Cursor cursor;
  EXPECT_FALSE(links.outgoing(0, cursor, false).has_value());
  EXPECT_EQ(links.outgoing(0, cursor, true)->covered, 0U);
  links.cover(links.states());
  EXPECT_EQ(links.outgoing(0, cursor, false)->covered, 1U);
}

TEST(SiteLinks, GoOnAfterARestartWhereTheCheckpointStands) {
  SiteLinks links = make_links(true);
  links.send(0, parameters(1));
  links.send(0, parameters(2));
  links.received(0, 0, 1, false);  // covers message 0
  ASSERT_TRUE(links.deliver(0, 0, parameters(1)).ok());
  ASSERT_TRUE(links.deliver(0, 1, parameters(2)).ok());
  ASSERT_TRUE(links.receive(0, {MessageKind::kParameters, 1}, 0).has_value());

  SiteLinks again({{.site = "north", .shape = kShape}}, {.seconds = [] { return 1.0; }, .restartable = true},
                  links.states());
  EXPECT_EQ(again.next(0), 1U) << "what waited is wanted again";
  ASSERT_TRUE(again.deliver(0, 1, parameters(2)).ok());
  EXPECT_TRUE(again.open(0, 1, 7).ok());
  const Status lost = again.open(0, 0, 7);
  ASSERT_FALSE(lost.ok());
  EXPECT_THAT(lost.error().messages.front(), HasSubstr("lost its checkpoint"));
  again.opened(0, 7);
  EXPECT_TRUE(again.open(0, 0, 7).ok()) << "a hello that was overtaken";
  SiteLinks::Cursor cursor{.number = 1};
  EXPECT_EQ(again.outgoing(0, cursor, false)->bytes, parameters(2));
  EXPECT_EQ(cursor.number, 2U);
}

TEST(SiteLinks, CutLongMessagesIntoChunks) {
  const std::vector<NodeId> nodes = {3};
  const LinkShape wide{.nodes = nodes, .dimension = 300'000};
  SiteLinks links({{.site = "north", .shape = wide}}, {.seconds = [] { return 1.0; }});
  const std::vector<Index> columns = {0};
  const std::string message = parameters_message(1, nodes, Matrix::Random(300'000, 1), columns);
  links.send(0, message);
  SiteLinks::Cursor cursor;
  std::string joined;
  std::uint32_t chunks = 0;
  while (auto frame = links.outgoing(0, cursor, false)) {
    EXPECT_LE(frame->bytes.size(), kLongestChunk);
    EXPECT_EQ(frame->chunk, chunks++);
    EXPECT_EQ(frame->chunks, 74U);
    joined += frame->bytes;
  }
  EXPECT_EQ(joined, message);
}

}  // namespace
}  // namespace gtvmin
