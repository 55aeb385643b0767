#include "stream.h"

#include <fmt/format.h>

#include <utility>

namespace gtvmin {
namespace {

/// Words of another site in this site's log: one line, and no more than fits on it.
std::string printable(std::string text) {
  constexpr std::size_t kLongest = 200;
  if (text.size() > kLongest) text.resize(kLongest);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

}  // namespace

Stream::Stream(Switchboard& board) : board_(board) {
  board_.count_streams(1);
  const std::lock_guard lock(mutex_);
  last_read_ = last_write_ = board_.seconds();
}

Stream::~Stream() { board_.count_streams(-1); }

std::optional<std::size_t> Stream::link() const {
  const std::lock_guard lock(mutex_);
  return link_;
}

std::string Stream::proved_site() const {
  const std::lock_guard lock(mutex_);
  return proved_site_;
}

bool Stream::is_open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

bool Stream::is_over() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

void Stream::begin(std::optional<std::size_t> link) {
  const std::lock_guard lock(mutex_);
  link_ = link;
  reading_ = true;
  start_read(in_);
  if (link_) say_hello();
}

void Stream::say_hello() {
  out_.Clear();
  wire::Hello& hello = *out_.mutable_hello();
  hello.set_protocol(kProtocol);
  hello.set_federation(board_.digest());
  hello.set_site(board_.site());
  hello.set_next(board_.links().next(*link_));
  hello.set_incarnation(board_.incarnation());
  written_ = {};
  said_hello_ = true;
  writing_ = true;
  start_write(out_);
}

void Stream::read_done(bool ok) {
  if (ok) {
    {
      const std::lock_guard lock(mutex_);
      last_read_ = board_.seconds();
      if (ended_) return;
    }
    if (const Status taken = take(in_); !taken) {
      const std::lock_guard lock(mutex_);
      give_up(refusal_, taken.error().messages.front());
      return;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    if (!ok) give_up(Ending::kClean, "");
    if (std::exchange(whole_, false) && !ended_ && deliver()) return;
  }
  pump();
}

/// Whether the message is new. If so, the next one is read once this site says or waits for something: a read without a
/// write makes gRPC send an update of the flow control on its own, a second packet for every message. The lock is held:
/// who gets the message and calls pump finds that nothing is being read.
bool Stream::deliver() {
  const Result<bool> is_new = board_.links().deliver(*link_, assembling_, std::exchange(assembled_, {}));
  if (!is_new) {
    give_up(Ending::kRefused, is_new.error().messages.front());
  } else if (!*is_new) {
    board_.note_repeat(*link_, assembling_);
  }
  return is_new && *is_new;
}

Status Stream::take(const wire::Frame& frame) {
  if (!greeted_) {
    if (!frame.has_hello()) return bad_input("the first frame is not a hello");
    return greet(frame.hello());
  }
  if (frame.has_hello()) return bad_input("a second hello");
  if (frame.has_refusal()) return bad_input(refused_by_it(frame.refusal().reason(), frame.refusal().for_good()));
  board_.links().received(*link_, frame.ByteSizeLong(), frame.covered(), frame.finished());
  return frame.has_data() ? take_data(frame.data()) : Status(Unit{});
}

Status Stream::greet(const wire::Hello& hello) {
  if (hello.protocol() != kProtocol) {
    return bad_input(fmt::format("it uses protocol version {}, not {}", hello.protocol(), kProtocol));
  }
  if (hello.federation() != board_.digest()) return bad_input("it has another federation file");
  const std::optional<std::size_t> link = board_.links().find(hello.site());
  if (!link) return bad_input(fmt::format("'{}' is not a neighbour of this site", printable(hello.site())));
  if (Status identity = check_identity(hello.site()); !identity) return identity;
  {
    const std::lock_guard lock(mutex_);
    link_ = link;
    proved_site_ = hello.site();
  }
  if (Status opened = board_.links().open(*link, hello.next(), hello.incarnation()); !opened) {
    refusal_ = Ending::kRefusedForGood;
    return opened;
  }
  if (Status adopted = board_.adopt(shared_from_this(), *link, hello.incarnation()); !adopted) return adopted;
  greeted_ = true;
  const std::lock_guard lock(mutex_);
  cursor_ = {hello.next(), 0};
  refusals_ = board_.links().refusals(*link);
  open_ = true;
  if (!said_hello_ && !ended_) say_hello();
  return Unit{};
}

Status Stream::take_data(const wire::Data& data) {
  const std::size_t longest = board_.links().longest_message(*link_);
  if (data.chunk() == 0) {
    assembled_.clear();
    assembling_ = data.number();
    chunks_ = 0;
  }
  if (data.number() != assembling_ || data.chunk() != chunks_ || data.chunk() >= data.chunks()) {
    return bad_input(fmt::format("received chunk {} of {} of message {}, expected chunk {} of message {}", data.chunk(),
                                 data.chunks(), data.number(), chunks_, assembling_));
  }
  if (assembled_.size() + data.bytes().size() > longest) {
    return bad_input(fmt::format("message {} exceeds the limit of {} bytes", data.number(), longest));
  }
  assembled_ += data.bytes();
  ++chunks_;
  if (chunks_ < data.chunks()) return Unit{};
  chunks_ = 0;
  whole_ = true;
  return Unit{};
}

void Stream::pump() {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  if (open_) {
    if (const auto refusal = board_.links().refused_since(*link_, refusals_)) {
      give_up(Ending::kRefused, *refusal);
      return;
    }
    if (!writing_) write_next(false);
  }
  if (!ended_ && !reading_ && (!open_ || board_.links().has_room(*link_))) {
    reading_ = true;
    last_read_ = board_.seconds();
    start_read(in_);
  }
}

void Stream::write_next(bool heartbeat) {
  auto next = board_.links().outgoing(*link_, cursor_, heartbeat);
  if (!next) return;
  out_.Clear();
  out_.set_covered(next->covered);
  out_.set_finished(next->finished);
  if (next->has_data) {
    wire::Data& data = *out_.mutable_data();
    data.set_number(next->number);
    data.set_chunk(next->chunk);
    data.set_chunks(next->chunks);
    data.set_bytes(std::move(next->bytes));
  }
  written_ = *std::move(next);
  writing_ = true;
  start_write(out_);
}

void Stream::write_done(bool ok) {
  const std::lock_guard lock(mutex_);
  const bool is_frame = std::exchange(writing_, false);  // and no farewell
  last_write_ = board_.seconds();
  if (is_frame && ok && open_) board_.links().written(*link_, written_, out_.ByteSizeLong());
  if (ended_) {  // which could not be said while something was being written
    end(ending_, reason_);
  } else if (!ok || closing_) {
    give_up(Ending::kClean, "");
  } else if (open_) {
    write_next(false);
  }
}

void Stream::give_up(Ending ending, const std::string& reason) {
  if (ended_) return;
  ended_ = true;
  ended_at_ = board_.seconds();
  ending_ = ending;
  reason_ = reason;
  if (!writing_) {
    end(ending, reason);
  } else if (ending == Ending::kCut) {
    cancel();
  }
}

std::string Stream::refused_by_it(const std::string& reason, bool for_good) {
  const std::string words = printable(reason);
  if (const std::optional<std::size_t> from = link(); from && for_good) board_.links().refused_for_good(*from, words);
  return fmt::format("it has refused this site: {}", words);
}

void Stream::hang_up(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (done_) return;
  if (ended_) {
    cancel();
  } else {
    give_up(Ending::kCut, reason);
  }
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  if (!writing_) give_up(Ending::kClean, "");
}

void Stream::watch(double heartbeat, double silence) {
  pump();  // nobody may have asked for the next message
  const std::lock_guard lock(mutex_);
  const double now = board_.seconds();
  if (ended_) {
    if (!done_ && now - ended_at_ > silence) cancel();
    return;
  }
  const bool silent = now - last_read_ > silence;
  if (reading_ && silent) {
    give_up(Ending::kCut, fmt::format("nothing received for {:.0f} s", silence));
  } else if (open_ && !writing_ && now - last_write_ > heartbeat) {
    write_next(true);
  } else if (silent && writing_ && now - last_write_ > silence) {
    // Who is heard of has all that it has room for.
    give_up(Ending::kCut, fmt::format("nothing could be sent for {:.0f} s", silence));
  }
}

void Stream::done(const std::string& status, std::shared_ptr<Stream> self) {
  std::string reason;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    done_ = true;
    reason = reason_.empty() ? status : reason_;
  }
  board_.gone(std::move(self), reason);
}

}  // namespace gtvmin
