#include "keeper/stdin_pump.h"

#include <fcntl.h>
#include <unistd.h>

#include "os/socket.h"

namespace talaria {
namespace {

constexpr char end_of_file = 4;  // VEOF of a fresh terminal
constexpr size_t most_waiting = 4 << 20;

Error closed_error() { return Error(ErrorCode::conflict, "stdin is closed"); }

}  // namespace

StdinPump::StdinPump(Loop& loop, UniqueFd pipe)
    : loop_(loop), pipe_(std::move(pipe)), fd_(pipe_.get()), terminal_(false) {
  (void)set_nonblocking(fd_);
}

StdinPump::StdinPump(Loop& loop, int terminal) : loop_(loop), fd_(terminal), terminal_(true) {}

void StdinPump::write(std::string data, bool eof, const std::optional<StdinPosition>& position, Done done) {
  if (position) {
    const uint64_t taken = taken_[position->writer];
    if (position->at > taken) {
      return done(invalid("stdin has taken " + std::to_string(taken) + " bytes, so nothing can be written at " +
                          std::to_string(position->at)));
    }
    data.erase(0, taken - position->at);
    if (data.empty() && (!eof || ended_)) {
      if (!writable_) flush();  // there may have been no memory to wait for the command to read
      return done(ok);
    }
  }
  if (!open_ || (ended_ && !terminal_)) return done(closed_error());
  size_t waiting = 0;
  for (const Piece& piece : pieces_) waiting += piece.data.size();
  if (waiting > most_waiting) {
    return done(Error(ErrorCode::conflict, "the command does not read its stdin: " + std::to_string(waiting) +
                                               " bytes are already waiting for it"));
  }
  const size_t taken = data.size();
  if (eof && terminal_) data += end_of_file;
  pieces_.push_back({std::move(data), eof, std::move(done)});
  if (position) taken_[position->writer] += taken;  // it is there, from above
  ended_ = ended_ || eof;
  if (pieces_.size() == 1) flush();
}

void StdinPump::flush() {
  while (open_ && !pieces_.empty()) {
    const std::string& data = pieces_.front().data;
    if (sent_ == data.size()) {
      finish_front();
      continue;
    }
    const ssize_t count = ::write(fd_, data.data() + sent_, data.size() - sent_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      return wait_until_writable();
    }
    if (count < 0) return close();
    sent_ += static_cast<size_t>(count);
  }
  writable_ = {};
}

void StdinPump::wait_until_writable() {
  if (writable_) return;
  Result<Loop::Watch> watch = loop_.on_writable(fd_, [this] { flush(); });
  if (watch) writable_ = *std::move(watch);
  else retry_ = loop_.after(100ms, [this] { flush(); });
}

void StdinPump::finish_front() {
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  sent_ = 0;
  if (piece.eof && !terminal_) {
    open_ = false;
    writable_ = {};
    pipe_.reset();
  }
  piece.done(ok);
}

void StdinPump::close() {
  open_ = false;
  retry_ = {};
  writable_ = {};
  pipe_.reset();
  std::deque<Piece> unsent;
  unsent.swap(pieces_);
  sent_ = 0;
  for (Piece& piece : unsent) piece.done(closed_error());
}

}  // namespace talaria
