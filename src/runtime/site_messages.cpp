#include "gtvmin/runtime/site_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace gtvmin {
namespace {

static_assert(std::endian::native == std::endian::little, "messages are written as they lie in memory");

constexpr std::size_t kHeaderSize = 9;
constexpr std::size_t kShapeSize = 8;  // dimension and number of nodes

template <class T>
void put(std::string& message, T number) {
  message.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <class T>
T get(std::string_view message, std::size_t at) {
  T number;
  std::memcpy(&number, message.data() + at, sizeof(number));
  return number;
}

std::string start_message(MessageKind kind, std::uint64_t round, std::size_t size) {
  std::string message;
  message.reserve(kHeaderSize + size);
  put(message, kind);
  put(message, round);
  return message;
}

std::size_t parameters_size(const LinkShape& shape) {
  const auto dimension = static_cast<std::size_t>(shape.dimension);
  return kHeaderSize + kShapeSize + shape.nodes.size() * (sizeof(NodeId) + dimension * sizeof(double));
}

Status check_parameters(std::string_view message, const LinkShape& shape) {
  if (shape.nodes.empty()) return bad_input("parameters from a site that shares no edge with this one");
  if (message.size() < kHeaderSize + kShapeSize) return bad_input("truncated parameters");
  const auto dimension = get<std::uint32_t>(message, kHeaderSize);
  const auto count = get<std::uint32_t>(message, kHeaderSize + 4);
  if (dimension != static_cast<std::uint64_t>(shape.dimension)) {
    return bad_input(fmt::format("parameters of dimension {} instead of {}", dimension, shape.dimension));
  }
  if (count != shape.nodes.size()) {
    return bad_input(fmt::format("parameters of {} nodes instead of {}", count, shape.nodes.size()));
  }
  if (message.size() != parameters_size(shape)) {
    return bad_input(fmt::format("parameters of {} bytes instead of {}", message.size(), parameters_size(shape)));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const auto node = get<NodeId>(message, kHeaderSize + kShapeSize + k * sizeof(NodeId));
    if (node != shape.nodes[k]) {
      return bad_input(fmt::format("parameters of node {}, which the sender may not send to this site", node));
    }
  }
  for (std::size_t at = kHeaderSize + kShapeSize + count * sizeof(NodeId); at < message.size(); at += sizeof(double)) {
    if (!std::isfinite(get<double>(message, at))) return bad_input("parameters that are not finite numbers");
  }
  return Unit{};
}

Status check_sums(std::string_view message) {
  const Result<SteeringSums> sums = unpack(message.substr(kHeaderSize));
  if (!sums) return sums.error();
  bool finite = true;
  for (const ExactSum& sum : sums->sums) finite = finite && std::isfinite(sum.value());
  for (const double maximum : sums->maxima) finite = finite && std::isfinite(maximum);
  return finite ? Status(Unit{}) : Status(bad_input("sums that are not finite numbers"));
}

}  // namespace

std::string parameters_message(std::uint64_t iteration, std::span<const NodeId> nodes, const Matrix& w,
                               std::span<const Index> columns) {
  assert(nodes.size() == columns.size());
  const std::size_t column_size = static_cast<std::size_t>(w.rows()) * sizeof(double);
  std::string message =
      start_message(MessageKind::kParameters, iteration, kShapeSize + nodes.size() * (sizeof(NodeId) + column_size));
  put(message, static_cast<std::uint32_t>(w.rows()));
  put(message, static_cast<std::uint32_t>(nodes.size()));
  for (const NodeId node : nodes) put(message, node);
  for (const Index column : columns) message.append(reinterpret_cast<const char*>(w.col(column).data()), column_size);
  return message;
}

std::string sums_message(MessageKind kind, std::uint64_t round, const SteeringSums& sums) {
  const std::string packed = pack(sums);
  return start_message(kind, round, packed.size()) + packed;
}

Result<MessageHeader> check_message(std::string_view message, const LinkShape& shape) {
  if (message.size() < kHeaderSize) return bad_input("a truncated message");
  const MessageHeader header = read_header(message);
  Status fits = bad_input(fmt::format("a message of an unknown kind, {}", static_cast<int>(header.kind)));
  switch (header.kind) {
    case MessageKind::kParameters:
      fits = check_parameters(message, shape);
      break;
    case MessageKind::kPartialSums:
      fits = shape.from_child ? check_sums(message) : bad_input("partial sums from a site that is not a child");
      break;
    case MessageKind::kTotalSums:
      fits = shape.from_parent ? check_sums(message) : bad_input("total sums from a site that is not the parent");
      break;
  }
  if (!fits) return fits.error();
  return header;
}

std::size_t longest_message(const LinkShape& shape) {
  // A packed sum has two numbers and at most all its limbs.
  constexpr std::size_t kSums =
      SteeringSums::kQuantities * (16 + sizeof(ExactSum::Limbs)) + SteeringSums::kMaxima * sizeof(double);
  return std::max(parameters_size(shape), kHeaderSize + kSums);
}

void read_parameters(std::string_view message, Matrix& w, std::span<const Index> columns) {
  const std::size_t column_size = static_cast<std::size_t>(w.rows()) * sizeof(double);
  std::size_t at = kHeaderSize + kShapeSize + columns.size() * sizeof(NodeId);
  for (const Index column : columns) {
    std::memcpy(w.col(column).data(), message.data() + at, column_size);
    at += column_size;
  }
}

SteeringSums read_sums(std::string_view message) {
  const Result<SteeringSums> sums = unpack(message.substr(kHeaderSize));
  assert(sums);
  return *sums;
}

MessageHeader read_header(std::string_view message) {
  return {static_cast<MessageKind>(message.front()), get<std::uint64_t>(message, 1)};
}

Status MessageOrder::advance(const MessageHeader& header) {
  const bool parameters = header.kind == MessageKind::kParameters;
  std::uint64_t& before = parameters ? iterations_ : sums_;
  if (header.round != before + 1) {
    return bad_input(fmt::format("received {} {}, expected {}", parameters ? "iteration" : "round of sums",
                                 header.round, before + 1));
  }
  ++before;
  return Unit{};
}

}  // namespace gtvmin
