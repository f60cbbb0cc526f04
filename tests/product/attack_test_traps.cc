// The bait that is no file: sockets, shared memory, a key, a terminal, and the machine itself.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <sstream>

#include "base/text.h"
#include "os/file.h"
#include "os/random.h"
#include "product/attack_test_bait.h"

namespace talaria {
namespace {

constexpr long user_keyring = -4;
constexpr mode_t open_to_all = 0666;

// For both kinds of address, on every interface; the port it got.
UniqueFd listen_to_internet(int type, uint16_t& port) {
  UniqueFd fd(::socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int no = 0;
  EXPECT_EQ(::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no), 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  socklen_t length = sizeof address;
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(type != SOCK_STREAM || ::listen(fd.get(), 8) == 0);
  EXPECT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  port = ntohs(address.sin6_port);
  return fd;
}

UniqueFd listen_to_unix(int type, const std::string& name, bool abstract) {
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{AF_UNIX, {}};
  EXPECT_LT(name.size() + 1, sizeof address.sun_path);
  std::memcpy(address.sun_path + (abstract ? 1 : 0), name.data(), name.size());
  const size_t length = offsetof(sockaddr_un, sun_path) + name.size() + 1;
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(length)), 0) << name;
  EXPECT_TRUE(type != SOCK_STREAM || ::listen(fd.get(), 8) == 0);
  EXPECT_TRUE(abstract || ::chmod(name.c_str(), 0777) == 0);
  return fd;
}

// One the machine can be reached by from elsewhere; empty when there is none.
std::string own_address() {
  ifaddrs* all = nullptr;
  std::string found;
  if (::getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK)) continue;
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text, sizeof text);
    found = text;
  }
  ::freeifaddrs(all);
  return found;
}

std::string text_in(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? *text : "unreadable";
}

}  // namespace

void Bait::lay_sockets() {
  uint16_t port = 0;
  listen_on("tcp", listen_to_internet(SOCK_STREAM, port));
  list_["tcp"] = std::to_string(port);
  listen_on("udp", listen_to_internet(SOCK_DGRAM, port));
  list_["udp"] = std::to_string(port);
  list_["address"] = own_address();
  list_["abstract"] = "talaria-bait-" + tag_;
  list_["abstract_datagram"] = "talaria-bait-datagram-" + tag_;
  listen_on("an abstract name", listen_to_unix(SOCK_STREAM, list_["abstract"], true));
  listen_on("an abstract name of datagrams", listen_to_unix(SOCK_DGRAM, list_["abstract_datagram"], true));
  list_["unix"] = outside_ + "/socket";
  list_["home_socket"] = list_["home"] + "/.ssh/agent";
  list_["own_socket"] = house_.root() + "/bait-socket";
  for (const char* name : {"unix", "home_socket", "own_socket"}) {
    listen_on(name, listen_to_unix(SOCK_STREAM, list_[name], false));
  }
  if (!list_.contains("shown")) return;
  list_["service_socket"] = list_["shown"] + "/socket";  // as services keep theirs
  listen_on("service_socket", listen_to_unix(SOCK_STREAM, list_["service_socket"], false));
}

void Bait::look_at_sockets(std::vector<std::string>& damage) const {
  for (const auto& [name, fd] : sockets_) {
    pollfd watched{fd.get(), POLLIN, 0};
    if (::poll(&watched, 1, 0) != 0) damage.push_back("somebody contacted " + name);
  }
}

void Bait::lay_memory() {
  const auto key = [&](const char* name) {
    const key_t number = static_cast<key_t>(random_u64() & 0x7fffffff);
    list_[std::string(name) + "_key"] = std::to_string(number);
    return number;
  };
  const int segment = ::shmget(key("shm"), 4096, IPC_CREAT | IPC_EXCL | open_to_all);
  ASSERT_GE(segment, 0);
  void* memory = ::shmat(segment, nullptr, 0);
  std::strcpy(static_cast<char*>(memory), secret_.c_str());
  ::shmdt(memory);
  const int semaphores = ::semget(key("sem"), 1, IPC_CREAT | IPC_EXCL | open_to_all);
  ASSERT_GE(semaphores, 0);
  ASSERT_EQ(::semctl(semaphores, 0, SETVAL, 42), 0);
  const int queue = ::msgget(key("msg"), IPC_CREAT | IPC_EXCL | open_to_all);
  ASSERT_GE(queue, 0);
  struct {
    long type = 1;
    char text[128] = {};
  } message;
  std::strcpy(message.text, secret_.c_str());
  ASSERT_EQ(::msgsnd(queue, &message, secret_.size(), IPC_NOWAIT), 0);
  list_["shm_id"] = std::to_string(segment);
  list_["sem_id"] = std::to_string(semaphores);
  list_["msg_id"] = std::to_string(queue);

  list_["mq"] = "/talaria-bait-" + tag_;
  mq_attr shape{0, 4, 256, 0, {}};
  const mqd_t posix = ::mq_open(list_["mq"].c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, open_to_all, &shape);
  ASSERT_GE(posix, 0);
  ASSERT_EQ(::mq_send(posix, secret_.data(), secret_.size(), 0), 0);
  ::mq_close(posix);
  list_["shm"] = "/talaria-bait-" + tag_;
  put("/dev/shm" + list_["shm"], secret_ + "\n", open_to_all);
}

