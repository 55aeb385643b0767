// Whatever frames come over a stream, the site takes what is due and ends the stream for anything else, with a reason;
// nothing else may happen. The input is a sequence of frames, each behind its length in two bytes.

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "check.h"
#include "stream.h"

namespace {

using gtvmin::Ending;

/// A stream without a network: frames are put into it, and what it writes is gone.
class FedStream final : public gtvmin::Stream {
 public:
  using Stream::Stream;
  void start() { begin(std::nullopt); }
  [[nodiscard]] bool dialled_here() const override { return false; }
  [[nodiscard]] std::string peer() const override { return "fuzzer"; }

  /// Whether it could be read; false also if the stream reads no more.
  bool feed(std::string_view bytes) {
    if (frame_ == nullptr || !frame_->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
    frame_ = nullptr;
    read_done(true);
    settle();
    return true;
  }
  /// gRPC reports what was begun only after the call that began it.
  void settle() {
    while (std::exchange(writing_, false)) write_done(!ended_);
  }
  void finish() {
    if (std::exchange(frame_, nullptr) != nullptr) read_done(false);
    settle();
    close();
    settle();
    done("over", shared_from_this());
  }
  [[nodiscard]] bool refused_without_reason() const { return refused_without_reason_; }

 private:
  void start_read(gtvmin::wire::Frame& frame) override { frame_ = &frame; }
  void start_write(const gtvmin::wire::Frame& /*frame*/) override { writing_ = true; }
  void end(Ending ending, const std::string& reason) override {
    ended_ = true;
    refused_without_reason_ = ending != Ending::kClean && reason.empty();
  }
  void cancel() override { ended_ = true; }
  [[nodiscard]] gtvmin::Status check_identity(const std::string& /*site*/) const override { return gtvmin::Unit{}; }

  gtvmin::wire::Frame* frame_ = nullptr;
  bool writing_ = false;
  bool ended_ = false;
  bool refused_without_reason_ = false;
};

/// What the site has after some frames must be whole messages, in their order.
void check_links(gtvmin::SiteLinks& links) {
  constexpr std::size_t kMost = 64;
  for (std::uint64_t iteration = 1; iteration <= kMost; ++iteration) {
    const auto message = links.receive(0, {gtvmin::MessageKind::kParameters, iteration}, 0);
    if (!message) return;
    FUZZ_CHECK(message->size() <= links.longest_message(0));
    FUZZ_CHECK(gtvmin::read_header(*message).round == iteration);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  google::protobuf::SetLogHandler(nullptr);  // it has a line for every text that is no UTF-8
  const gtvmin::LinkShape shape{.nodes = {3, 7}, .dimension = 2, .from_child = true};
  double now = 1;
  gtvmin::SiteLinks links({{.site = "north", .shape = shape}}, {.seconds = [&] { return now; }});
  links.send(0, std::string(100, 'x'));
  gtvmin::Switchboard::Options options;
  options.site = "middle";
  options.digest = "d";
  options.can_be_dialled = {false};
  gtvmin::Switchboard board(std::move(options), links);
  const auto stream = std::make_shared<FedStream>(board);
  board.add_stranger(stream);
  stream->start();
  std::string_view rest(reinterpret_cast<const char*>(bytes), size);
  while (rest.size() >= 2) {
    const std::size_t length = static_cast<std::uint8_t>(rest[0]) + 256U * static_cast<std::uint8_t>(rest[1]);
    rest.remove_prefix(2);
    if (!stream->feed(rest.substr(0, length))) break;
    rest.remove_prefix(std::min(length, rest.size()));
    now += 0.1;
    stream->pump();  // as the switchboard does
    stream->settle();
  }
  FUZZ_CHECK(!stream->refused_without_reason());
  check_links(links);
  stream->finish();
  return 0;
}
