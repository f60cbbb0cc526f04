// Whatever a peer sends, in whatever pieces: lines are cut the same way, and every line is answered or understood.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "rpc/base64.h"
#include "rpc/line_reader.h"
#include "rpc/message.h"

using namespace talaria;

namespace {

std::vector<std::string> cut(std::string_view stream, size_t piece) {
  LineReader reader(64);
  std::vector<std::string> lines;
  for (size_t i = 0; i < stream.size(); i += piece) {
    reader.append(stream.substr(i, piece));
    while (const auto line = reader.next()) lines.push_back(line->too_long ? "\n" : std::string(line->text));
  }
  return lines;
}

void check_line(std::string_view line) {
  const RpcMessage message = parse_message(line);
  if (const auto* request = std::get_if<RpcRequest>(&message)) {
    const RpcMessage again = parse_message(write_request(request->id, request->method, request->params));
    CHECK(std::holds_alternative<RpcRequest>(again) && std::get<RpcRequest>(again).method == request->method);
  }
  if (const auto* problem = std::get_if<RpcProblem>(&message)) {
    const RpcMessage answer = parse_message(write_error(problem->id, problem->error));
    CHECK(std::holds_alternative<RpcResponse>(answer));
  }
  if (Result<std::string> bytes = base64_decode(line)) CHECK(base64_encode(*bytes) == line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  CHECK(cut(stream, 7) == cut(stream, 1 + size));
  LineReader whole;
  whole.append(stream);
  while (const auto line = whole.next()) check_line(line->text);
  return 0;
}
