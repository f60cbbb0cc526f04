// Reaching other programs by sockets. Whatever listens outside notes every contact.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "attack.h"

namespace attack {
namespace {

// Connects and sends a word; -1 with errno when either fails. Waits a second at most.
int contact(int family, int type, const void* address, size_t length) {
  const int fd = ::socket(family, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const timeval patience{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  int result = ::connect(fd, static_cast<const sockaddr*>(address), static_cast<socklen_t>(length));
  if (result == 0 && ::send(fd, "attack", 6, MSG_NOSIGNAL) < 0) result = -1;
  const int number = errno;
  ::close(fd);
  errno = number;
  return result;
}

int contact_four(int type, const std::string& host, long port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return contact(AF_INET, type, &address, sizeof address);
}

int contact_six(int type, const std::string& host, long port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<uint16_t>(port));
  ::inet_pton(AF_INET6, host.c_str(), &address.sin6_addr);
  return contact(AF_INET6, type, &address, sizeof address);
}

int contact_unix(int type, const std::string& name, bool abstract) {
  sockaddr_un address{AF_UNIX, {}};
  if (name.empty() || name.size() + 2 > sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path + (abstract ? 1 : 0), name.data(), name.size());
  return contact(AF_UNIX, type, &address, offsetof(sockaddr_un, sun_path) + name.size() + 1);
}

bool is_open_family(int family, int type, int protocol) {
  if (family == AF_UNIX) return true;
  if (family == AF_NETLINK) return protocol == NETLINK_ROUTE;
  return (family == AF_INET || family == AF_INET6) && type != SOCK_RAW && type != SOCK_PACKET;
}

void every_family(Attempt& attempt) {
  for (int family = 0; family <= 50; ++family) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET, SOCK_DCCP, SOCK_PACKET}) {
      for (const int protocol : {0, 1, 3, 6, 9, 15, 16, 58, 255}) {
        if (is_open_family(family, type, protocol)) continue;
        const int fd = ::socket(family, type | SOCK_CLOEXEC, protocol);
        attempt.must_fail(
            "socket " + std::to_string(family) + " " + std::to_string(type) + " " + std::to_string(protocol), fd);
        if (fd >= 0) ::close(fd);
      }
    }
  }
}

void tcp(Attempt& attempt) {
  const long port = attempt.bait.number("tcp");
  for (const std::string& host :
       {std::string("127.0.0.1"), std::string("127.1.2.3"), std::string("0.0.0.0"), attempt.bait["address"]}) {
    if (!host.empty()) attempt.must_fail("connect to " + host, contact_four(SOCK_STREAM, host, port));
  }
  for (const std::string host : {"::1", "::", "::ffff:127.0.0.1", "fe80::1"}) {
    attempt.must_fail("connect to " + host, contact_six(SOCK_STREAM, host, port));
  }
}

// Nobody answers a datagram; the outside looks whether it came.
void udp(Attempt& attempt) {
  const long port = attempt.bait.number("udp");
  for (const std::string& host : {std::string("127.0.0.1"), attempt.bait["address"], std::string("255.255.255.255")}) {
    if (!host.empty()) attempt.note(host + " " + with_errno(contact_four(SOCK_DGRAM, host, port)));
  }
  attempt.note("::1 " + with_errno(contact_six(SOCK_DGRAM, "::1", port)));
}

void far_away(Attempt& attempt) {
  for (const std::string host : {"1.1.1.1", "169.254.169.254", "10.0.0.1", "192.168.0.1", "172.17.0.1"}) {
    attempt.must_fail("connect to " + host, contact_four(SOCK_STREAM, host, 80));
    attempt.must_fail("send to " + host, contact_four(SOCK_DGRAM, host, 53));
  }
  attempt.must_fail("connect to 2606:4700:4700::1111", contact_six(SOCK_STREAM, "2606:4700:4700::1111", 80));
}

void abstract_names(Attempt& attempt) {
  for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) {
    for (const std::string& name :
         {attempt.bait["abstract"], std::string("/tmp/.X11-unix/X0"), attempt.bait["abstract_datagram"]}) {
      attempt.must_fail("connect to @" + name, contact_unix(type, name, true));
    }
  }
}

