#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "json/json.h"

namespace talaria {

// The codes of JSON-RPC 2.0, and one of our own for an operation that was understood and failed.
enum class RpcCode {
  parse = -32700,
  invalid_request = -32600,
  unknown_method = -32601,
  invalid_params = -32602,
  failed = -32000,
};

struct RpcError {
  int code = static_cast<int>(RpcCode::failed);
  std::string message;
  std::string kind;  // error.data.code: "not_found", …; may be empty
  bool operator==(const RpcError&) const = default;
};
RpcError rpc_error(RpcCode code, const Error& error);
// For a client: the failure as everyone else here says it.
Error to_error(const RpcError& error);

struct RpcRequest {
  Json id;  // a number or a string
  std::string method;
  JsonObject params;
  bool operator==(const RpcRequest&) const = default;
};

// A request that wants no answer.
struct RpcNotification {
  std::string method;
  JsonObject params;
  bool operator==(const RpcNotification&) const = default;
};

struct RpcResponse {
  Json id;
  std::variant<Json, RpcError> outcome;
  bool operator==(const RpcResponse&) const = default;
};

// A line that is no message, and the error to answer it with.
struct RpcProblem {
  Json id;  // the request's where it could be read, else null
  RpcError error;
  bool operator==(const RpcProblem&) const = default;
};

using RpcMessage = std::variant<RpcRequest, RpcNotification, RpcResponse, RpcProblem>;
RpcMessage parse_message(std::string_view line);

// One line each, with its newline.
std::string write_request(const Json& id, std::string_view method, JsonObject params);
std::string write_notification(std::string_view method, JsonObject params);
std::string write_result(const Json& id, Json result);
std::string write_error(const Json& id, const RpcError& error);

}  // namespace talaria
