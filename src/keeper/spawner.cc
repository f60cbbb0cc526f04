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
#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

// What the spawner is asked for: a header, then `length` bytes, fds with the first of them.
struct Request {
  enum Kind : uint32_t { command, space, probe, sources, guard };
  uint32_t kind;
  uint32_t length;
};

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

void refuse(const UniqueFd& control, SpaceStep step, int number) {
  const CommandReport failed{.kind = CommandReport::Kind::failed, .value = static_cast<int32_t>(step), .other = number};
  (void)!::send(control.get(), &failed, sizeof failed, MSG_NOSIGNAL);
}

void spawn_supervisor(std::string& bytes, std::vector<UniqueFd>& fds, UniqueFd& socket) {
  const pid_t pid = fork_beside();
  if (pid == 0) {
    socket.reset();
    const SpawnView order = view_of(bytes);
    if (fds.size() != 3 + order.numbers.size()) {
      refuse(fds[0], SpaceStep::streams, EINVAL);
      ::_exit(1);
    }
    JobStreams streams{std::move(fds[1]), std::move(fds[2])};
    for (size_t i = 0; i < order.numbers.size(); ++i) {
      streams.fds.push_back({order.numbers[i], std::move(fds[3 + i])});
    }
    supervise(order, std::move(fds[0]), std::move(streams));
  }
  if (pid < 0) refuse(fds[0], SpaceStep::clone, errno);
}

void answer(int socket, std::string_view text) { (void)!::send(socket, text.data(), text.size(), MSG_NOSIGNAL); }

Result<> make_space_now(std::string_view plan_text, UniqueFd socket) {
  const SpacePlan plan = TRY(space_plan_from_json(TRY(parse_json_object(plan_text))));
  TRY(start_holder(plan, std::move(socket), SpaceParent::callers_parent));
  return ok;
}

// Runs `work` in a process of its own: it opens what may hang (a dead network mount), and its memory is gone with it.
template <class Work>
void apart(UniqueFd& socket, const UniqueFd& reply, Work work) {
  const pid_t pid = fork_beside();
  if (pid == 0) {
    socket.reset();
    work();
    ::_exit(0);
  }
  if (pid < 0) answer(reply.get(), refusing_answer(Error::from_errno("fork")));
}

void make_space(std::string_view plan, UniqueFd reply, UniqueFd& socket) {
  apart(socket, reply, [&] {
    UniqueFd holders(::fcntl(reply.get(), F_DUPFD_CLOEXEC, 4));
    const Result<> made = make_space_now(plan, std::move(holders));
    if (!made) answer(reply.get(), refusing_answer(made.error()));
  });
}

void probe_now(std::string_view question_text, const UniqueFd& reply) {
  Result<JsonObject> object = parse_json_object(question_text);
  Result<ProbeQuestion> question = object ? probe_question_from(*object) : Result<ProbeQuestion>(object.error());
  if (!question) return answer(reply.get(), refusing_answer(question.error()));
  (void)write_all(reply.get(), write_json(to_json(probe_machine(*question))));
}

void open_sources_now(std::string_view order_bytes, const UniqueFd& reply) {
  const Result<SourcesOrder> order = decode_sources_order(order_bytes);
  if (order) open_shown_sources(*order, reply.get());
}

void guard_now(std::string_view order_text, UniqueFd socket) {
  const Result<JsonObject> order = parse_json_object(order_text);
  if (order) serve_guard(guard_order_from_json(*order), std::move(socket));
}

[[noreturn]] void serve(UniqueFd socket) {
  ::prctl(PR_SET_NAME, "talaria-spawner");
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);  // it ends when the keeper does
  std::string bytes;
  while (true) {
    Request request;
    std::vector<UniqueFd> fds;
    if (!receive_exactly(socket.get(), reinterpret_cast<char*>(&request), sizeof request, fds)) ::_exit(0);
    bytes.resize(request.length);
    if (!receive_exactly(socket.get(), bytes.data(), bytes.size(), fds)) ::_exit(0);
    if (request.kind == Request::command && fds.size() >= 3) spawn_supervisor(bytes, fds, socket);
    if (request.kind == Request::space && fds.size() == 1) make_space(bytes, std::move(fds[0]), socket);
    if (request.kind == Request::probe && fds.size() == 1) {
      apart(socket, fds[0], [&] { probe_now(bytes, fds[0]); });
    }
    if (request.kind == Request::sources && fds.size() == 1) {
      apart(socket, fds[0], [&] { open_sources_now(bytes, fds[0]); });
    }
    if (request.kind == Request::guard && fds.size() == 1) {
      apart(socket, fds[0], [&] { guard_now(bytes, std::move(fds[0])); });
    }
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

Result<> Spawner::send(uint32_t kind, std::string_view body, std::vector<int> fds) {
  const Request request{kind, static_cast<uint32_t>(body.size())};
  std::string message(reinterpret_cast<const char*>(&request), sizeof request);
  message += body;
  std::string_view rest = message;
  while (!rest.empty()) {
    Result<size_t> sent = send_some(socket_.get(), rest, fds);
    if (!sent) return std::move(sent).error().within("hand an order to the spawner");
    rest.remove_prefix(*sent);
    if (*sent > 0) fds.clear();
  }
  return ok;
}

Result<> Spawner::launch(const std::string&, const SpawnOrder& order, UniqueFd control, JobStreams streams) {
  SpawnOrder whole = order;
  whole.numbers = numbers_of(streams.fds);
  std::vector<int> fds = {control.get(), streams.input.get(), streams.output.get()};
  for (const NumberedFd& one : streams.fds) fds.push_back(one.fd.get());
  return send(Request::command, encode(whole), std::move(fds));
}

Result<> Spawner::make_space(const SpacePlan& plan, UniqueFd socket) {
  return send(Request::space, write_json(to_json(plan)), {socket.get()});
}

Result<> Spawner::open_sources(const SourcesOrder& order, UniqueFd answer) {
  return send(Request::sources, encode(order), {answer.get()});
}

Result<> Spawner::guard(const GuardOrder& order, UniqueFd socket) {
  return send(Request::guard, write_json(to_json(order)), {socket.get()});
}

Result<> Spawner::probe(const ProbeQuestion& question, UniqueFd answer) {
  return send(Request::probe, write_json(to_json(question)), {answer.get()});
}

}  // namespace talaria
