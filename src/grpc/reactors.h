#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "peer.grpc.pb.h"
#include "stream.h"

namespace gtvmin {

/// The end that dialled.
class DialledStream final : public Stream, private grpc::ClientBidiReactor<wire::Frame, wire::Frame> {
 public:
  static std::shared_ptr<DialledStream> dial(Switchboard& board, std::size_t link,
                                             const std::shared_ptr<grpc::Channel>& channel, std::string address);

  [[nodiscard]] bool dialled_here() const override { return true; }
  [[nodiscard]] std::string peer() const override;

 private:
  DialledStream(Switchboard& board, std::string site, const std::shared_ptr<grpc::Channel>& channel,
                std::string address);
  void start_read(wire::Frame& frame) override { StartRead(&frame); }
  void start_write(const wire::Frame& frame) override { StartWrite(&frame); }
  void end(Ending ending, const std::string& reason) override;
  void cancel() override;
  [[nodiscard]] Status check_identity(const std::string& site) const override;

  void OnReadDone(bool ok) override { read_done(ok); }
  void OnWriteDone(bool ok) override { write_done(ok); }
  void OnDone(const grpc::Status& status) override;
  [[nodiscard]] std::string reason_of(const grpc::Status& status);
  void let_go();

  std::string site_;
  std::string address_;
  std::unique_ptr<wire::Peer::Stub> stub_;
  grpc::ClientContext context_;
  wire::Frame farewell_;
  bool ended_here_ = false;
  bool held_ = true;
  std::shared_ptr<Stream> self_;  // as long as gRPC may call
};

/// The end that was called.
class AcceptedStream final : public Stream, private grpc::ServerBidiReactor<wire::Frame, wire::Frame> {
 public:
  /// `secure`: the caller has shown a certificate. Its name is the site's, then a dot and `federation`.
  static grpc::ServerBidiReactor<wire::Frame, wire::Frame>* accept(Switchboard& board,
                                                                   grpc::CallbackServerContext& context, bool secure,
                                                                   std::string federation,
                                                                   std::shared_ptr<Stream>& stream);

  [[nodiscard]] bool dialled_here() const override { return false; }
  [[nodiscard]] std::string peer() const override;

 private:
  AcceptedStream(Switchboard& board, grpc::CallbackServerContext& context, bool secure, std::string federation);
  void start_read(wire::Frame& frame) override { StartRead(&frame); }
  void start_write(const wire::Frame& frame) override { StartWrite(&frame); }
  void end(Ending ending, const std::string& reason) override;
  void cancel() override { context_.TryCancel(); }
  [[nodiscard]] Status check_identity(const std::string& site) const override;

  void OnReadDone(bool ok) override { read_done(ok); }
  void OnWriteDone(bool ok) override { write_done(ok); }
  void OnDone() override;

  grpc::CallbackServerContext& context_;
  bool secure_;
  std::string federation_;
  std::string from_;
  bool ended_here_ = false;
  std::shared_ptr<Stream> self_;  // as long as gRPC may call
};

}  // namespace gtvmin
