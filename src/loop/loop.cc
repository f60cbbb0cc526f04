#include "loop/loop.h"

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "os/fd.h"

namespace talaria {

namespace asio = boost::asio;
using asio::posix::descriptor_base;

struct Loop::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
};

struct Loop::Watch::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, int fd, descriptor_base::wait_type what, Callback c)
      : descriptor(context, fd), kind(what), call(std::move(c)) {}

  void arm() {
    descriptor.async_wait(kind, [self = shared_from_this()](const boost::system::error_code& failure) {
      if (self->dropped || failure == asio::error::operation_aborted) return;
      self->call();
      if (!self->dropped) self->arm();
    });
  }

  void drop() {
    dropped = true;
    descriptor.release();  // cancels what is pending, leaves the fd to its owner
    own.reset();
  }

  asio::posix::stream_descriptor descriptor;
  descriptor_base::wait_type kind;
  Callback call;
  UniqueFd own;
  bool dropped = false;
};

struct Loop::Timer::State {
  State(asio::io_context& context, Clock::time_point when) : timer(context, when) {}
  asio::steady_timer timer;
  bool dropped = false;
};

Loop::Watch::Watch() = default;
Loop::Watch::Watch(std::shared_ptr<State> state) : state_(std::move(state)) {}
Loop::Watch::Watch(Watch&& other) noexcept = default;
Loop::Watch& Loop::Watch::operator=(Watch&& other) noexcept {
  if (this != &other) {
    if (state_) state_->drop();
    state_ = std::move(other.state_);
  }
  return *this;
}
Loop::Watch::~Watch() {
  if (state_) state_->drop();
}

Loop::Timer::Timer() = default;
Loop::Timer::Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}
Loop::Timer::Timer(Timer&& other) noexcept = default;
Loop::Timer& Loop::Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    Timer old(std::move(state_));
    state_ = std::move(other.state_);
  }
  return *this;
}
Loop::Timer::~Timer() {
  if (!state_) return;
  state_->dropped = true;
  state_->timer.cancel();
}

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;

Loop::Watch Loop::on_readable(int fd, Callback call) {
  auto state = std::make_shared<Watch::State>(impl_->context, fd, descriptor_base::wait_read, std::move(call));
  state->arm();
  return Watch(std::move(state));
}

Loop::Watch Loop::on_writable(int fd, Callback call) {
  // epoll takes an fd once, and the same socket may be watched for reading: wait on a duplicate.
  UniqueFd duplicate(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  auto state =
      std::make_shared<Watch::State>(impl_->context, duplicate.get(), descriptor_base::wait_write, std::move(call));
  state->own = std::move(duplicate);
  state->arm();
  return Watch(std::move(state));
}

Loop::Timer Loop::at(Clock::time_point when, Callback call) {
  auto state = std::make_shared<Timer::State>(impl_->context, when);
  state->timer.async_wait([state, call = std::move(call)](const boost::system::error_code&) {
    if (!state->dropped) call();
  });
  return Timer(std::move(state));
}

void Loop::post(Callback call) { asio::post(impl_->context, std::move(call)); }
void Loop::run() {
  impl_->context.restart();
  impl_->context.run();
}
void Loop::stop() { impl_->context.stop(); }

}  // namespace talaria
