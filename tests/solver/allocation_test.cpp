// Nothing in the loop allocates: 200 iterations ask the allocator for no more than their records need.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace {
std::atomic<std::int64_t> allocations{0};
}  // namespace

// Eigen asks malloc directly; the linker sends these calls here (--wrap). NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __wrap_malloc(std::size_t size) {
  ++allocations;
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __real_calloc(count, size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  ++allocations;
  return __real_realloc(memory, size);
}
}
// NOLINTEND(bugprone-reserved-identifier)

// malloc counts for it.
void* operator new(std::size_t size) {
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace gtvmin {
namespace {

/// What is allocated from iteration 200 to iteration 400 of a run.
std::int64_t allocations_in_200_iterations(const Problem& problem, Method method, int threads) {
  std::int64_t at_200 = 0;
  std::int64_t at_400 = 0;
  SolveContext context;
  context.observe = [&](const IterationRecord& record) {
    if (record.iteration == 200) at_200 = allocations;
    if (record.iteration == 400) at_400 = allocations;
    return true;
  };
  const auto result =
      solve(problem, {.method = method, .tolerance = 0, .max_iterations = 400, .threads = threads}, context);
  EXPECT_EQ(result.iterations, 400);
  EXPECT_GT(at_200, 0);
  return at_400 - at_200;
}

// Ten checks: a record each, and what a check hands to the exchange.
constexpr std::int64_t kForRecords = 20;

TEST(Allocations, AreCounted) {
  const std::int64_t before = allocations;
  const Vector from_malloc = Vector::Ones(100);
  const std::vector<double> from_new(100);
  EXPECT_EQ(allocations - before, 2);
  EXPECT_EQ(from_malloc.size() + static_cast<Index>(from_new.size()), 200);
}

TEST(Allocations, DoNotHappenInTheLoop) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const auto& penalty : penalty_names()) {
      for (const Index d : {3, 12}) {
        const auto problem = random_problem(
            95, {.model = model, .penalty = penalty, .nodes = 30, .extra_edges = 40, .dimension = d, .lambda = 0.05});
        for (const auto method : {Method::kAlgorithm1, Method::kAdaptive}) {
          SCOPED_TRACE(::testing::Message() << model << " " << penalty << " d = " << d);
          EXPECT_LE(allocations_in_200_iterations(problem, method, 1), kForRecords);
        }
      }
    }
  }
}

TEST(Allocations, DoNotHappenInTheLoopOnSeveralThreads) {
  const auto problem = random_problem(
      96, {.model = "linear", .penalty = "l2", .nodes = 1000, .extra_edges = 1500, .dimension = 8, .lambda = 0.05});
  EXPECT_LE(allocations_in_200_iterations(problem, Method::kAlgorithm1, 2), kForRecords);
}

}  // namespace
}  // namespace gtvmin
