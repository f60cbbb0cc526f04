#include "loop/loop.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <unordered_map>
#include <utility>

#include "os/fd.h"

namespace talaria {
namespace {

constexpr int most_events = 64;
constexpr int breath_ms = 10;  // after a callback that threw: what it lacked may come back
constexpr auto second_try = 100ms;

}  // namespace

struct Loop::Watch::State {
  enum class Kind { reading, writing };

  Impl* loop;  // null when the loop is gone
  int fd;
  Kind kind;
  Callback call;
};

struct Loop::Timer::State {
  Impl* loop;  // null when it was called, dropped, or the loop is gone
  std::pair<Clock::time_point, uint64_t> place;
  Callback call;
};

struct Loop::Impl {
  using Kind = Watch::State::Kind;

  // All that is watched of one fd, under one number: an event of an earlier fd with the same name finds another number.
  struct Interest {
    uint32_t number = 0;
    std::shared_ptr<Watch::State> reading, writing;

    std::shared_ptr<Watch::State>& of(Kind kind) { return kind == Kind::reading ? reading : writing; }
    uint32_t events() const { return (reading ? uint32_t{EPOLLIN} : 0) | (writing ? uint32_t{EPOLLOUT} : 0); }
  };
  using Timers = std::map<std::pair<Clock::time_point, uint64_t>, std::shared_ptr<Timer::State>>;

  Impl();
  ~Impl();

  Result<std::shared_ptr<Watch::State>> watch(int fd, Kind kind, Callback call);
  int tell_kernel(int operation, int fd, const Interest& interest) const;
  void forget(Watch::State& state);
  void forget(Timer::State& state);

  bool call(const Callback& call, bool& again);
  int patience();
  void wait_for_events();
  void dispatch(const epoll_event& event);
  void call_watch(int fd, uint32_t number, Kind kind);
  void call_due_timers();
  void call_posted();

  UniqueFd epoll, wake;
  int failure = 0;  // why there is no epoll
  Rescue rescue;
  bool stopped = false;
  std::atomic<std::thread::id> thread{};
  uint32_t last_interest = 0;
  uint64_t last_timer = 0;
  std::unordered_map<int, Interest> interests;
  Timers timers;
  std::mutex mutex;            // of what is below
  std::list<Callback> posted;  // last, so gone first: a call may own watches and timers
};

Loop::Impl::Impl() : epoll(::epoll_create1(EPOLL_CLOEXEC)), wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<uint32_t>(wake.get());  // number 0 is no interest's
  if (!epoll || !wake || ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) failure = errno;
}

Loop::Impl::~Impl() {
  posted.clear();
  for (auto& [fd, interest] : interests) {
    if (interest.reading) interest.reading->loop = nullptr;
    if (interest.writing) interest.writing->loop = nullptr;
  }
  for (auto& [place, timer] : timers) timer->loop = nullptr;
}

Result<std::shared_ptr<Loop::Watch::State>> Loop::Impl::watch(int fd, Kind kind, Callback call) {
  auto state = std::make_shared<Watch::State>(Watch::State{nullptr, fd, kind, std::move(call)});
  Interest& interest = interests[fd];
  const bool known = interest.reading || interest.writing;
  if (interest.of(kind)) return Error::from_number(EEXIST, "watch descriptor " + std::to_string(fd));
  if (!known) interest.number = ++last_interest == 0 ? ++last_interest : last_interest;
  interest.of(kind) = state;
  if (tell_kernel(known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, interest) != 0) {
    const int number = errno;
    interest.of(kind).reset();
    if (!known) interests.erase(fd);
    return Error::from_number(number, "watch descriptor " + std::to_string(fd));
  }
  state->loop = this;
  return state;
}

int Loop::Impl::tell_kernel(int operation, int fd, const Interest& interest) const {
  epoll_event event{};
  event.events = interest.events();
  event.data.u64 = uint64_t{interest.number} << 32 | static_cast<uint32_t>(fd);
  return ::epoll_ctl(epoll.get(), operation, fd, &event);
}

void Loop::Impl::forget(Watch::State& state) {
  state.loop = nullptr;
  const auto found = interests.find(state.fd);
  Interest& interest = found->second;
  const std::shared_ptr<Watch::State> dropped = std::move(interest.of(state.kind));  // destroyed when all is in order
  if (interest.events() != 0) {
    (void)tell_kernel(EPOLL_CTL_MOD, state.fd, interest);
    return;
  }
  // At once: an fd that nobody watches may be closed, and its number may come back as something else.
  (void)tell_kernel(EPOLL_CTL_DEL, state.fd, interest);
  interests.erase(found);
}

void Loop::Impl::forget(Timer::State& state) {
  state.loop = nullptr;
  timers.erase(state.place);
}

// False when it threw; `again` says whether it may be called once more.
bool Loop::Impl::call(const Callback& call, bool& again) {
  if (!rescue) {
    call();
    return true;
  }
  try {
    call();
    return true;
  } catch (const std::bad_alloc& thrown) {
    again = true;
    rescue(thrown);
  } catch (const std::exception& thrown) {
    again = false;
    rescue(thrown);
  }
  ::poll(nullptr, 0, breath_ms);
  return false;
}

