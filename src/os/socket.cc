#include "os/socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cstring>

namespace talaria {
namespace {

constexpr size_t most_fds = 32;

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return invalid("socket path " + path + " is " + std::to_string(path.size()) + " bytes long; Linux allows " +
                   std::to_string(sizeof address.sun_path - 1) +
                   ". Set TALARIA_HOME or XDG_RUNTIME_DIR to a shorter path");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<UniqueFd> new_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return Error::from_errno("socket");
  return fd;
}

}  // namespace

Result<UniqueFd> listen_unix(const std::string& path) {
  const sockaddr_un address = TRY(address_of(path));
  UniqueFd fd = TRY(new_socket());
  // A directory in its place is moved aside with what is in it: it may be somebody's.
  if (::unlink(path.c_str()) != 0 && errno == EISDIR) {
    const std::string aside = path + ".moved-aside";
    if (::rmdir(path.c_str()) != 0 && ::rename(path.c_str(), aside.c_str()) != 0) {
      return Error::from_errno("move aside the directory that is where the socket " + path + " belongs");
    }
  }
  // The file gets the mode of the socket. A umask would do the same, but it is the whole process's: what another thread
  // makes in this moment would be narrowed, too.
  if (::fchmod(fd.get(), 0600) != 0) return Error::from_errno("set the mode of a socket");
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Error::from_errno("bind " + path);
  }
  if (::listen(fd.get(), 512) != 0) return Error::from_errno("listen on " + path);
  TRY(set_nonblocking(fd.get()));
  return fd;
}

Result<UniqueFd> connect_unix(const std::string& path) {
  const sockaddr_un address = TRY(address_of(path));
  UniqueFd fd = TRY(new_socket());
  // Whoever listens may be stopped, with its queue full: then a connect would wait for ever.
  const timeval patience{10, 0}, none{0, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EAGAIN) return Error(ErrorCode::timed_out, "connect to " + path + ": nobody took the connection");
    if (errno != EINTR) return Error::from_errno("connect to " + path);
  }
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
  return fd;
}

Result<UniqueFd> accept_unix(int listener) {
  UniqueFd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) return Error::from_errno("accept");
  return fd;
}

Result<Peer> peer_of(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return Error::from_errno("SO_PEERCRED");
  return Peer{credentials.pid, credentials.uid, credentials.gid};
}

Result<std::pair<UniqueFd, UniqueFd>> socket_pair(int type) {
  int fds[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) != 0) return Error::from_errno("socketpair");
  return std::pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

Result<std::pair<UniqueFd, UniqueFd>> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return Error::from_errno("pipe");
  return std::pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

Result<> set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return Error::from_errno("set O_NONBLOCK");
  return ok;
}

Result<size_t> send_some(int fd, std::string_view data, const std::vector<int>& fds) {
  iovec part{const_cast<char*>(data.data()), data.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(most_fds * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    if (fds.size() > most_fds) return invalid("too many fds in one message");
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
  }
  while (true) {
    const ssize_t count = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno == EAGAIN) return static_cast<size_t>(0);
    if (errno != EINTR) return Error::from_errno("send");
  }
}

Result<Received> receive_some(int fd, char* buffer, size_t length) {
  iovec part{buffer, length};
  alignas(cmsghdr) char control[CMSG_SPACE(most_fds * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  Received received;
  ssize_t count;
  while ((count = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC)) < 0) {
    if (errno == EAGAIN) return received;
    // Of one that left with something unread. It is told once, and before the packets that it sent.
    if (errno != EINTR && errno != ECONNRESET) return Error::from_errno("receive");
  }
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t bytes = header->cmsg_len - CMSG_LEN(0);
    for (size_t i = 0; i + sizeof(int) <= bytes; i += sizeof(int)) {
      int passed;
      std::memcpy(&passed, CMSG_DATA(header) + i, sizeof passed);
      received.fds.emplace_back(passed);
    }
  }
  received.count = static_cast<size_t>(count);
  received.closed = count == 0;
  return received;
}

}  // namespace talaria
