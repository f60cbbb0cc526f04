#include "rpc/server.h"

#include <unistd.h>

namespace talaria {
namespace {
constexpr size_t read_size = 64 << 10;
}

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
  readable_ = server_.loop_.on_readable(fd_.get(), [this] { receive(); });
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
    if (!writable_) writable_ = server_.loop_.on_writable(fd_.get(), [this] { flush(); });
  }
  if (!tell_drained_ || queued() > low_water) return;
  tell_drained_ = false;
  if (!readable_) listen();
  handler_->drained();
}

// The connection may be anywhere on the stack now, so it goes later.
void RpcConnection::break_off() {
  broken_ = true;
  readable_ = {};
  writable_ = {};
  server_.sweep_soon();
}

RpcServer::RpcServer(Loop& loop, UniqueFd listener, MakeHandler make_handler, Report report)
    : loop_(loop), listener_(std::move(listener)), make_handler_(std::move(make_handler)), report_(std::move(report)) {
  listen();
}

void RpcServer::listen() {
  acceptable_ = loop_.on_readable(listener_.get(), [this] { accept_waiting(); });
}

void RpcServer::accept_waiting() {
  while (true) {
    Result<UniqueFd> fd = accept_unix(listener_.get());
    if (!fd) {
      // Out of descriptors, most likely. The connection stays in the queue and would wake us at once, for ever.
      report_("accept a connection: " + fd.error().message());
      acceptable_ = {};
      retry_ = loop_.after(100ms, [this] { listen(); });
      return;
    }
    if (!*fd) return;
    admit(std::move(*fd));
  }
}

void RpcServer::admit(UniqueFd fd) {
  Result<Peer> peer = peer_of(fd.get());
  if (!peer || (peer->uid != ::geteuid() && peer->uid != 0)) {
    report_("refuse a client: " + (peer ? "uid " + std::to_string(peer->uid) : peer.error().message()));
    return;
  }
  connections_.push_back(std::unique_ptr<RpcConnection>(new RpcConnection(*this, std::move(fd), *peer)));
  RpcConnection& connection = *connections_.back();
  connection.handler_ = make_handler_(connection);
  connection.listen();
}

void RpcServer::sweep_soon() {
  sweep_ = loop_.after(0s, [this] { connections_.remove_if([](const auto& c) { return c->broken_; }); });
}

}  // namespace talaria
