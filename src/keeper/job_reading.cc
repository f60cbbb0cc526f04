// How a job's output is read, and held back for readers that want every byte.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "keeper/job.h"

namespace talaria {
namespace {

constexpr size_t read_size = 256 << 10;
constexpr size_t read_per_turn = 1 << 20;  // then the other jobs get their turn
constexpr int talkative_pipe = 256 << 10;

// One for all jobs: the keeper has one thread, and nothing stays in it.
char* read_buffer() {
  static char buffer[read_size];
  return buffer;
}

}  // namespace

void Job::watch_output() {
  Result<Loop::Watch> watch = loop_.on_readable(output_fd_.get(), [this] {
    if (held_back()) output_watch_ = {};
    else if (read_output(read_per_turn)) wake_waiters();
  });
  if (watch) output_watch_ = *std::move(watch);
  else rewatch_ = loop_.after(100ms, [this] { read_on(); });
}

// The log's tail always keeps a quarter of its cap; half of that leaves room for what is read at the job's end.
bool Job::held_back() const {
  for (const auto& [holder, offset] : holders_) {
    if (output_.end() > offset + order_.max_log_bytes / 8) return true;
  }
  return false;
}

void Job::hold(Holder holder, uint64_t offset) {
  holders_[holder] = offset;
  read_on();
}

void Job::release(Holder holder) {
  holders_.erase(holder);
  read_on();
}

// After a hold moved: if the output waits for it no longer.
void Job::read_on() {
  const bool waits = !output_watch_ && !output_over_ && (state_ == State::running || state_ == State::ended);
  if (waits && !held_back()) watch_output();
}

void Job::release_all(int64_t connection) {
  std::vector<Holder> gone;
  for (const auto& [holder, offset] : holders_) {
    if (holder.first == connection) gone.push_back(holder);
  }
  for (const Holder& holder : gone) release(holder);
}

bool Job::read_output(size_t most) {
  const uint64_t before = output_.end();
  while (output_fd_ && output_.end() - before < most) {
    const ssize_t count = ::read(output_fd_.get(), read_buffer(), read_size);
    if (count > 0) {
      output_.append(std::string_view(read_buffer(), static_cast<size_t>(count)));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    output_watch_ = {};  // end of file; for a terminal EIO: nobody holds the other end
    output_over_ = true;
    if (!status_.tty) output_fd_.reset();
    break;
  }
  if (output_.end() - before >= most / 2 && !status_.tty && output_fd_) {
    ::fcntl(output_fd_.get(), F_SETPIPE_SZ, talkative_pipe);  // best effort: the kernel caps pipes per user
  }
  return output_.end() != before;
}

uint64_t Job::waiting_output() const {
  if (status_.tty) return read_per_turn;  // what is on its way through a terminal is not counted
  int waiting = 0;
  if (output_fd_ && ::ioctl(output_fd_.get(), FIONREAD, &waiting) != 0) waiting = 0;
  return static_cast<uint64_t>(waiting);
}

// Not until the pipe is empty: who got hold of its other end from outside of the job may write for ever.
void Job::read_waiting_output() {
  const uint64_t wanted = output_.end() + waiting_output();
  while (output_.end() < wanted && read_output(read_size)) {
  }
}

JobStatus Job::drain() {
  if (state_ != State::running && state_ != State::ended) return status();
  const uint64_t before = output_.end(), wanted = before + waiting_output();
  while (output_.end() < wanted && !held_back() && read_output(read_size)) {
  }
  if (output_.end() != before) wake_waiters();
  return status();
}

}  // namespace talaria