void Bait::look_at_memory(std::vector<std::string>& damage) const {
  const auto number = [&](const char* name) { return std::stoi(list_.at(name)); };
  void* memory = ::shmat(number("shm_id"), nullptr, SHM_RDONLY);
  if (memory == reinterpret_cast<void*>(-1)) return damage.push_back("the shared memory is gone");
  if (secret_ != static_cast<char*>(memory)) damage.push_back("the shared memory was changed");
  ::shmdt(memory);
  if (::semctl(number("sem_id"), 0, GETVAL) != 42) damage.push_back("the semaphore was changed");
  msqid_ds queue{};
  if (::msgctl(number("msg_id"), IPC_STAT, &queue) != 0 || queue.msg_qnum != 1 || queue.msg_lrpid != 0) {
    damage.push_back("the message queue was used");
  }
  const mqd_t posix = ::mq_open(list_.at("mq").c_str(), O_RDONLY | O_CLOEXEC);
  mq_attr shape{};
  if (posix < 0 || ::mq_getattr(posix, &shape) != 0 || shape.mq_curmsgs != 1) {
    damage.push_back("the POSIX queue was used");
  }
  ::mq_close(posix);
  if (!list_.contains("key_number")) return;
  char text[256] = {};
  const long length = ::syscall(SYS_keyctl, 11 /* read */, std::stol(list_.at("key_number")), text, sizeof text - 1);
  if (length < 0 || secret_ != text) damage.push_back("the key was changed");
}

void Bait::forget_memory() {
  const auto number = [&](const char* name) { return std::stoi(list_.at(name)); };
  ::shmctl(number("shm_id"), IPC_RMID, nullptr);
  ::semctl(number("sem_id"), 0, IPC_RMID);
  ::msgctl(number("msg_id"), IPC_RMID, nullptr);
  ::mq_unlink(list_["mq"].c_str());
  ::shm_unlink(list_["shm"].c_str());
  if (list_.contains("key_number")) ::syscall(SYS_keyctl, 9 /* unlink */, std::stol(list_["key_number"]), user_keyring);
}

void Bait::lay_key() {
  list_["key"] = "talaria-bait-" + tag_;
  const long key = ::syscall(SYS_add_key, "user", list_["key"].c_str(), secret_.data(), secret_.size(), user_keyring);
  // Somewhere the tests themselves run without keys, and then there is none to find.
  if (key > 0) list_["key_number"] = std::to_string(key);
  // Whoever has the same user may do all with it.
  if (key > 0) ::syscall(SYS_keyctl, 5 /* setperm */, key, 0x3f3f3f3f);
}

void Bait::lay_terminal() {
  // A number that no terminal inside will have, so that the same name is never another terminal.
  std::vector<UniqueFd> lower;
  for (int number = 0; number < 16; number = std::stoi(list_["terminal"].substr(9))) {
    if (terminal_) lower.push_back(std::move(terminal_));
    terminal_ = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    ASSERT_TRUE(terminal_);
    list_["terminal"] = ::ptsname(terminal_.get());  // "/dev/pts/" and the number
  }
  ASSERT_EQ(::unlockpt(terminal_.get()), 0);
  terminal_inside_ = UniqueFd(::open(list_["terminal"].c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  ASSERT_TRUE(terminal_inside_);
  ASSERT_EQ(::chmod(list_["terminal"].c_str(), open_to_all), 0);
}

void Bait::look_at_terminal(std::vector<std::string>& damage) const {
  int typed = 0, shown = 0;
  ::ioctl(terminal_inside_.get(), FIONREAD, &typed);
  ::ioctl(terminal_.get(), FIONREAD, &shown);
  if (typed > 0) damage.push_back("somebody typed into the terminal");
  if (shown > 0) damage.push_back("somebody wrote to the terminal");
}

double clock_offset() {
  timespec wall{}, running{};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  ::clock_gettime(CLOCK_BOOTTIME, &running);
  return static_cast<double>(wall.tv_sec - running.tv_sec) + 1e-9 * static_cast<double>(wall.tv_nsec - running.tv_nsec);
}

std::map<std::string, std::string> look_of_machine() {
  std::map<std::string, std::string> look;
  utsname names{};
  ::uname(&names);
  look["the host name"] = std::string(names.nodename) + " " + names.domainname;
  for (const char* setting :
       {"kernel/core_pattern", "kernel/modprobe", "kernel/sysrq", "kernel/poweroff_cmd", "kernel/randomize_va_space",
        "vm/overcommit_memory", "fs/suid_dumpable", "net/ipv4/ip_forward", "fs/binfmt_misc/status"}) {
    look[setting] = text_in(std::string("/proc/sys/") + setting);
  }
  for (const char* path : {"/proc/swaps", "/proc/self/mountinfo", "/sys/kernel/uevent_helper", "/etc/passwd",
                           "/etc/hosts", "/etc/crontab", "/etc/ld.so.preload"}) {
    look[path] = look_of(path) == "missing" ? "missing" : text_in(path);
  }
  std::istringstream interfaces(text_in("/proc/net/dev"));
  for (std::string line; std::getline(interfaces, line);) look["interfaces"] += line.substr(0, line.find(':')) + " ";
  return look;
}

}  // namespace talaria
