#include "keeper/showing.h"

#include <sys/socket.h>

#include "os/socket.h"

namespace talaria {
namespace {

constexpr auto patience = 10s;
constexpr size_t longest_answer = 4 << 20;
constexpr size_t most_at_once = 16;  // of mounts in one message
// Of opening: a second one for what had to make way for something around it. More only if a command moves it away all
// the time.
constexpr int most_rounds = 3;

}  // namespace

Showing::Showing(Loop& loop, SessionSpace& space, Spawner& spawner, const SpacePlan& plan, std::vector<ShowWish> wishes,
                 Done done)
    : loop_(loop), space_(space), spawner_(spawner), plan_(plan), wishes_(std::move(wishes)), done_(std::move(done)) {}

void Showing::begin() { ask(); }

void Showing::fail(const Error& why) { finish(why); }

void Showing::finish(Result<ShowAnswer> answer) {
  watch_ = {};
  deadline_ = {};
  const Done done = std::exchange(done_, nullptr);
  if (done) done(std::move(answer));  // may destroy us
}

void Showing::ask() {
  ShowOrder order{wishes_, {}};
  std::vector<UniqueFd> mounts;
  while (!opened_.empty() && mounts.size() < most_at_once) {
    const auto next = opened_.begin();
    order.given.push_back(next->first);
    mounts.push_back(std::move(next->second));
    opened_.erase(next);
  }
  Result<std::pair<UniqueFd, UniqueFd>> pair = socket_pair(SOCK_STREAM);
  if (!pair) return finish(pair.error());
  text_.clear();
  watch_ = {};
  socket_ = std::move(pair->first);
  Result<Loop::Watch> watch = loop_.on_readable(socket_.get(), [this] { hear_holder(); });
  if (!watch) return finish(watch.error());
  watch_ = *std::move(watch);
  deadline_ = loop_.after(
      patience, [this] { finish(Error(ErrorCode::timed_out, "the sandbox's first process takes no orders")); });
  if (const Result<> sent = space_.show(order, mounts, std::move(pair->second)); !sent) {
    finish(Error(ErrorCode::unavailable, "the sandbox's first process takes no orders: " + sent.error().message()));
  }
}

void Showing::hear_holder() {
  char buffer[16 << 10];
  const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0 && text_.size() < longest_answer) {
    text_.append(buffer, static_cast<size_t>(count));
    return;
  }
  const Result<ShowAnswer> answer = decode_show_answer(text_);
  if (answer && answer->outcomes.size() == wishes_.size()) return take_answer(*answer);
  finish(Error(ErrorCode::unavailable, "the sandbox's first process did not say what it shows"));
}

void Showing::take_answer(const ShowAnswer& answer) {
  changed_ = changed_ || answer.changed;
  if (!opened_.empty()) return ask();
  std::vector<uint32_t> wanted;
  for (uint32_t i = 0; i < wishes_.size(); ++i) {
    if (answer.outcomes[i].state == ShowState::wanted && !not_opened_.contains(i)) wanted.push_back(i);
  }
  if (!wanted.empty() && ++rounds_ <= most_rounds) return open(wanted);
  ShowAnswer whole{answer.outcomes, changed_};
  for (uint32_t i = 0; i < wishes_.size(); ++i) {
    if (whole.outcomes[i].state != ShowState::wanted) continue;
    const auto why = not_opened_.find(i);
    whole.outcomes[i] = {ShowState::failed,
                         why == not_opened_.end() ? "the way to it is changed inside again and again" : why->second};
  }
  finish(std::move(whole));
}

void Showing::open(const std::vector<uint32_t>& wanted) {
  SourcesOrder order{plan_.identity, {}};
  for (const uint32_t index : wanted) {
    const std::string& source = wishes_[index].path.source;
    order.sources.push_back({source, owner_of_source(plan_.mounts, source)});
  }
  Result<std::pair<UniqueFd, UniqueFd>> pair = socket_pair(SOCK_SEQPACKET);
  if (!pair) return finish(pair.error());
  if (Result<> set = set_nonblocking(pair->first.get()); !set) return finish(set.error());
  opening_ = wanted;
  watch_ = {};
  socket_ = std::move(pair->first);
  Result<Loop::Watch> watch = loop_.on_readable(socket_.get(), [this] { hear_sources(); });
  if (!watch) return finish(watch.error());
  watch_ = *std::move(watch);
  deadline_ = loop_.after(patience, [this] { sources_are_open("its file system does not answer"); });
  if (Result<> asked = spawner_.open_sources(order, std::move(pair->second)); !asked) finish(asked.error());
}

void Showing::hear_sources() {
  Result<ReceivedSource> received = receive_source(socket_.get());
  if (!received) return sources_are_open(received.error().message());
  if (received->over) return sources_are_open("it could not be opened");
  if (!received->source || received->source->index >= opening_.size()) return;
  const uint32_t wish = opening_[received->source->index];
  if (received->source->mount) opened_[wish] = std::move(received->source->mount);
  else not_opened_[wish] = received->source->trouble;
}

// Those of which nothing was heard have trouble.
void Showing::sources_are_open(const std::string& trouble) {
  for (const uint32_t index : opening_) {
    if (!opened_.contains(index)) not_opened_.emplace(index, trouble);
  }
  opening_.clear();
  ask();
}

}  // namespace talaria