void paths(Attempt& attempt) {
  for (const char* bait : {"unix", "home_socket", "own_socket"}) {
    const std::string& path = attempt.bait[bait];
    for (const std::string& way :
         {path, "/proc/self/root" + path, "/proc/1/root" + path, "/proc/" + attempt.bait["victim"] + "/root" + path}) {
      attempt.must_fail("connect to " + way, contact_unix(SOCK_STREAM, way, false));
      attempt.must_fail("send to " + way, contact_unix(SOCK_DGRAM, way, false));
    }
  }
}

// A socket that lies where everybody may read, as services keep theirs.
void shown_paths(Attempt& attempt) {
  const std::string& path = attempt.bait["service_socket"];
  if (path.empty()) return attempt.note("none was laid out");
  attempt.must_fail("connect to " + path, contact_unix(SOCK_STREAM, path, false));
}

// With a descriptor or somebody's name in the message.
void pass_things(Attempt& attempt) {
  for (int stream = 0; stream < 3; ++stream) {
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int here = ::open("/", O_PATH | O_CLOEXEC);
    std::memcpy(CMSG_DATA(header), &here, sizeof here);
    attempt.must_fail("pass a descriptor up", ::sendmsg(stream, &message, MSG_NOSIGNAL));
  }
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0) return;
  for (const ucred other : {ucred{1, ::getuid(), ::getgid()}, ucred{::getpid(), 1, ::getgid()}}) {
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof other)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_CREDENTIALS;
    header->cmsg_len = CMSG_LEN(sizeof other);
    std::memcpy(CMSG_DATA(header), &other, sizeof other);
    attempt.must_fail("speak as another", ::sendmsg(pair[0], &message, MSG_NOSIGNAL));
  }
}

long ask_netlink(int fd, uint16_t kind, const void* body, size_t length) {
  struct {
    nlmsghdr header;
    char body[64];
  } request{};
  request.header.nlmsg_len = static_cast<uint32_t>(NLMSG_LENGTH(length));
  request.header.nlmsg_type = kind;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
  std::memcpy(request.body, body, length);
  if (::send(fd, &request, request.header.nlmsg_len, 0) < 0) return -1;
  struct {
    nlmsghdr header;
    nlmsgerr error;
    char more[512];
  } reply{};
  if (::recv(fd, &reply, sizeof reply, 0) < 0) return -1;
  errno = -reply.error.error;
  return reply.error.error < 0 ? -1 : 0;
}

void change_network(Attempt& attempt) {
  const int fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return attempt.note("no netlink: " + with_errno(-1));
  ifinfomsg link{};
  link.ifi_index = 1;
  link.ifi_change = IFF_UP;
  attempt.must_fail("lo down", ask_netlink(fd, RTM_NEWLINK, &link, sizeof link));
  attempt.must_fail("remove lo", ask_netlink(fd, RTM_DELLINK, &link, sizeof link));
  const ifaddrmsg address{AF_INET, 8, 0, 0, 1};
  attempt.must_fail("a new address", ask_netlink(fd, RTM_NEWADDR, &address, sizeof address));
  rtmsg route{};
  route.rtm_family = AF_INET;
  route.rtm_table = RT_TABLE_MAIN;
  route.rtm_type = RTN_UNICAST;
  attempt.must_fail("a new route", ask_netlink(fd, RTM_NEWROUTE, &route, sizeof route));
  ifreq interface {};
  std::strcpy(interface.ifr_name, "lo");
  const int udp_socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  attempt.must_fail("SIOCSIFFLAGS", ::ioctl(udp_socket, SIOCSIFFLAGS, &interface));
  attempt.must_fail("SIOCSIFADDR", ::ioctl(udp_socket, SIOCSIFADDR, &interface));
  for (const auto& [level, option] : {std::pair{SOL_IP, 64 /* IPT_SO_SET_REPLACE */},
                                      {SOL_SOCKET, SO_MARK},
                                      {SOL_IP, IP_TRANSPARENT},
                                      {SOL_SOCKET, SO_RCVBUFFORCE}}) {
    const int value = 1;
    attempt.must_fail("option " + std::to_string(option),
                      ::setsockopt(udp_socket, level, option, &value, sizeof value));
  }
}

