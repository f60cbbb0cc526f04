#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
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

  // Asks and waits for the answer.
  Result<Json> call(std::string_view method, JsonObject params);
  Result<JsonObject> call_object(std::string_view method, JsonObject params);
  // Waits for the next message.
  Result<RpcMessage> wait();

 private:
  Result<> wait_for(short events);
  Result<> keep_lines();

  UniqueFd fd_;
  int64_t last_id_ = 0;
  LineReader lines_;
  std::deque<RpcMessage> kept_;
};

}  // namespace talaria
