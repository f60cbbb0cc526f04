// try_connect unix PATH | abstract NAME | tcp ADDRESS PORT | udp ADDRESS PORT | vsock CID PORT: connects and sends a
// byte. Gives up after three seconds.
#include <arpa/inet.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "report.h"

namespace {

int connect_to(int family, int type, const void* address, size_t length) {
  const int fd = ::socket(family, type | SOCK_CLOEXEC, 0);
  report("socket", fd);
  if (fd < 0) return 1;
  const timeval patience{3, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const int connected = ::connect(fd, static_cast<const sockaddr*>(address), static_cast<socklen_t>(length));
  report("connect", connected);
  if (connected != 0) return 1;
  report("send", ::send(fd, "x", 1, MSG_NOSIGNAL));
  return 0;
}

int connect_unix(const std::string& name, bool abstract) {
  sockaddr_un address{AF_UNIX, {}};
  if (name.size() + 2 > sizeof address.sun_path) return 2;
  std::memcpy(address.sun_path + (abstract ? 1 : 0), name.data(), name.size());
  return connect_to(AF_UNIX, SOCK_STREAM, &address, offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

int connect_internet(int type, const char* host, uint16_t port) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, host, &six.sin6_addr) == 1) return connect_to(AF_INET6, type, &six, sizeof six);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (::inet_pton(AF_INET, host, &four.sin_addr) != 1) return 2;
  return connect_to(AF_INET, type, &four, sizeof four);
}

int connect_vsock(unsigned cid, unsigned port) {
  sockaddr_vm address{};
  address.svm_family = AF_VSOCK;
  address.svm_cid = cid;
  address.svm_port = port;
  return connect_to(AF_VSOCK, SOCK_STREAM, &address, sizeof address);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind == "unix" && argc == 3) return connect_unix(argv[2], false);
  if (kind == "abstract" && argc == 3) return connect_unix(argv[2], true);
  if (argc == 4) {
    const auto port = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
    if (kind == "tcp") return connect_internet(SOCK_STREAM, argv[2], static_cast<uint16_t>(port));
    if (kind == "udp") return connect_internet(SOCK_DGRAM, argv[2], static_cast<uint16_t>(port));
    if (kind == "vsock") return connect_vsock(static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)), port);
  }
  std::fprintf(stderr, "usage: try_connect unix PATH | abstract NAME | tcp|udp ADDRESS PORT | vsock CID PORT\n");
  return 2;
}
