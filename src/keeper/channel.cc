#include "keeper/channel.h"

#include <sys/socket.h>

#include <cerrno>

#include "os/socket.h"

namespace talaria {
namespace {
constexpr size_t receive_size = 64 << 10;

// Too many are on their way, or there is no memory for more.
bool concerns_fds(const Error& error) {
  return error.number() == ETOOMANYREFS || error.number() == ENOMEM || error.number() == ENOBUFS;
}

}  // namespace

Channel::Channel(Loop& loop, UniqueFd socket, Events events)
    : loop_(loop), socket_(std::move(socket)), events_(std::move(events)) {
  (void)set_nonblocking(socket_.get());
  readable_ = loop_.on_readable(socket_.get(), [this] { receive(); });
}

void Channel::send(const JsonObject& header, std::string_view payload, std::vector<UniqueFd> fds) {
  if (closed_ || broken_) return;
  Outgoing message{encode_frame(header, payload), 0, std::move(fds),
                   integer_or(header, "seq", integer_or(header, "re"))};
  queued_ += message.bytes.size();
  outgoing_.push_back(std::move(message));
  if (outgoing_.size() == 1) flush();
}

void Channel::flush() {
  while (!outgoing_.empty()) {
    Outgoing& message = outgoing_.front();
    std::vector<int> fds;
    if (message.sent == 0) {
      for (const UniqueFd& fd : message.fds) fds.push_back(fd.get());
    }
    Result<size_t> sent = send_some(socket_.get(), std::string_view(message.bytes).substr(message.sent), fds);
    if (!sent && !fds.empty() && concerns_fds(sent.error())) {
      drop_front(sent.error());
      continue;
    }
    if (!sent) return give_up();
    if (*sent == 0) {
      if (!writable_) writable_ = loop_.on_writable(socket_.get(), [this] { flush(); });
      return;
    }
    message.fds.clear();
    message.sent += *sent;
    queued_ -= *sent;
    if (message.sent == message.bytes.size()) outgoing_.pop_front();
  }
  writable_ = {};
}

// The kernel took nothing of it, so the next frame can follow.
void Channel::drop_front(const Error& why) {
  const int64_t number = outgoing_.front().number;
  queued_ -= outgoing_.front().bytes.size();
  outgoing_.pop_front();
  loop_.post([this, alive = alive_, number, why] {
    if (*alive && !closed_) events_.on_unsent(number, why);
  });
}

// What the other side has said before is still read; then the end of the connection is seen, and said.
void Channel::give_up() {
  broken_ = true;
  outgoing_.clear();
  queued_ = 0;
  writable_ = {};
  ::shutdown(socket_.get(), SHUT_RDWR);
}

void Channel::receive() {
  const std::shared_ptr<bool> alive = alive_;
  static thread_local char buffer[receive_size];
  Result<Received> received = receive_some(socket_.get(), buffer, sizeof buffer);
  if (!received) return close(received.error());
  if (received->closed) return close(Error(ErrorCode::unavailable, "the other side closed the connection"));
  for (UniqueFd& fd : received->fds) passed_.push_back(std::move(fd));
  reader_.feed(std::string_view(buffer, received->count));
  while (*alive && !closed_) {
    Result<std::optional<Frame>> frame = reader_.next();
    if (!frame) return close(frame.error());
    if (!*frame) return;
    // Only starts carry fds, and each says how many: frames behind it leave theirs for themselves.
    const size_t count = static_cast<size_t>(integer_or((*frame)->header, "fds"));
    for (size_t i = 0; i < count && !passed_.empty(); ++i) {
      (*frame)->fds.push_back(std::move(passed_.front()));
      passed_.erase(passed_.begin());
    }
    events_.on_frame(std::move(**frame));
  }
}

void Channel::close(const Error& why) {
  if (closed_) return;
  closed_ = true;
  readable_ = {};
  writable_ = {};
  const auto on_closed = events_.on_closed;
  on_closed(why);
}

}  // namespace talaria
