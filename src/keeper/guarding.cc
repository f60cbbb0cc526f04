#include "keeper/guarding.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "os/socket.h"

namespace talaria {
namespace {

constexpr size_t longest_packet = 256 << 10;
constexpr auto longest_answer = 60s;

std::vector<Violation> violations_in(std::string_view text) {
  const Result<Json> json = parse_json(text);
  return json && json->is_array() ? violations_from_json(json->get_array()) : std::vector<Violation>();
}

}  // namespace

Violation unjudged(const Error& why) {
  return {Violation::Kind::stuck, ".", "guard",
          "what the command left in the workspace could not be looked through (" + why.message() +
              "): look at it before you run git or open it in an editor",
          ""};
}

Result<> Guarding::start(Spawner& spawner, const GuardOrder& order) {
  auto [mine, theirs] = TRY(socket_pair(SOCK_SEQPACKET));
  TRY(set_nonblocking(mine.get()));
  socket_ = std::move(mine);
  watch_ = TRY(loop_.on_readable(socket_.get(), [this] { hear(); }));
  return spawner.guard(order, std::move(theirs));
}

void Guarding::ask(char word) {
  // A full socket means that it has not answered hundreds of questions: it hangs.
  if (::send(socket_.get(), &word, 1, MSG_NOSIGNAL) == 1) return;
  const Error why = Error::from_errno("ask the guard of the workspace");
  broken_ = loop_.after(0ms, [this, why] { fall(why); });
}

// Nothing of its sandbox goes on unjudged: when it does not answer, the sandbox falls.
void Guarding::wait_on() {
  patience_ = {};
  if (beginning_.empty() && settling_.empty()) return;
  patience_ = loop_.after(longest_answer, [this] {
    fall(Error(ErrorCode::timed_out, "the guard of the workspace did not answer within 60 seconds"));
  });
}

void Guarding::begin(Begun done) {
  if (fallen_) return done(Error(ErrorCode::unavailable, "the guard of the workspace is gone"));
  beginning_.push_back(std::move(done));
  ask(guard_word::begin);
  if (!patience_) wait_on();
}

void Guarding::settle(CommandsRun commands_run, Settled done) {
  if (fallen_) return done({unjudged(Error(ErrorCode::unavailable, "its guard is gone"))});
  settling_.push_back(std::move(done));
  ask(commands_run == CommandsRun::yes ? guard_word::settle : guard_word::rest);
  if (!patience_) wait_on();
}

void Guarding::hear() {
  static std::array<char, longest_packet> packet;  // the keeper has one thread
  const ssize_t count = ::recv(socket_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  // A guard that died with a question unread resets the connection; what it said before comes next.
  if (count < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET)) return;
  if (count <= 0) return fall(Error(ErrorCode::unavailable, "the guard of the workspace has died"));
  take(packet[0], std::string_view(packet.data() + 1, static_cast<size_t>(count) - 1));
}

void Guarding::take(char word, std::string_view text) {
  if (word == guard_word::failed)
    return fall(Error(ErrorCode::unavailable, "guard the workspace: " + std::string(text)));
  if (word == guard_word::ready) {
    ready_ = true;
    return events_.on_ready();
  }
  if (word == guard_word::found) return events_.on_found(violations_in(text));
  if (word == guard_word::begin && !beginning_.empty()) {
    const Begun done = std::move(beginning_.front());
    beginning_.pop_front();
    wait_on();
    return done(ok);
  }
  if ((word == guard_word::settle || word == guard_word::rest) && !settling_.empty()) {
    const Settled done = std::move(settling_.front());
    settling_.pop_front();
    wait_on();
    return done(violations_in(text));
  }
}

void Guarding::fall(const Error& why) {
  if (std::exchange(fallen_, true)) return;
  const auto on_gone = events_.on_gone;  // we may be destroyed inside
  give_up(why);
  on_gone(why);
}

void Guarding::give_up(const Error& why) {
  fallen_ = true;
  watch_ = {};
  patience_ = {};
  socket_.reset();  // it takes a last look by itself
  std::deque<Begun> beginning;
  beginning.swap(beginning_);
  std::deque<Settled> settling;
  settling.swap(settling_);
  for (const Begun& done : beginning) done(why);
  for (const Settled& done : settling) done({unjudged(why)});
}

}  // namespace talaria
