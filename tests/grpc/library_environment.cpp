// gRPC ends threads of its own behind the back of who uses it. A process that ends at the same moment looks as if it
// had lost what OpenSSL keeps for each of them. Tests therefore wait for them.

#include <grpc/grpc.h>
#include <gtest/gtest.h>

namespace gtvmin {
namespace {

class LibraryEnvironment final : public ::testing::Environment {
 public:
  void SetUp() override { grpc_init(); }
  void TearDown() override { grpc_shutdown_blocking(); }
};

[[maybe_unused]] ::testing::Environment* const environment =
    ::testing::AddGlobalTestEnvironment(new LibraryEnvironment);  // GoogleTest deletes it

}  // namespace
}  // namespace gtvmin
