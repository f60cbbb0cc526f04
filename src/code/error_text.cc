#include "code/error_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "os/socket.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

constexpr size_t error_read_size = 64 << 10;
// The tail grows by so much before its front is cut off, for each cut moves it.
constexpr size_t slack = 16 << 10;

}  // namespace

ErrorText::ErrorText(Loop& loop, UniqueFd pipe, size_t max_bytes)
    : loop_(loop), head_max_(head_share(max_bytes)), tail_max_(max_bytes - head_max_), pipe_(std::move(pipe)) {
  (void)set_nonblocking(pipe_.get());
  listen();
}

void ErrorText::listen() {
  // One read a turn: who floods it does not keep the loop from others.
  Result<Loop::Watch> watch = loop_.on_readable(pipe_.get(), [this] { read_once(); });
  if (watch) readable_ = *std::move(watch);
  else retry_ = loop_.after(100ms, [this] { listen(); });
}

size_t ErrorText::read_once() {
  static thread_local char buffer[error_read_size];
  const ssize_t count = ::read(pipe_.get(), buffer, sizeof buffer);
  if (count > 0) {
    add({buffer, static_cast<size_t>(count)});
    return static_cast<size_t>(count);
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  closed_ = true;
  readable_ = {};
  return 0;
}

void ErrorText::drain() {
  int there = 0;
  // What is written while we read is not what was there.
  if (closed_ || ::ioctl(pipe_.get(), FIONREAD, &there) != 0 || there < 0) return;
  for (size_t left = static_cast<size_t>(there); left > 0;) {
    const size_t count = read_once();
    if (count == 0) return;
    left -= std::min(left, count);
  }
}

void ErrorText::add(std::string_view bytes) {
  total_ += bytes.size();
  const size_t to_head = std::min(head_max_ - head_.size(), bytes.size());
  head_ += bytes.substr(0, to_head);
  bytes.remove_prefix(to_head);
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), tail_max_));
  if (tail_.size() > tail_max_ + slack) tail_.erase(0, tail_.size() - tail_max_);
}

ScriptOutput ErrorText::take() const {
  const std::string_view tail = std::string_view(tail_).substr(tail_.size() - std::min(tail_.size(), tail_max_));
  if (total_ <= head_max_ + tail_max_) {
    return ScriptOutput{.text = clean(head_ + tail_, Collapse::yes), .total_bytes = total_};
  }
  return join_around_gap(head_, tail, total_, [](uint64_t left_out) {
    return "[stderr truncated: " + with_commas(left_out) + (left_out == 1 ? " byte" : " bytes") + " left out]";
  });
}

void ErrorText::reset() {
  drain();
  head_.clear();
  tail_.clear();
  total_ = 0;
}

}  // namespace talaria