// The machine that runs this machine.
void virtual_machine(Attempt& attempt) {
  for (const unsigned cid : {0U, 1U, 2U, 3U}) {
    sockaddr_vm address{};
    address.svm_family = AF_VSOCK;
    address.svm_cid = cid;
    address.svm_port = 1024;
    attempt.must_fail("vsock " + std::to_string(cid), contact(AF_VSOCK, SOCK_STREAM, &address, sizeof address));
  }
}

constexpr NamedAttempt all[] = {
    {"every_family", every_family},
    {"tcp", tcp, Harm::none},
    {"udp", udp, Harm::none},
    {"far_away", far_away},
    {"abstract_names", abstract_names, Harm::none},
    {"paths", paths, Harm::none},
    {"shown_paths", shown_paths, Harm::none},
    {"pass_things", pass_things, Harm::none},
    {"change_network", change_network},
    {"virtual_machine", virtual_machine},
};

// --- programs of the person's desktop and machine, found as their clients find them ---

void contact_variable(Attempt& attempt, const char* name) {
  const char* value = ::getenv(name);
  if (!value) return attempt.note(std::string(name) + " is not set");
  std::string path = value;
  if (const size_t at = path.find("path="); at != std::string::npos) path = path.substr(at + 5);
  attempt.must_fail(std::string("connect to ") + name, contact_unix(SOCK_STREAM, path, false));
}

void ssh_agent(Attempt& attempt) {
  contact_variable(attempt, "SSH_AUTH_SOCK");
  contact_variable(attempt, "GPG_AGENT_INFO");
  const std::string agent = attempt.bait["home"] + "/.gnupg/S.gpg-agent";
  attempt.must_fail("connect to " + agent, contact_unix(SOCK_STREAM, agent, false));
}

void desktop(Attempt& attempt) {
  contact_variable(attempt, "DBUS_SESSION_BUS_ADDRESS");
  for (const char* path : {"/tmp/.X11-unix/X0", "/run/user/0/wayland-0", "/run/user/1000/wayland-0", "/run/user/0/bus",
                           "/run/user/1000/bus", "/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket"}) {
    attempt.must_fail(std::string("connect to ") + path, contact_unix(SOCK_STREAM, path, false));
    attempt.must_fail(std::string("connect to @") + path, contact_unix(SOCK_STREAM, path, true));
  }
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"}) {
    if (::getenv(name)) attempt.broke(std::string(name) + " is set");
  }
}

void machine_services(Attempt& attempt) {
  for (const char* path :
       {"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
        "/run/systemd/private", "/run/systemd/journal/socket", "/dev/log", "/run/systemd/notify", "/run/cups/cups.sock",
        "/run/snapd.socket", "/var/lib/docker/x", "/run/crio/crio.sock", "/run/libvirt/libvirt-sock",
        "/run/avahi-daemon/socket", "/run/nscd/socket", "/run/udev/control", "/run/acpid.socket"}) {
    attempt.must_fail(std::string("connect to ") + path, contact_unix(SOCK_STREAM, path, false));
    attempt.must_fail(std::string("send to ") + path, contact_unix(SOCK_DGRAM, path, false));
  }
}

// Programs that run something later, or elsewhere.
void run_later(Attempt& attempt) {
  for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
           {"sh", "-c", "echo '* * * * * true' | crontab -"},
           {"sh", "-c", "echo true | at now"},
           {"systemd-run", "--user", "true"},
           {"systemctl", "--user", "daemon-reload"},
           {"systemctl", "daemon-reload"},
           {"docker", "ps"},
           {"dbus-send", "--session", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames"}}) {
    const Output output = output_of(argv);
    if (output.code == 0) attempt.broke(argv.back() + " worked");
    else attempt.note(argv[0] + " ended with " + std::to_string(output.code));
  }
  for (const std::string folder : {"/var/spool/cron/crontabs", "/var/spool/cron/atjobs", "/etc/cron.d",
                                   "/etc/systemd/system", "/etc/init.d", "/etc/xdg/autostart"}) {
    attempt.must_fail("create in " + folder,
                      ::open((folder + "/attack").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
}

constexpr NamedAttempt all_services[] = {
    {"ssh_agent", ssh_agent, Harm::none},
    {"desktop", desktop},
    {"machine_services", machine_services},
    {"run_later", run_later},
};

}  // namespace

Attempts sockets() { return all; }
Attempts services() { return all_services; }

}  // namespace attack
