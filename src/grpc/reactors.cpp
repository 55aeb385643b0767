#include "reactors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "credentials.h"

namespace gtvmin {
namespace {

// How a side that was called says that it has refused the other one.
constexpr grpc::StatusCode kRefused = grpc::StatusCode::FAILED_PRECONDITION;
constexpr grpc::StatusCode kRefusedForGood = grpc::StatusCode::DATA_LOSS;

/// "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:7443: Failed to connect to remote host:
/// Connection refused" of 127.0.0.1:7443 → "Connection refused".
std::string in_short(std::string message, const std::string& address) {
  for (const std::string& wordy :
       {std::string("failed to connect to all addresses; last error: "), std::string("UNKNOWN: "),
        std::string("UNAVAILABLE: "), std::string("ipv4:"), std::string("ipv6:"),
        std::string("Failed to connect to remote host: "), address + ": "}) {
    if (const std::size_t at = message.find(wordy); at != std::string::npos) message.erase(at, wordy.size());
  }
  return message;
}

}  // namespace

DialledStream::DialledStream(Switchboard& board, std::string site, const std::shared_ptr<grpc::Channel>& channel,
                             std::string address)
    : Stream(board), site_(std::move(site)), address_(std::move(address)), stub_(wire::Peer::NewStub(channel)) {}

std::shared_ptr<DialledStream> DialledStream::dial(Switchboard& board, std::size_t link,
                                                   const std::shared_ptr<grpc::Channel>& channel, std::string address) {
  const std::shared_ptr<DialledStream> stream(
      new DialledStream(board, board.links().site(link), channel, std::move(address)));
  stream->self_ = stream;
  stream->stub_->async()->Converse(&stream->context_, stream.get());
  stream->AddHold();
  stream->begin(link);
  stream->StartCall();
  return stream;
}

std::string DialledStream::peer() const { return fmt::format("{} at {}", site_, address_); }

void DialledStream::end(Ending ending, const std::string& reason) {
  if (std::exchange(ended_here_, true)) return;
  if (ending == Ending::kCut) {
    cancel();
  } else if (ending == Ending::kClean) {
    StartWritesDone();
  } else {
    farewell_.mutable_refusal()->set_reason(reason);
    farewell_.mutable_refusal()->set_for_good(ending == Ending::kRefusedForGood);
    StartWriteLast(&farewell_, {});
  }
  let_go();
}

void DialledStream::cancel() {
  context_.TryCancel();
  let_go();
}

void DialledStream::let_go() {
  if (std::exchange(held_, false)) RemoveHold();
}

Status DialledStream::check_identity(const std::string& site) const {
  if (site == site_) return Unit{};  // TLS has checked its certificate against this name
  return bad_input(fmt::format("it says that it is '{}'", site));
}

void DialledStream::OnDone(const grpc::Status& status) { done(reason_of(status), std::move(self_)); }

std::string DialledStream::reason_of(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return fmt::format("it sent a frame of more than {} bytes ({})", kLargestFrame, status.error_message());
    case kRefused:
    case kRefusedForGood:
      return refused_by_it(status.error_message(), status.error_code() == kRefusedForGood);
    default:
      return in_short(status.error_message(), address_);
  }
}

AcceptedStream::AcceptedStream(Switchboard& board, grpc::CallbackServerContext& context, bool secure,
                               std::string federation)
    : Stream(board), context_(context), secure_(secure), federation_(std::move(federation)), from_(context.peer()) {}

grpc::ServerBidiReactor<wire::Frame, wire::Frame>* AcceptedStream::accept(Switchboard& board,
                                                                          grpc::CallbackServerContext& context,
                                                                          bool secure, std::string federation,
                                                                          std::shared_ptr<Stream>& stream) {
  const std::shared_ptr<AcceptedStream> accepted(new AcceptedStream(board, context, secure, std::move(federation)));
  accepted->self_ = accepted;
  stream = accepted;
  accepted->begin(std::nullopt);
  return accepted.get();
}

std::string AcceptedStream::peer() const {
  const std::string site = proved_site();
  return site.empty() ? fmt::format("caller {}", from_) : fmt::format("{}, caller {}", site, from_);
}

void AcceptedStream::end(Ending ending, const std::string& reason) {
  if (std::exchange(ended_here_, true)) return;
  if (ending == Ending::kClean) {
    Finish(grpc::Status::OK);
  } else {
    Finish({ending == Ending::kRefusedForGood ? kRefusedForGood : kRefused, reason});
  }
}

Status AcceptedStream::check_identity(const std::string& site) const {
  if (!secure_) return Unit{};
  const auto names = context_.auth_context()->FindPropertyValues(GRPC_X509_SAN_PROPERTY_NAME);
  const std::string name = certificate_name(site, federation_);
  const bool shown = std::any_of(names.begin(), names.end(), [&](const grpc::string_ref& shown_name) {
    return std::string_view(shown_name.data(), shown_name.size()) == name;
  });
  if (shown) return Unit{};
  return bad_input(fmt::format("it says that it is '{}', but its certificate is for '{}'", site,
                               names.empty() ? "nobody" : std::string(names.front().data(), names.front().size())));
}

void AcceptedStream::OnDone() {
  // gRPC does not say which: frames that are too large end the stream before they are read.
  done(fmt::format("the other side has ended the stream, or sent a frame of more than {} bytes", kLargestFrame),
       std::move(self_));
}

}  // namespace gtvmin
