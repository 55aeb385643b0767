#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

// What sites say to each other. Numbers are little-endian. Every message starts with its kind (1 byte) and its round
// (8 bytes): of parameters the iteration, of sums how many there have been, counted from 1.
//   parameters    dimension d (4 bytes), number of nodes n (4), n node ids (4 each), n·d doubles, node by node
//   sums          pack(SteeringSums)

enum class MessageKind : std::uint8_t {
  kParameters = 1,   ///< of boundary nodes, in every iteration
  kPartialSums = 2,  ///< of a subtree of sites, to the parent
  kTotalSums = 3     ///< of all sites, to a child
};

/// What may come over a link.
struct LinkShape {
  std::vector<NodeId> nodes;  ///< nodes of the neighbour's whose parameters this site sees, ascending
  Index dimension = 0;
  bool from_child = false;   ///< the neighbour sends partial sums
  bool from_parent = false;  ///< the neighbour sends total sums
};

struct MessageHeader {
  MessageKind kind = MessageKind::kParameters;
  std::uint64_t round = 0;
};

/// The parameters of `nodes`, which stand in these columns of w.
[[nodiscard]] std::string parameters_message(std::uint64_t iteration, std::span<const NodeId> nodes, const Matrix& w,
                                             std::span<const Index> columns);
[[nodiscard]] std::string sums_message(MessageKind kind, std::uint64_t round, const SteeringSums& sums);

/// Everything that can be said about a message on its own: kind, nodes, dimension, finite numbers, length. The error
/// says what is wrong.
[[nodiscard]] Result<MessageHeader> check_message(std::string_view message, const LinkShape& shape);
/// The longest message that check_message lets pass.
[[nodiscard]] std::size_t longest_message(const LinkShape& shape);

/// Of a message that has been checked: writes its parameters to columns of w, in the order of the link's nodes.
void read_parameters(std::string_view message, Matrix& w, std::span<const Index> columns);
/// Of a message that has been checked.
[[nodiscard]] SteeringSums read_sums(std::string_view message);
[[nodiscard]] MessageHeader read_header(std::string_view message);

/// Whether messages come in their order: iterations one by one, sums one by one.
class MessageOrder {
 public:
  explicit MessageOrder(std::uint64_t iterations = 0, std::uint64_t sums = 0) : iterations_(iterations), sums_(sums) {}

  /// Counts the message, or says which round was due instead.
  [[nodiscard]] Status advance(const MessageHeader& header);
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  [[nodiscard]] std::uint64_t sums() const { return sums_; }

 private:
  std::uint64_t iterations_;
  std::uint64_t sums_;
};

}  // namespace gtvmin
