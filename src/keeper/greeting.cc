#include "keeper/greeting.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "keeper/launch.h"
#include "keeper/protocol.h"
#include "os/lock_holder.h"

namespace talaria {
namespace {

constexpr int most_attempts = 3;

// Reads the keeper's greeting and not a byte more: what follows belongs to the channel.
Result<Frame> await_hello(int socket, Clock::duration patience) {
  FrameReader reader;
  const auto deadline = Clock::now() + patience;
  while (true) {
    std::optional<Frame> frame = TRY(reader.next());
    if (frame) return std::move(*frame);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watched{socket, POLLIN, 0};
    if (left <= 0 || ::poll(&watched, 1, static_cast<int>(left)) <= 0) {
      return Error(ErrorCode::timed_out, "no greeting");
    }
    char buffer[16 << 10];
    const ssize_t count = ::read(socket, buffer, std::min(sizeof buffer, reader.missing()));
    if (count <= 0) return Error(ErrorCode::unavailable, "the keeper closed the connection without a word");
    reader.feed(std::string_view(buffer, static_cast<size_t>(count)));
  }
}

Result<> check_protocol(const JsonObject& hello) {
  const int64_t newest = integer_or(hello, "protocol"), oldest = integer_or(hello, "oldest", newest);
  if (newest >= oldest_keeper_protocol && oldest <= keeper_protocol) return ok;
  return Error(ErrorCode::unavailable,
               "the running keeper (pid " + std::to_string(integer_or(hello, "pid")) + ", version " +
                   text_or(hello, "version", "unknown") + ") speaks protocol " + std::to_string(oldest) + " to " +
                   std::to_string(newest) + ", this gateway (version " TALARIA_VERSION ") " +
                   std::to_string(oldest_keeper_protocol) + " to " + std::to_string(keeper_protocol) +
                   ". Its jobs go on; when they may end, run: talaria serve --stop --end-jobs, with the version that "
                   "started it, or kill that pid");
}

}  // namespace

Error silent_keeper(pid_t pid) {
  const std::string number = std::to_string(pid);
  return {ErrorCode::unavailable, "the keeper (pid " + number +
                                      ") does not answer: it may be suspended, or out of memory. To let it go on: kill "
                                      "-CONT " +
                                      number + ". To end it, with all jobs: kill -9 " + number};
}

Result<Greeting> greet_keeper(const Home& home, Clock::duration patience) {
  for (int attempt = 1;; ++attempt) {
    UniqueFd socket = TRY(connect_to_keeper(home));
    Result<Frame> hello = await_hello(socket.get(), patience);
    if (hello) {
      TRY(check_protocol(hello->header));
      return Greeting{std::move(socket), *std::move(hello)};
    }
    if (hello.error().code() == ErrorCode::unavailable && attempt < most_attempts) continue;
    const Result<LockHolder> holder = holder_of(home.keeper_lock());
    if (holder && holder->held && holder->pid > 0) return silent_keeper(holder->pid);
    return std::move(hello).error();
  }
}

}  // namespace talaria
