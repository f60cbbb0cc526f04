#include "rpc/server.h"

#include <poll.h>
#include <unistd.h>

namespace talaria {
namespace {
constexpr size_t read_size = 64 << 10;
// Whoever connects and goes in a loop leaves time for the others.
constexpr int accepts_a_turn = 16;
}  // namespace

void RpcConnection::reply(const Json& id, Json result) {
  std::string line = write_result(id, std::move(result));
  if (line.size() > longest_line) {
    return fail(id,
                {static_cast<int>(RpcCode::failed),
                 "the answer is longer than a message may be (16 MiB): ask for less at a time", "invalid_argument"});
  }
  send(std::move(line));
}

void RpcConnection::fail(const Json& id, const RpcError& error) { send(write_error(id, error)); }

void RpcConnection::notify(std::string_view method, JsonObject params) {
  send(write_notification(method, std::move(params)));
}

void RpcConnection::listen() {
  Result<Loop::Watch> watch = server_.loop_.on_readable(fd_.get(), [this] { receive(); });
  if (watch) readable_ = *std::move(watch);
  else lose(watch.error());
}

void RpcConnection::receive() {
  char buffer[read_size];
  Result<Received> received = receive_some(fd_.get(), buffer, sizeof buffer);
  if (!received || received->closed) return break_off();
  lines_.append({buffer, received->count});
  while (!broken_) {
    const auto line = lines_.next();
    if (!line) break;
    if (line->too_long) {
      fail(Json(), {static_cast<int>(RpcCode::parse), "a message may be at most 16 MiB long", "invalid_argument"});
    } else if (!line->text.empty()) {
      take(line->text);
    }
  }
  // Who does not read the answers gets no more questions in: memory stays bounded and the kernel slows the peer down.
  if (crowded() && !broken_) readable_ = {};
}

void RpcConnection::take(std::string_view line) {
  RpcMessage message = parse_message(line);
  if (auto* request = std::get_if<RpcRequest>(&message)) return handler_->handle(std::move(*request));
  if (auto* problem = std::get_if<RpcProblem>(&message)) return fail(problem->id, problem->error);
  // We send no requests and know no notifications: both are ignored, as the protocol wants.
}

void RpcConnection::send(std::string line) {
  if (broken_) return;
  if (sent_ == queue_.size()) {
    queue_ = std::move(line);
    sent_ = 0;
  } else {
    queue_ += line;
  }
  if (!writable_) flush();
  if (crowded()) tell_drained_ = true;
  if (queued() > most_queued) {
    server_.report_("drop client pid " + std::to_string(peer_.pid) + ": it does not read its answers");
    break_off();
  }
}

void RpcConnection::flush() {
  while (sent_ < queue_.size()) {
    Result<size_t> count = send_some(fd_.get(), std::string_view(queue_).substr(sent_));
    if (!count) return break_off();
    if (*count == 0) break;
    sent_ += *count;
  }
  if (sent_ == queue_.size()) {
    queue_.clear();
    sent_ = 0;
    writable_ = {};
  } else {
    if (sent_ > high_water) {
      queue_.erase(0, sent_);
      sent_ = 0;
    }
    wait_until_writable();
  }
  if (!tell_drained_ || queued() > low_water) return;
  tell_drained_ = false;
  if (!readable_) listen();
  handler_->drained();
}

void RpcConnection::wait_until_writable() {
  if (writable_) return;
  Result<Loop::Watch> watch = server_.loop_.on_writable(fd_.get(), [this] { flush(); });
  if (watch) writable_ = *std::move(watch);
  else lose(watch.error());
}

void RpcConnection::lose(const Error& why) {
  server_.report_("drop client pid " + std::to_string(peer_.pid) + ": " + why.message());
  break_off();
}

// The connection may be anywhere on the stack now, so it goes later.
void RpcConnection::break_off() {
  broken_ = true;
  readable_ = {};
  writable_ = {};
  server_.sweep_soon();
}

RpcServer::RpcServer(Loop& loop, UniqueFd listener, MakeHandler make_handler, Report report, Admit admit)
    : loop_(loop),
      listener_(std::move(listener)),
      make_handler_(std::move(make_handler)),
      report_(std::move(report)),
      may_come_(std::move(admit)) {
  listen();
}

void RpcServer::listen() {
  Result<Loop::Watch> watch = loop_.on_readable(listener_.get(), [this] { accept_waiting(); });
  if (watch) acceptable_ = *std::move(watch);
  else listen_later(watch.error());
}

void RpcServer::listen_on(UniqueFd listener) {
  accept_waiting();
  acceptable_ = {};
  retry_ = {};
  listener_ = std::move(listener);
  listen();
}

void RpcServer::accept_waiting() {
  for (int i = 0; i < accepts_a_turn; ++i) {
    Result<UniqueFd> fd = accept_unix(listener_.get());
    if (!fd) {
      // Out of descriptors, most likely. The connection stays in the queue and would wake us at once, for ever.
      return listen_later(fd.error());
    }
    if (!*fd) return;
    admit(std::move(*fd));
  }
}

void RpcServer::listen_later(const Error& why) {
  report_seldom("accept a connection: " + why.message());
  acceptable_ = {};
  retry_ = loop_.after(100ms, [this] { listen(); });
}

void RpcServer::admit(UniqueFd fd) {
  Result<Peer> peer = peer_of(fd.get());
  if (!peer || (peer->uid != ::geteuid() && peer->uid != 0)) {
    report_("refuse a client: " + (peer ? "uid " + std::to_string(peer->uid) : peer.error().message()));
    return;
  }
  Result<> may = may_come_(*peer, connections_.size());
  if (!may && forget_those_who_left() > 0) may = may_come_(*peer, connections_.size());
  if (!may) return refuse(fd.get(), *peer, may.error());
  connections_.push_back(std::unique_ptr<RpcConnection>(new RpcConnection(*this, std::move(fd), *peer)));
  RpcConnection& connection = *connections_.back();
  connection.handler_ = make_handler_(connection);
  connection.listen();
}

// Some may have closed their end a moment ago, which we would hear in this turn of the loop or the next.
size_t RpcServer::forget_those_who_left() {
  const size_t before = connections_.size();
  connections_.remove_if([](const auto& connection) {
    pollfd entry{connection->fd_.get(), 0, 0};
    return connection->broken_ || (::poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP));
  });
  return before - connections_.size();
}

void RpcServer::refuse(int fd, const Peer& peer, const Error& why) {
  (void)send_some(fd, write_error(Json(), rpc_error(RpcCode::failed, why)));
  report_seldom("refuse a client, pid " + std::to_string(peer.pid) + ": " + why.message());
}

// What may happen many times a second.
void RpcServer::report_seldom(const std::string& line) {
  if (Clock::now() < next_report_) return;
  next_report_ = Clock::now() + 1s;
  report_(line);
}

void RpcServer::sweep_soon() {
  sweep_ = loop_.after(0s, [this] { connections_.remove_if([](const auto& c) { return c->broken_; }); });
}

}  // namespace talaria
