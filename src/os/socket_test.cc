#include "os/socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

TEST(SocketTest, ConnectsToAListenerAndKnowsItsPeer) {
  const std::string path = testing::TempDir() + "s" + std::to_string(random_u64());
  UniqueFd listener = *listen_unix(path);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  UniqueFd client = *connect_unix(path);
  UniqueFd server = *accept_unix(listener.get());
  ASSERT_TRUE(server);
  EXPECT_EQ(*peer_of(server.get()), (Peer{::getpid(), ::geteuid(), ::getegid()}));
  EXPECT_FALSE(*accept_unix(listener.get()));  // nobody else waits
  ::unlink(path.c_str());
}

TEST(SocketTest, ListeningNarrowsNothingThatAnotherThreadMakes) {
  const std::string base = testing::TempDir() + "s" + std::to_string(random_u64());
  ASSERT_TRUE(make_directories(base));
  std::atomic<bool> over = false;
  std::thread listens([&] {
    for (int i = 0; i < 2000; ++i) EXPECT_TRUE(listen_unix(base + "/socket"));
    over = true;
  });
  for (int i = 0; !over; ++i) {
    const std::string made = base + "/" + std::to_string(i);
    struct stat info {};
    EXPECT_TRUE(make_directories(made));
    EXPECT_EQ(::stat(made.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    ::rmdir(made.c_str());
  }
  listens.join();
  EXPECT_TRUE(remove_tree(base));
}

TEST(SocketTest, TheLastPacketsOfOneThatLeftSomethingUnreadAreReceived) {
  auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
  ASSERT_EQ(::send(mine.get(), "unread", 6, 0), 6);
  ASSERT_EQ(::send(theirs.get(), "last", 4, 0), 4);
  theirs.reset();
  char buffer[16];
  const Result<Received> last = receive_some(mine.get(), buffer, sizeof buffer);
  ASSERT_TRUE(last);
  EXPECT_EQ(std::string(buffer, last->count), "last");
  EXPECT_FALSE(last->closed);
  EXPECT_TRUE(receive_some(mine.get(), buffer, sizeof buffer)->closed);
}

TEST(SocketTest, ReplacesAStaleSocketFile) {
  const std::string path = testing::TempDir() + "s" + std::to_string(random_u64());
  (void)*listen_unix(path);
  EXPECT_EQ(connect_unix(path).error().number(), ECONNREFUSED);
  UniqueFd again = *listen_unix(path);
  EXPECT_TRUE(connect_unix(path));
  ::unlink(path.c_str());
}

TEST(SocketTest, MovesADirectoryInItsPlaceAside) {
  const std::string path = testing::TempDir() + "s" + std::to_string(random_u64());
  ASSERT_TRUE(make_directories(path + "/somebodys"));
  EXPECT_TRUE(listen_unix(path));
  EXPECT_TRUE(exists(path + ".moved-aside/somebodys"));
  ::unlink(path.c_str());
  EXPECT_TRUE(remove_tree(path + ".moved-aside"));
}

TEST(SocketTest, SaysThatAPathIsTooLongAndWhatToDo) {
  const std::string path = "/" + std::string(120, 'x');
  const std::string message = listen_unix(path).error().message();
  EXPECT_NE(message.find("121 bytes long; Linux allows 107"), std::string::npos) << message;
  EXPECT_NE(message.find("TALARIA_HOME"), std::string::npos);
}

TEST(SocketTest, PassesFds) {
  auto [a, b] = *socket_pair(SOCK_STREAM);
  auto [read_end, write_end] = *make_pipe();
  ASSERT_EQ(*send_some(a.get(), "take this", {write_end.get()}), 9u);
  write_end.reset();
  char buffer[64];
  Received received = *receive_some(b.get(), buffer, sizeof buffer);
  ASSERT_EQ(received.fds.size(), 1u);
  EXPECT_NE(::fcntl(received.fds[0].get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_TRUE(write_all(received.fds[0].get(), "through"));
  EXPECT_EQ(::read(read_end.get(), buffer, sizeof buffer), 7);
}

TEST(SocketTest, SaysThatTheOtherSideClosed) {
  auto [a, b] = *socket_pair(SOCK_STREAM);
  a.reset();
  char buffer[8];
  EXPECT_TRUE(receive_some(b.get(), buffer, sizeof buffer)->closed);
  EXPECT_FALSE(send_some(b.get(), "x"));  // an error, not a SIGPIPE
}

}  // namespace
}  // namespace talaria
