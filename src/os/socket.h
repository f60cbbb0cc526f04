#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// Who is at the other end of a unix socket, as the kernel says.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  bool operator==(const Peer&) const = default;
};

// A listening stream socket, mode 0600, replacing a stale file of that name. The path must fit sockaddr_un.
Result<UniqueFd> listen_unix(const std::string& path);
// A connected stream socket, close-on-exec, blocking.
Result<UniqueFd> connect_unix(const std::string& path);
// The next waiting connection (non-blocking, close-on-exec), or an invalid fd when there is none.
Result<UniqueFd> accept_unix(int listener);
Result<Peer> peer_of(int fd);

Result<std::pair<UniqueFd, UniqueFd>> socket_pair(int type);
Result<std::pair<UniqueFd, UniqueFd>> make_pipe();  // {read end, write end}
Result<> set_nonblocking(int fd);

// One sendmsg(2) of the front of `data` with `fds` attached; how many bytes went, 0 when it would block.
Result<size_t> send_some(int fd, std::string_view data, const std::vector<int>& fds = {});

// One recvmsg(2).
struct Received {
  size_t count = 0;  // 0 with `closed` false means it would block
  bool closed = false;
  std::vector<UniqueFd> fds;
};
Result<Received> receive_some(int fd, char* buffer, size_t length);

}  // namespace talaria
