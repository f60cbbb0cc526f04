#include "keeper/channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <utility>

#include "base/out_of_memory.h"
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
  listen();
}

void Channel::listen() {
  Result<Loop::Watch> watch = loop_.on_readable(socket_.get(), [this] { receive(); });
  if (watch) readable_ = *std::move(watch);
  else retry_ = loop_.after(100ms, [this] { listen(); });
}

void Channel::send(const JsonObject& header, std::string_view payload, std::vector<UniqueFd> fds) {
  if (closed_ || broken_) return;
  Outgoing message{encode_frame(header, payload), 0, std::move(fds),
                   integer_or(header, "seq", integer_or(header, "re"))};
  outgoing_.push_back(std::move(message));
  queued_ += outgoing_.back().bytes.size();
  if (outgoing_.size() > 1) return;
  try {
    flush();
  } catch (const std::bad_alloc&) {
    give_up();  // part of it may be on its way
  }
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
      return wait_until_writable();
    }
    message.fds.clear();
    message.sent += *sent;
    queued_ -= *sent;
    if (message.sent == message.bytes.size()) outgoing_.pop_front();
  }
  writable_ = {};
}

void Channel::wait_until_writable() {
  if (writable_) return;
  Result<Loop::Watch> watch = loop_.on_writable(socket_.get(), [this] { flush(); });
  if (watch) writable_ = *std::move(watch);
  else retry_flush_ = loop_.after(100ms, [this] { flush(); });
}

// The kernel took nothing of it, so the next frame can follow.
void Channel::drop_front(const Error& why) {
  const int64_t number = outgoing_.front().number;
  loop_.post([this, alive = alive_, number, why] {
    if (*alive && !closed_) events_.on_unsent(number, why);
  });
  queued_ -= outgoing_.front().bytes.size();
  outgoing_.pop_front();
}

// What the other side has said before is still read; then the end of the connection is seen, and said.
void Channel::give_up() {
  broken_ = true;
  outgoing_.clear();
  queued_ = 0;
  writable_ = {};
  retry_flush_ = {};
  ::shutdown(socket_.get(), SHUT_RDWR);
}

// Bytes are missing, so nothing that follows can be understood.
void Channel::turn_deaf() {
  deaf_ = true;
  give_up();
}

// What comes after we turned deaf, up to the end.
void Channel::pass_over() {
  char buffer[4096];
  const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) return;
  close(out_of_memory());
}

// Reads what is there and hands it to the reader; nothing when there was no memory for that.
std::optional<Result<Received>> Channel::take_bytes() {
  static thread_local char buffer[receive_size];
  try {
    Result<Received> received = receive_some(socket_.get(), buffer, sizeof buffer);
    if (received) reader_.feed(std::string_view(buffer, received->count));
    return received;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

Result<std::optional<Frame>> Channel::next_frame() {
  try {
    return reader_.next();
  } catch (const std::bad_alloc&) {
    turn_deaf();
    return std::optional<Frame>();
  }
}

void Channel::receive() {
  if (deaf_) return pass_over();
  const std::shared_ptr<bool> alive = alive_;
  std::optional<Result<Received>> taken = take_bytes();
  if (!taken) return turn_deaf();
  Result<Received>& received = *taken;
  if (!received) return close(received.error());
  if (received->closed) return close(Error(ErrorCode::unavailable, "the other side closed the connection"));
  // Descriptors travel with the first byte of their frame, and the kernel ends a piece with the bytes they came with:
  // so they belong to the last frame that begins in it. No other frame gets them, whatever it or theirs says.
  const size_t count = received->count;
  while (*alive && !closed_) {
    const bool begins_here = reader_.left() <= count;
    Result<std::optional<Frame>> frame = next_frame();
    if (!frame) return close(frame.error());
    if (!*frame) {
      if (begins_here && reader_.left() > 0) ahead_ = std::move(received->fds);
      return;
    }
    (*frame)->fds = std::exchange(ahead_, {});
    if (begins_here && reader_.left() == 0) (*frame)->fds = std::move(received->fds);
    events_.on_frame(std::move(**frame));
  }
}

void Channel::close(const Error& why) {
  if (closed_) return;
  closed_ = true;
  const std::shared_ptr<bool> alive = alive_;
  const auto on_closed = events_.on_closed;
  try {
    on_closed(why);
  } catch (const std::bad_alloc&) {
    if (*alive) closed_ = false;  // the socket still says that it is over, so we are called again
    throw;
  }
  if (!*alive) return;
  readable_ = {};
  writable_ = {};
  retry_flush_ = {};
}

}  // namespace talaria