int Loop::Impl::patience() {
  {
    const std::lock_guard lock(mutex);
    if (!posted.empty()) return 0;
  }
  if (timers.empty()) return -1;
  const auto left = timers.begin()->first.first - Clock::now();
  if (left <= Clock::duration::zero()) return 0;
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return milliseconds > INT_MAX ? INT_MAX : static_cast<int>(milliseconds);
}

void Loop::Impl::wait_for_events() {
  epoll_event events[most_events];
  const int count = ::epoll_wait(epoll.get(), events, most_events, patience());
  for (int i = 0; i < count && !stopped; ++i) dispatch(events[i]);
}

void Loop::Impl::dispatch(const epoll_event& event) {
  const auto number = static_cast<uint32_t>(event.data.u64 >> 32);
  const auto fd = static_cast<int>(event.data.u64 & UINT32_MAX);
  if (number == 0) {
    uint64_t count;
    (void)!::read(wake.get(), &count, sizeof count);
    return;
  }
  if (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) call_watch(fd, number, Kind::reading);
  if (event.events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) call_watch(fd, number, Kind::writing);
}

void Loop::Impl::call_watch(int fd, uint32_t number, Kind kind) {
  const auto found = interests.find(fd);
  if (stopped || found == interests.end() || found->second.number != number) return;
  const std::shared_ptr<Watch::State> state = found->second.of(kind);
  bool again = true;  // it is: the kernel says so until the fd is not ready any more
  if (state) call(state->call, again);
}

void Loop::Impl::call_due_timers() {
  const Clock::time_point now = Clock::now();
  while (!stopped && !timers.empty() && timers.begin()->first.first <= now) {
    auto node = timers.extract(timers.begin());
    const std::shared_ptr<Timer::State> state = node.mapped();
    state->loop = nullptr;
    bool again = false;
    Callback its_call = std::move(state->call);                               // what it owns goes when it was called
    if (call(its_call, again) || !again || state.use_count() == 2) continue;  // ours and the node's: it was dropped
    state->call = std::move(its_call);
    node.key() = state->place = {Clock::now() + second_try, ++last_timer};
    state->loop = this;
    timers.insert(std::move(node));
  }
}

void Loop::Impl::call_posted() {
  std::unique_lock lock(mutex);
  for (size_t left = posted.size(); left > 0 && !stopped; --left) {
    std::list<Callback> one;
    one.splice(one.begin(), posted, posted.begin());
    lock.unlock();
    bool again = false;
    const bool done = call(one.front(), again);
    if (done || !again) one.clear();  // what it owned goes now, not under the lock
    lock.lock();
    posted.splice(posted.end(), one);
  }
}

Loop::Watch::Watch() = default;
Loop::Watch::Watch(std::shared_ptr<State> state) : state_(std::move(state)) {}
Loop::Watch::Watch(Watch&& other) noexcept = default;
Loop::Watch& Loop::Watch::operator=(Watch&& other) noexcept {
  if (this != &other) {
    const Watch old(std::move(state_));
    state_ = std::move(other.state_);
  }
  return *this;
}
Loop::Watch::~Watch() {
  if (state_ && state_->loop) state_->loop->forget(*state_);
}

Loop::Timer::Timer() = default;
Loop::Timer::Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}
Loop::Timer::Timer(Timer&& other) noexcept = default;
Loop::Timer& Loop::Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    const Timer old(std::move(state_));
    state_ = std::move(other.state_);
  }
  return *this;
}
Loop::Timer::~Timer() {
  if (state_ && state_->loop) state_->loop->forget(*state_);
}

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;

Result<> Loop::ready() const {
  if (impl_->failure != 0) return Error::from_number(impl_->failure, "make the loop that waits for events");
  return ok;
}

Result<Loop::Watch> Loop::on_readable(int fd, Callback call) {
  return Watch(TRY(impl_->watch(fd, Watch::State::Kind::reading, std::move(call))));
}

Result<Loop::Watch> Loop::on_writable(int fd, Callback call) {
  return Watch(TRY(impl_->watch(fd, Watch::State::Kind::writing, std::move(call))));
}

Loop::Timer Loop::at(Clock::time_point when, Callback call) {
  auto state = std::make_shared<Timer::State>(Timer::State{nullptr, {when, ++impl_->last_timer}, std::move(call)});
  impl_->timers.emplace(state->place, state);
  state->loop = impl_.get();
  return Timer(std::move(state));
}

void Loop::post(Callback call) {
  std::list<Callback> one;
  one.push_back(std::move(call));
  bool first;
  {
    const std::lock_guard lock(impl_->mutex);
    first = impl_->posted.empty();
    impl_->posted.splice(impl_->posted.end(), one);
  }
  // The loop's own thread looks at what was posted before it waits.
  if (!first || std::this_thread::get_id() == impl_->thread.load()) return;
  const uint64_t count = 1;
  (void)!::write(impl_->wake.get(), &count, sizeof count);
}

void Loop::set_rescue(Rescue rescue) { impl_->rescue = std::move(rescue); }

void Loop::run() {
  impl_->thread = std::this_thread::get_id();
  impl_->stopped = false;
  while (!impl_->stopped) {
    impl_->wait_for_events();
    impl_->call_due_timers();
    impl_->call_posted();
  }
}

void Loop::stop() { impl_->stopped = true; }

}  // namespace talaria
