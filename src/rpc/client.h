#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "os/fd.h"
#include "rpc/line_reader.h"
#include "rpc/message.h"

namespace talaria {

// A blocking client for programs without a loop. Everything that arrives while it waits for something else is kept
// for `next`, so answers and notifications may come in any order. A lost connection is ErrorCode::unavailable.
class RpcClient {
 public:
  static Result<RpcClient> connect(const std::string& socket);
  explicit RpcClient(UniqueFd fd) : fd_(std::move(fd)) {}

  // For poll(2): when readable, call receive.
  int fd() const { return fd_.get(); }
  // Asks without waiting; gives the id under which the answer will come.
  Result<int64_t> send(std::string_view method, JsonObject params);
  // Reads what is there, without waiting.
  Result<> receive();
  // The next message that was read: a response or a notification.
  std::optional<RpcMessage> next();

  // The connection is lost: nothing more will come.
  bool closed() const { return closed_; }
  // The last request went out whole, so that the gateway may have read it.
  bool sent() const { return sent_; }

  // Asks and waits for the answer.
  Result<Json> call(std::string_view method, JsonObject params);
  Result<JsonObject> call_object(std::string_view method, JsonObject params);
  // The same for one who has more to wait for: `wait` returns when there may be something to read, or an error that
  // ends the call.
  using Wait = std::function<Result<>()>;
  Result<JsonObject> call_object(std::string_view method, JsonObject params, const Wait& wait);
  // Waits for the next message.
  Result<RpcMessage> wait();

 private:
  Result<Json> await_answer(const Json& id, const Wait& wait);
  Result<> wait_for(short events);
  Result<> keep_lines();
  Error lost(const std::string& why);

  UniqueFd fd_;
  int64_t last_id_ = 0;
  bool closed_ = false;
  bool sent_ = false;
  LineReader lines_;
  std::deque<RpcMessage> kept_;
};

}  // namespace talaria
