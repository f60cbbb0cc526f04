#include "rpc/client.h"

#include <poll.h>
#include <unistd.h>

#include "os/socket.h"

namespace talaria {

Error RpcClient::lost(const std::string& why) {
  closed_ = true;
  return {ErrorCode::unavailable, "the gateway closed the connection" + why};
}

Result<RpcClient> RpcClient::connect(const std::string& socket) {
  UniqueFd fd = TRY(connect_unix(socket));
  const Peer gateway = TRY(peer_of(fd.get()));
  if (gateway.uid != ::geteuid()) {
    return Error(ErrorCode::denied, "the gateway at " + socket + " runs as user " + std::to_string(gateway.uid) +
                                        ", and you are user " + std::to_string(::geteuid()) +
                                        ". Run as that user, or set TALARIA_HOME to a directory of your own");
  }
  TRY(set_nonblocking(fd.get()));
  return RpcClient(std::move(fd));
}

Result<int64_t> RpcClient::send(std::string_view method, JsonObject params) {
  sent_ = false;
  if (const auto broken = find_broken_text(params)) {
    return invalid("cannot send " + *broken +
                   " to the gateway: it is not valid UTF-8, and the protocol carries text only");
  }
  const std::string line = write_request(++last_id_, method, std::move(params));
  if (line.size() > longest_line) return invalid("the request is longer than a message may be (16 MiB)");
  std::string_view rest = line;
  while (!rest.empty()) {
    Result<size_t> count = send_some(fd_.get(), rest);
    if (!count) {
      TRY(receive());  // it may have said why it closed the connection
      return lost(": " + count.error().message());
    }
    rest.remove_prefix(*count);
    // The gateway may be waiting for us to read: do that while it does not take what we write.
    if (*count == 0) {
      TRY(wait_for(POLLIN | POLLOUT));
      TRY(receive());
    }
  }
  sent_ = true;
  return last_id_;
}

Result<> RpcClient::wait_for(short events) {
  pollfd entry{fd_.get(), events, 0};
  while (::poll(&entry, 1, -1) < 0) {
    if (errno != EINTR) return Error::from_errno("poll");
  }
  return ok;
}

Result<> RpcClient::receive() {
  char buffer[64 << 10];
  Result<Received> received = receive_some(fd_.get(), buffer, sizeof buffer);
  if (!received) return lost(": " + received.error().message());
  if (received->closed) return lost("");
  lines_.append({buffer, received->count});
  return keep_lines();
}

Result<> RpcClient::keep_lines() {
  while (const auto line = lines_.next()) {
    if (line->too_long) return Error(ErrorCode::unavailable, "the gateway sent a message of more than 16 MiB");
    RpcMessage message = parse_message(line->text);
    if (const auto* problem = std::get_if<RpcProblem>(&message)) {
      return Error(ErrorCode::unavailable, "the gateway sent what is no message: " + problem->error.message);
    }
    // An answer to nothing in particular: it could not read what we sent, so no other answer will come.
    const auto* response = std::get_if<RpcResponse>(&message);
    if (response && response->id.is_null() && std::holds_alternative<RpcError>(response->outcome)) {
      Error refused = to_error(std::get<RpcError>(response->outcome));
      if (refused.code() != ErrorCode::invalid_argument) return refused;  // it takes no more clients
      return std::move(refused).within("the gateway did not understand the request");
    }
    kept_.push_back(std::move(message));
  }
  return ok;
}

std::optional<RpcMessage> RpcClient::next() {
  if (kept_.empty()) return std::nullopt;
  RpcMessage message = std::move(kept_.front());
  kept_.pop_front();
  return message;
}

Result<RpcMessage> RpcClient::wait() {
  while (kept_.empty()) {
    TRY(wait_for(POLLIN));
    TRY(receive());
  }
  return std::move(*next());
}

Result<Json> RpcClient::call(std::string_view method, JsonObject params) {
  const Json id = TRY(send(method, std::move(params)));
  return await_answer(id, [this] { return wait_for(POLLIN); });
}

Result<Json> RpcClient::await_answer(const Json& id, const Wait& wait) {
  for (size_t seen = 0;;) {
    for (; seen < kept_.size(); ++seen) {
      auto* response = std::get_if<RpcResponse>(&kept_[seen]);
      if (!response || response->id != id) continue;
      std::variant<Json, RpcError> outcome = std::move(response->outcome);
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(seen));
      if (const auto* error = std::get_if<RpcError>(&outcome)) return to_error(*error);
      return std::get<Json>(std::move(outcome));
    }
    TRY(wait());
    TRY(receive());
  }
}

Result<JsonObject> RpcClient::call_object(std::string_view method, JsonObject params) {
  return call_object(method, std::move(params), [this] { return wait_for(POLLIN); });
}

Result<JsonObject> RpcClient::call_object(std::string_view method, JsonObject params, const Wait& wait) {
  const Json id = TRY(send(method, std::move(params)));
  Json result = TRY(await_answer(id, wait));
  if (!result.is_object()) {
    return Error(ErrorCode::unavailable, "the gateway answered " + std::string(method) + " with " +
                                             std::string(kind_name(result)) + " where an object was due");
  }
  return std::move(result.get_object());
}

}  // namespace talaria
