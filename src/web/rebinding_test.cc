// A name that means a public address when it is checked and the own machine when it is asked again. For real: with our
// own DNS server, in a network of its own, where the public address is one of lo's.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "os/socket.h"
#include "web/test_server.h"

namespace talaria {
namespace {

constexpr const char* inside = "TALARIA_TEST_INSIDE_NAMESPACE";
constexpr const char* public_address = "93.184.216.34";

// Answers each question for an IPv4 address with the next of `answers`, the last one again and again, and knows nothing
// else.
class DnsServer {
 public:
  explicit DnsServer(std::vector<const char*> answers) : answers_(std::move(answers)) {
    socket_ = UniqueFd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(53);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place), 0) << std::strerror(errno);
    auto ends = make_pipe();
    stop_ = *std::move(ends);
    thread_ = std::thread([this] { serve(); });
  }
  ~DnsServer() {
    stop_.second.reset();
    thread_.join();
  }
  size_t questions() const { return questions_; }

 private:
  void serve() {
    for (;;) {
      pollfd waiting[] = {{socket_.get(), POLLIN, 0}, {stop_.first.get(), POLLIN, 0}};
      ::poll(waiting, 2, -1);
      if (waiting[1].revents != 0) return;
      char buffer[512];
      sockaddr_in from{};
      socklen_t length = sizeof from;
      const ssize_t count =
          ::recvfrom(socket_.get(), buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&from), &length);
      if (count < 17) continue;
      const std::string reply = answer(std::string(buffer, static_cast<size_t>(count)));
      ::sendto(socket_.get(), reply.data(), reply.size(), 0, reinterpret_cast<sockaddr*>(&from), length);
    }
  }

  std::string answer(const std::string& query) {
    size_t end = 12;  // behind the header: the name, its type and class
    while (query[end] != 0) end += static_cast<unsigned char>(query[end]) + 1;
    end += 5;
    const bool asks_v4 = query[end - 3] == 1;
    std::string reply = query.substr(0, 2) + std::string("\x81\x80\0\1\0\0\0\0\0\0", 10) + query.substr(12, end - 12);
    if (!asks_v4) return reply;
    reply[7] = 1;
    reply += std::string("\xc0\x0c\0\1\0\1\0\0\0\0\0\4", 12);  // that name, IPv4, never to be kept, four bytes
    in_addr address{};
    ::inet_pton(AF_INET, answers_[std::min<size_t>(questions_++, answers_.size() - 1)], &address);
    return reply.append(reinterpret_cast<const char*>(&address), 4);
  }

  std::vector<const char*> answers_;
  UniqueFd socket_;
  std::pair<UniqueFd, UniqueFd> stop_;
  std::atomic<size_t> questions_ = 0;
  std::thread thread_;
};

void bring_up(const char* name, const char* address) {
  const UniqueFd control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  auto& place = reinterpret_cast<sockaddr_in&>(request.ifr_addr);
  place.sin_family = AF_INET;
  ASSERT_EQ(::inet_pton(AF_INET, address, &place.sin_addr), 1);
  ASSERT_EQ(::ioctl(control.get(), SIOCSIFADDR, &request), 0) << std::strerror(errno);
  request.ifr_flags = IFF_UP;
  ASSERT_EQ(::ioctl(control.get(), SIOCSIFFLAGS, &request), 0) << std::strerror(errno);
}

void replace_file(const char* path, const char* content) {
  std::string name = std::filesystem::temp_directory_path() / "talaria_test_XXXXXX";
  const UniqueFd file(::mkstemp(name.data()));
  ASSERT_TRUE(file);
  ASSERT_EQ(::write(file.get(), content, std::strlen(content)), static_cast<ssize_t>(std::strlen(content)));
  ASSERT_EQ(::mount(name.c_str(), path, nullptr, MS_BIND, nullptr), 0) << path << ": " << std::strerror(errno);
  ::unlink(name.c_str());
}

void set_up_network() {
  bring_up("lo", "127.0.0.1");
  bring_up("lo:1", public_address);
  replace_file("/etc/resolv.conf", "nameserver 127.0.0.1\n");
  replace_file("/etc/nsswitch.conf", "hosts: files dns\n");
}

// This program again, only with this test, in namespaces of its own.
int run_inside(const std::string& test) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string filter = "--gtest_filter=" + test;
  const char* arguments[] = {"unshare", "--user",        "--map-root-user", "--net", "--mount",
                             "--",      program.c_str(), filter.c_str(),    nullptr};
  ::setenv(inside, "1", 1);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, "unshare", nullptr, nullptr, const_cast<char**>(arguments), environ);
  ::unsetenv(inside);
  int status = -1;
  if (failed == 0) ::waitpid(pid, &status, 0);
  return status;
}

TEST(RebindingTest, TheAddressThatWasCheckedIsTheOneThatIsAsked) {
  if (std::getenv(inside) == nullptr) {
    EXPECT_EQ(run_inside("RebindingTest.TheAddressThatWasCheckedIsTheOneThatIsAsked"), 0);
    return;
  }
  ASSERT_NO_FATAL_FAILURE(set_up_network());
  TestServer outside(public_address);
  TestServer own("127.0.0.1", outside.port());
  const std::string base = "http://rebinding.example:" + std::to_string(outside.port());
  outside.page("/page", "text/plain", "public");
  outside.redirect("/trap", base + "/page");
  own.page("/page", "text/plain", "secret");
  {
    const DnsServer dns({public_address, "127.0.0.1"});
    const Result<WebPage> page = fetch_locally(base + "/page", FetchOptions());
    ASSERT_TRUE(page) << error_of(page);
    EXPECT_EQ(page->body, "public");
    EXPECT_EQ(dns.questions(), 1u);
  }
  {
    const DnsServer dns({public_address, "127.0.0.1"});
    EXPECT_THAT(error_of(fetch_locally(base + "/trap", FetchOptions())), testing::StartsWith("Blocked: "));
    EXPECT_EQ(dns.questions(), 2u);
  }
  EXPECT_TRUE(own.requests().empty());
}

TEST(RebindingTest, WithoutANetworkItFailsAtOnceAndSaysSo) {
  if (std::getenv(inside) == nullptr) {
    EXPECT_EQ(run_inside("RebindingTest.WithoutANetworkItFailsAtOnceAndSaysSo"), 0);
    return;
  }
  ASSERT_NO_FATAL_FAILURE(replace_file("/etc/resolv.conf", "nameserver 192.0.2.1\n"));
  const auto start = Clock::now();
  EXPECT_EQ(error_of(fetch_locally("http://example.org/", FetchOptions())),
            "cannot look up the host example.org: no DNS server answers. Is there a network?");
  EXPECT_EQ(error_of(fetch_locally("http://8.8.8.8/", FetchOptions())),
            "there is no way to 8.8.8.8: no network, or none that leads there");
  EXPECT_LT(Clock::now() - start, 8s);
}

}  // namespace
}  // namespace talaria
