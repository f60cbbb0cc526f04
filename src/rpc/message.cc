#include "rpc/message.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"

namespace talaria {
namespace {

RpcProblem problem(Json id, RpcCode code, std::string message) {
  return {std::move(id), rpc_error(code, invalid(std::move(message)))};
}

bool usable_id(const Json& id) { return id.is_string() || id.is_int64() || id.is_uint64() || id.is_double(); }

RpcMessage parse_response(JsonObject& object, Json id) {
  Json* result = object.if_contains("result");
  const Json* error = object.if_contains("error");
  if ((result != nullptr) == (error != nullptr)) {
    return problem(std::move(id), RpcCode::invalid_request, "a message has a \"method\", a \"result\" or an \"error\"");
  }
  if (result) return RpcResponse{std::move(id), std::move(*result)};
  if (!error->is_object()) {
    return problem(std::move(id), RpcCode::invalid_request,
                   "\"error\" must be an object, got " + std::string(kind_name(*error)));
  }
  const JsonObject& fields = error->get_object();
  RpcError failure{static_cast<int>(integer_or(fields, "code", static_cast<int>(RpcCode::failed))),
                   text_or(fields, "message", "the peer gave no message"), ""};
  if (const JsonObject* data = object_or_null(fields, "data")) failure.kind = text_or(*data, "code");
  return RpcResponse{std::move(id), std::move(failure)};
}

RpcMessage parse_object(JsonObject& object) {
  Json* id_field = object.if_contains("id");
  const bool has_id = id_field != nullptr;
  Json id = has_id && usable_id(*id_field) ? *id_field : Json();
  if (text_or(object, "jsonrpc") != "2.0") {
    return problem(std::move(id), RpcCode::invalid_request, "every message needs \"jsonrpc\": \"2.0\"");
  }
  const Json* method = object.if_contains("method");
  if (!method) return parse_response(object, std::move(id));
  if (!method->is_string()) {
    return problem(std::move(id), RpcCode::invalid_request,
                   "\"method\" must be a string, got " + std::string(kind_name(*method)));
  }
  if (has_id && !usable_id(*id_field)) {
    return problem(Json(), RpcCode::invalid_request,
                   "\"id\" must be a number or a string, got " + std::string(kind_name(*id_field)));
  }
  Json* params = object.if_contains("params");
  if (params && !params->is_object()) {
    return problem(std::move(id), RpcCode::invalid_params,
                   "\"params\" must be an object, got " + std::string(kind_name(*params)));
  }
  JsonObject arguments = params ? std::move(params->get_object()) : JsonObject();
  std::string name(method->get_string());
  if (!has_id) return RpcNotification{std::move(name), std::move(arguments)};
  return RpcRequest{std::move(id), std::move(name), std::move(arguments)};
}

// The number of the escape \uXXXX that `text` begins with.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return std::nullopt;
  unsigned unit = 0;
  for (const char digit : text.substr(2, 4)) {
    const size_t value = std::string_view("0123456789abcdef").find(static_cast<char>(digit | ('A' ^ 'a')));
    if (value == std::string_view::npos) return std::nullopt;
    unit = unit * 16 + static_cast<unsigned>(value);
  }
  return unit;
}

bool is_half(std::optional<unsigned> unit, unsigned first) { return unit && *unit >= first && *unit < first + 0x400; }

// The line with something harmless in the place of each half of a surrogate pair, and the first half as it was written.
struct Mended {
  std::string line;
  std::string first;
};
std::optional<Mended> mend_surrogates(std::string_view line) {
  Mended mended{std::string(line), ""};
  for (size_t at = 0; (at = line.find('\\', at)) != std::string_view::npos;) {
    const std::optional<unsigned> unit = escaped_unit(line.substr(at));
    const bool high = is_half(unit, 0xD800);
    if (high && is_half(escaped_unit(line.substr(at + 6)), 0xDC00)) {
      at += 12;
    } else if (high || is_half(unit, 0xDC00)) {
      if (mended.first.empty()) mended.first = line.substr(at, 6);
      mended.line.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at = std::min(at + 2, line.size());  // of two backslashes the second begins nothing
    }
  }
  if (mended.first.empty()) return std::nullopt;
  return mended;
}

// `line` with U+FFFD for what is no UTF-8.
std::string with_replacements(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const size_t good = utf8_prefix(line);
    text += line.substr(0, good);
    line.remove_prefix(good);
    if (line.empty()) break;
    text += "\xef\xbf\xbd";
    line.remove_prefix(decode_utf8(line).length);
  }
  return text;
}

// What is wrong, to the one who asked: his number is in `mended`, which is the line without the fault.
RpcProblem unreadable_but_for(const std::string& mended, const std::string& fault, const Error& otherwise) {
  const Result<JsonObject> object = parse_json_object(mended);
  if (!object) return problem(Json(), RpcCode::parse, otherwise.message());
  const Json* id = object->if_contains("id");
  return problem(id && usable_id(*id) ? *id : Json(), RpcCode::parse, fault);
}

// Some write half of a pair where a name or a text was cut, or bytes that are no UTF-8: no parser takes that, but who
// asked is to hear of it.
RpcProblem unreadable(std::string_view line, const Error& why) {
  if (const size_t good = utf8_prefix(line); good < line.size()) {
    const std::string fault = "not valid UTF-8 at byte " + std::to_string(good + 1) +
                              " of the message: JSON is text; send names and data that are other bytes in base64 where "
                              "the method takes that, and not at all elsewhere";
    return unreadable_but_for(with_replacements(line), fault, invalid(fault));
  }
  const std::optional<Mended> mended = mend_surrogates(line);
  if (!mended) return problem(Json(), RpcCode::parse, why.message());
  return unreadable_but_for(mended->line, "not valid JSON: \"" + mended->first + "\" is half of a surrogate pair", why);
}

std::string write_line(JsonObject object) { return write_json(std::move(object)) + "\n"; }

}  // namespace

RpcError rpc_error(RpcCode code, const Error& error) {
  return {static_cast<int>(code), error.message(), std::string(code_name(error.code()))};
}

Error to_error(const RpcError& error) {
  for (const ErrorCode code :
       {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::denied, ErrorCode::conflict, ErrorCode::timed_out,
        ErrorCode::cancelled, ErrorCode::unavailable}) {
    if (error.kind == code_name(code)) return {code, error.message};
  }
  return {ErrorCode::system, error.message};
}

RpcMessage parse_message(std::string_view line) {
  Result<Json> value = parse_json(line);
  if (!value) return unreadable(line, value.error());
  if (value->is_array()) {
    return problem(Json(), RpcCode::invalid_request,
                   "batches are not supported: send each request on a line of its own, several may be open at once");
  }
  if (!value->is_object()) {
    return problem(Json(), RpcCode::invalid_request, "a message is an object, got " + std::string(kind_name(*value)));
  }
  return parse_object(value->get_object());
}

std::string write_request(const Json& id, std::string_view method, JsonObject params) {
  return write_line({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

std::string write_notification(std::string_view method, JsonObject params) {
  return write_line({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::string write_result(const Json& id, Json result) {
  return write_line({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string write_error(const Json& id, const RpcError& error) {
  JsonObject fields{{"code", error.code}, {"message", error.message}};
  if (!error.kind.empty()) fields["data"] = JsonObject{{"code", error.kind}};
  return write_line({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(fields)}});
}

}  // namespace talaria
