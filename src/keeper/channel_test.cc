#include "keeper/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <map>

#include "os/file.h"
#include "os/socket.h"
#include "sandbox/trial.h"

namespace talaria {
namespace {

constexpr auto patience = 20s;

// Two channels that are connected to each other, and what came of them.
struct Ends {
  Ends() : Ends(*socket_pair(SOCK_STREAM)) {}
  explicit Ends(std::pair<UniqueFd, UniqueFd> sockets)
      : mine(loop, std::move(sockets.first),
             {[](const Frame&) {}, [this](const Error&) { closed = true; },
              [this](int64_t number, const Error& why) { unsent[number] = why.number(); }}),
        theirs(loop, std::move(sockets.second),
               {[this](const Frame& frame) { came[integer_or(frame.header, "seq")] = frame.fds.size(); },
                [](const Error&) {}, [](int64_t, const Error&) {}}) {}

  void send(int64_t number) { mine.send({{"seq", number}}); }
  void send_with_fd(int64_t number) {
    std::vector<UniqueFd> fds;
    fds.push_back(*open_file("/dev/null", O_RDONLY));
    mine.send({{"seq", number}, {"fds", 1}}, {}, std::move(fds));
  }
  template <class Condition>
  bool run_until(Condition condition) {
    const auto deadline = Clock::now() + patience;
    while (!condition()) {
      if (Clock::now() > deadline) return false;
      const Loop::Timer turn = loop.after(1ms, [this] { loop.stop(); });
      loop.run();
    }
    return true;
  }

  Loop loop;
  std::map<int64_t, size_t> came;  // number of each frame, and of its descriptors
  std::map<int64_t, int> unsent;
  bool closed = false;
  Channel mine, theirs;
};

// More descriptors than this user may have are on their way; they arrive when the returned sockets are closed.
std::vector<UniqueFd> use_up_descriptors_in_flight() {
  auto [in, out] = *socket_pair(SOCK_STREAM);
  const rlimit few{32, 32};
  CHECK(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const std::vector<int> fds(16, in.get());
  for (int i = 0; i < 8; ++i) {
    if (!send_some(in.get(), "x", fds)) break;
  }
  std::vector<UniqueFd> kept;
  kept.push_back(std::move(in));
  kept.push_back(std::move(out));
  return kept;
}

TEST(KeeperChannelTest, AFrameWhoseDescriptorsCannotBePassedFailsAlone) {
  EXPECT_EQ(
      try_in_child(Who::ordinary_user,
                   [] {
                     Ends ends;
                     std::vector<UniqueFd> in_flight = use_up_descriptors_in_flight();
                     ends.send(1);
                     ends.send_with_fd(2);
                     ends.send(3);
                     if (!ends.run_until([&] { return ends.unsent.contains(2) && ends.came.contains(3); })) return 1;
                     if (ends.unsent != std::map<int64_t, int>{{2, ETOOMANYREFS}}) return 2;
                     if (ends.came != std::map<int64_t, size_t>{{1, 0}, {3, 0}} || ends.closed) return 3;
                     in_flight.clear();
                     // The kernel collects what nobody can receive any more in its own time.
                     for (int64_t next = 4; next < 4000; ++next) {
                       ends.send_with_fd(next);
                       if (!ends.run_until([&] { return ends.unsent.contains(next) || ends.came.contains(next); })) {
                         return 4;
                       }
                       if (ends.came.contains(next)) return ends.came[next] == 1 ? 0 : 5;
                     }
                     return 6;
                   }),
      Ended{});
}

// Sends frames by hand, with as many descriptors as wanted, whatever they say of them.
class RawSender {
 public:
  void send(const std::string& frame, int fds) {
    const UniqueFd null = *open_file("/dev/null", O_RDONLY);
    Result<size_t> sent = send_some(theirs_.get(), frame, std::vector<int>(static_cast<size_t>(fds), null.get()));
    ASSERT_TRUE(sent && *sent == frame.size());
  }
  // The frames that come, each with the number of its descriptors.
  std::map<int64_t, size_t> receive(size_t frames) {
    Loop loop;
    std::map<int64_t, size_t> came;
    Channel channel(loop, std::move(ours_),
                    {[&](const Frame& frame) {
                       came[integer_or(frame.header, "seq")] = frame.fds.size();
                       if (came.size() == frames) loop.stop();
                     },
                     [&](const Error&) { loop.stop(); }, [](int64_t, const Error&) {}});
    const Loop::Timer deadline = loop.after(patience, [&] { loop.stop(); });
    loop.run();
    return came;
  }

 private:
  std::pair<UniqueFd, UniqueFd> pair_ = *socket_pair(SOCK_STREAM);
  UniqueFd ours_ = std::move(pair_.first), theirs_ = std::move(pair_.second);
};

TEST(KeeperChannelTest, DescriptorsThatAFrameDoesNotNameAreNotTakenByTheNext) {
  RawSender sender;
  sender.send(encode_frame({{"seq", 1}}), 1);
  sender.send(encode_frame({{"seq", 2}, {"fds", 1}}), 0);
  sender.send(encode_frame({{"seq", 3}, {"fds", 2}}), 2);
  const std::map<int64_t, size_t> came = sender.receive(3);
  EXPECT_EQ(came, (std::map<int64_t, size_t>{{1, 1}, {2, 0}, {3, 2}}));
}

// As when the kernel could not pass all of them on: the frame behind it arrives with the rest of it.
TEST(KeeperChannelTest, AFrameThatLostDescriptorsTakesNoneOfTheNext) {
  RawSender sender;
  sender.send(encode_frame({{"seq", 1}, {"fds", 2}}, std::string(100'000, 'x')), 1);
  sender.send(encode_frame({{"seq", 2}, {"fds", 2}}), 2);
  EXPECT_EQ(sender.receive(2), (std::map<int64_t, size_t>{{1, 1}, {2, 2}}));
}

TEST(KeeperChannelTest, OneThatCannotSendIsClosed) {
  Ends ends;
  ends.send(1);
  ASSERT_TRUE(ends.run_until([&] { return ends.came.contains(1); }));
  ::shutdown(ends.mine.fd(), SHUT_WR);
  ends.send(2);
  EXPECT_TRUE(ends.run_until([&] { return ends.closed; }));
  EXPECT_FALSE(ends.came.contains(2));
}

}  // namespace
}  // namespace talaria
