#include "keeper/spawner.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "keeper/supervisor.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr size_t fds_per_order = 3;

// Reads exactly `length` bytes; false at the end of the stream.
bool receive_exactly(int socket, char* buffer, size_t length, std::vector<UniqueFd>& fds) {
  while (length > 0) {
    Result<Received> received = receive_some(socket, buffer, length);
    if (!received || received->closed) return false;
    for (UniqueFd& fd : received->fds) fds.push_back(std::move(fd));
    buffer += received->count;
    length -= received->count;
  }
  return true;
}

pid_t fork_beside() {  // the child's parent is ours
  return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

void spawn_supervisor(std::string& bytes, std::vector<UniqueFd>& fds, UniqueFd& socket) {
  const pid_t pid = fork_beside();
  if (pid == 0) {
    socket.reset();
    UniqueFd control = std::move(fds[0]), input = std::move(fds[1]), output = std::move(fds[2]);
    supervise(view_of(bytes), std::move(control), std::move(input), std::move(output));
  }
  if (pid < 0) {
    const SupervisorReport failed{SupervisorReport::Kind::failed, static_cast<int32_t>(SetupStep::fork), errno};
    (void)!::send(fds[0].get(), &failed, sizeof failed, MSG_NOSIGNAL);
  }
}

[[noreturn]] void serve(UniqueFd socket) {
  ::prctl(PR_SET_NAME, "talaria-spawner");
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);  // it ends when the keeper does
  std::string bytes;
  while (true) {
    uint32_t length;
    std::vector<UniqueFd> fds;
    if (!receive_exactly(socket.get(), reinterpret_cast<char*>(&length), sizeof length, fds)) ::_exit(0);
    bytes.resize(length);
    if (!receive_exactly(socket.get(), bytes.data(), length, fds)) ::_exit(0);
    if (fds.size() == fds_per_order) spawn_supervisor(bytes, fds, socket);
  }
}

// 0, 1 and 2 on /dev/null, the socket on 3, nothing else open.
void keep_only(UniqueFd& socket) {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; fd < 3; ++fd) ::dup2(null.get(), fd);
  if (socket.get() != 3) {
    ::dup3(socket.get(), 3, O_CLOEXEC);
    (void)socket.release();
    socket = UniqueFd(3);
  }
  ::close_range(4, ~0U, 0);
}

}  // namespace

Result<Spawner> Spawner::start() {
  auto [mine, theirs] = TRY(socket_pair(SOCK_STREAM));
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno("fork the spawner");
  if (pid == 0) {
    (void)mine.release();
    keep_only(theirs);
    serve(std::move(theirs));
  }
  return Spawner(pid, std::move(mine));
}

Result<> Spawner::spawn(const SpawnOrder& order, UniqueFd control, UniqueFd input, UniqueFd output) {
  const std::string body = encode(order);
  const uint32_t length = static_cast<uint32_t>(body.size());
  std::string message(reinterpret_cast<const char*>(&length), sizeof length);
  message += body;
  std::vector<int> fds = {control.get(), input.get(), output.get()};
  std::string_view rest = message;
  while (!rest.empty()) {
    Result<size_t> sent = send_some(socket_.get(), rest, fds);
    if (!sent) return std::move(sent).error().within("hand the command to the spawner");
    rest.remove_prefix(*sent);
    fds.clear();
  }
  return ok;
}

}  // namespace talaria
