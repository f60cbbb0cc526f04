#pragma once
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "loop/loop.h"
#include "os/socket.h"
#include "rpc/line_reader.h"
#include "rpc/message.h"

namespace talaria {

class RpcConnection;

// What a door makes of one connection. Made when the peer connects and destroyed when it goes, and with it everything
// that was under way for that peer.
class RpcHandler {
 public:
  virtual ~RpcHandler() = default;
  virtual void handle(RpcRequest request) = 0;
  // The peer read again what had piled up for it (see RpcConnection::crowded).
  virtual void drained() {}
};

// The server's end of one connection. Sending never blocks and never destroys anything: what the peer does not take
// is queued, and a peer that lets the queue grow beyond all measure is dropped a moment later.
class RpcConnection {
 public:
  RpcConnection(const RpcConnection&) = delete;
  RpcConnection& operator=(const RpcConnection&) = delete;

  const Peer& peer() const { return peer_; }
  void reply(const Json& id, Json result);
  void fail(const Json& id, const RpcError& error);
  void notify(std::string_view method, JsonObject params);

  // More than 1 MiB waits for the peer: whoever can should pause until `drained`.
  bool crowded() const { return queued() > high_water; }
  size_t queued() const { return queue_.size() - sent_; }

 private:
  friend class RpcServer;
  static constexpr size_t high_water = 1 << 20;
  static constexpr size_t low_water = 256 << 10;
  static constexpr size_t most_queued = 64 << 20;

  RpcConnection(class RpcServer& server, UniqueFd fd, Peer peer) : server_(server), fd_(std::move(fd)), peer_(peer) {}
  void listen();
  void receive();
  void take(std::string_view line);
  void send(std::string line);
  void flush();
  void wait_until_writable();
  void lose(const Error& why);
  void break_off();

  RpcServer& server_;
  UniqueFd fd_;
  Peer peer_;
  LineReader lines_;
  std::string queue_;  // bytes [sent_, end) still have to go
  size_t sent_ = 0;
  bool broken_ = false;
  bool tell_drained_ = false;
  std::unique_ptr<RpcHandler> handler_;
  Loop::Watch readable_;
  Loop::Watch writable_;
};

// Accepts connections of this user (and root) on a unix socket and hands each to a handler of its own.
class RpcServer {
 public:
  using MakeHandler = std::function<std::unique_ptr<RpcHandler>(RpcConnection&)>;
  using Report = std::function<void(const std::string&)>;  // a line for the log

  // Whether one more may come beside so many; who may not is told why, and the connection ends.
  using Admit = std::function<Result<>(const Peer& peer, size_t connected)>;

  RpcServer(
      Loop& loop, UniqueFd listener, MakeHandler make_handler, Report report,
      Admit admit = [](const Peer&, size_t) -> Result<> { return ok; });
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  size_t connections() const { return connections_.size(); }
  // Accepts from another listening socket from now on; those who wait at the old one are admitted first.
  void listen_on(UniqueFd listener);

 private:
  friend class RpcConnection;
  void listen();
  void listen_later(const Error& why);
  void accept_waiting();
  void admit(UniqueFd fd);
  size_t forget_those_who_left();
  void refuse(int fd, const Peer& peer, const Error& why);
  void report_seldom(const std::string& line);
  void sweep_soon();

  Loop& loop_;
  UniqueFd listener_;
  MakeHandler make_handler_;
  Report report_;
  Admit may_come_;
  Clock::time_point next_report_{};
  std::list<std::unique_ptr<RpcConnection>> connections_;
  Loop::Watch acceptable_;
  Loop::Timer retry_;
  Loop::Timer sweep_;
};

}  // namespace talaria
