#include "code/script_channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace talaria {
namespace {

constexpr size_t channel_read_size = 64 << 10;
// Then the loop sees to the others first.
constexpr int most_frames_at_once = 32;
// Of one script in all: eight of the largest frames at once.
constexpr size_t most_collecting = 8 * longest_script_frame;
// One that is small enough to be finished soon is not worth refusing.
constexpr size_t worth_refusing = 256 << 10;

}  // namespace

// The script may have kept this end, too, and may make it a blocking one: every call here says MSG_DONTWAIT.
ScriptChannel::ScriptChannel(Loop& loop, ScriptLoad& load, UniqueFd socket, Events events)
    : loop_(loop), load_(load), socket_(std::move(socket)), events_(std::make_shared<const Events>(std::move(events))) {
  listen();
}

ScriptChannel::~ScriptChannel() {
  *alive_ = false;
  load_.collecting -= collecting_;
  load_.unsent -= unsent_;
}

void ScriptChannel::listen() {
  Result<Loop::Watch> watch = loop_.on_readable(socket_.get(), [this] { receive(); });
  if (watch) readable_ = *std::move(watch);
  else fail_soon();
}

void ScriptChannel::receive() {
  static thread_local char buffer[channel_read_size];
  const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close();
  frames_.feed({buffer, static_cast<size_t>(count)});
  take_frames();
}

void ScriptChannel::take_frames() {
  const std::shared_ptr<bool> alive = alive_;
  const std::shared_ptr<const Events> events = events_;
  for (int taken = 0; reading_ == Reading::on && !failed_; ++taken) {
    if (taken == most_frames_at_once) return take_frames_soon();
    const std::optional<ScriptFrame> frame = frames_.next();
    count_collecting();
    if (!frame) {
      if (load_.collecting > most_collecting && frames_.held() > worth_refusing) frames_.refuse();
      count_collecting();
      if (!readable_) listen();
      return;
    }
    taking_ = true;
    events->frame(*frame);
    if (!*alive) return;
    taking_ = false;
  }
  readable_ = {};
}

void ScriptChannel::take_frames_soon() {
  readable_ = {};
  taking_ = true;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    taking_ = false;
    take_frames();
  });
}

void ScriptChannel::set_reading(Reading reading) {
  if (reading == reading_ || failed_) return;
  reading_ = reading;
  if (reading == Reading::off) readable_ = {};
  else if (!taking_) take_frames_soon();
}

void ScriptChannel::count_collecting() {
  const size_t held = frames_.held();
  load_.collecting += held - collecting_;
  collecting_ = held;
}

void ScriptChannel::send(std::string frame) {
  if (failed_) return;
  size_t sent = 0;
  if (outgoing_.empty() && push(frame, sent)) return;
  if (failed_) return;
  unsent_ += frame.size() - sent;
  load_.unsent += frame.size() - sent;
  if (outgoing_.empty()) front_sent_ = sent;
  outgoing_.push_back(std::move(frame));
  if (writable_) return;
  Result<Loop::Watch> watch = loop_.on_writable(socket_.get(), [this] { flush(); });
  if (watch) writable_ = *std::move(watch);
  else fail_soon();
}

// Sends what it can of `frame` from `sent` on; true when all of it has gone.
bool ScriptChannel::push(const std::string& frame, size_t& sent) {
  while (sent < frame.size()) {
    const ssize_t count = ::send(socket_.get(), frame.data() + sent, frame.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<size_t>(count);
    else if (count < 0 && errno == EAGAIN) return false;
    else if (count == 0 || errno != EINTR) {
      fail_soon();
      return false;
    }
  }
  return true;
}

void ScriptChannel::flush() {
  const size_t before = unsent_;
  while (!outgoing_.empty()) {
    const size_t had = front_sent_;
    const bool whole = push(outgoing_.front(), front_sent_);
    if (failed_) return;
    unsent_ -= front_sent_ - had;
    load_.unsent -= front_sent_ - had;
    if (!whole) break;
    outgoing_.pop_front();
    front_sent_ = 0;
  }
  if (outgoing_.empty()) writable_ = {};
  if (unsent_ == before) return;
  const std::shared_ptr<const Events> events = events_;
  events->drained();
}

void ScriptChannel::fall_silent() {
  failed_ = true;
  readable_ = {};
  writable_ = {};
  load_.unsent -= unsent_;
  unsent_ = 0;
  outgoing_.clear();
}

void ScriptChannel::fail_soon() {
  fall_silent();
  loop_.post([this, alive = alive_] {
    if (*alive) close();
  });
}

void ScriptChannel::close() {
  failed_ = true;
  readable_ = {};
  writable_ = {};
  const std::shared_ptr<const Events> events = events_;
  events->closed();
}

}  // namespace talaria
