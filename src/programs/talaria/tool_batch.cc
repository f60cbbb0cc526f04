#include "talaria/tool_batch.h"

#include <poll.h>
#include <unistd.h>

#include <map>

#include "json/fields.h"
#include "talaria/print.h"
#include "talaria/tool_call.h"

namespace talaria {
namespace {

constexpr size_t most_in_flight = 64;

class Batch {
 public:
  Batch(Gateway gateway, const JsonObject& session, bool program)
      : gateway_(std::move(gateway)), session_(session), audience_(program ? "program" : "agent") {}

  int run() {
    while (!input_ended_ || !asked_.empty() || have_line_) {
      ask_waiting();
      if (input_ended_ && asked_.empty() && !have_line_) break;
      Result<> result = wait();
      if (!result) result = recover(result.error());
      if (!result) return fail(result.error());
    }
    return 0;
  }

 private:
  // Takes calls from what was read as long as there is room for them.
  void ask_waiting() {
    have_line_ = false;
    while (asked_.size() < most_in_flight) {
      const auto line = lines_.next();
      if (!line) return;
      if (line->too_long) answer_error(Json(), invalid("a call may be at most 16 MiB long"));
      else if (!line->text.empty()) ask(line->text);
    }
    have_line_ = true;  // perhaps: there was no room to look
  }

  void ask(std::string_view line) {
    Result<JsonObject> call = parse_json_object(line);
    if (!call) return answer_error(Json(), call.error());
    const Json* given = call->if_contains("id");
    const Json id = given ? *given : Json();
    if (Result<> sent = send(id, *call); !sent) answer_error(id, sent.error());
  }

  Result<> send(const Json& id, const JsonObject& call) {
    Fields fields(call, "field of a call");
    fields.any("id");
    const std::optional<std::string> name = TRY(fields.text("name"));
    const JsonObject* arguments = TRY(fields.object("arguments"));
    const JsonObject* session = TRY(fields.object("session"));
    TRY(fields.no_others());
    if (!name) return invalid("a call needs a \"name\"");
    const int64_t number =
        TRY(gateway_.client.send("tools/call", params_of({{"name", *name},
                                                          {"arguments", arguments ? *arguments : JsonObject()},
                                                          {"session", session ? *session : session_},
                                                          {"audience", audience_}})));
    asked_[number] = id;
    return ok;
  }

  Result<> wait() {
    const bool want_input = !input_ended_ && !have_line_;
    take_answers();  // some may have come while we asked
    if (input_ended_ && asked_.empty()) return ok;
    pollfd entries[] = {{gateway_.client.fd(), POLLIN, 0}, {want_input ? STDIN_FILENO : -1, POLLIN, 0}};
    if (::poll(entries, 2, -1) < 0 && errno != EINTR) return Error::from_errno("poll");
    if (entries[1].revents) read_lines();
    if (entries[0].revents) TRY(gateway_.client.receive());
    take_answers();
    return ok;
  }

  void take_answers() {
    while (std::optional<RpcMessage> message = gateway_.client.next()) {
      tries_.progress();
      if (auto* response = std::get_if<RpcResponse>(&*message)) answer(*response);
    }
  }

  void read_lines() {
    char buffer[64 << 10];
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) return;
    if (count > 0) return lines_.append({buffer, static_cast<size_t>(count)});
    input_ended_ = true;
    lines_.append("\n");  // the last line may have none
  }

  void answer(RpcResponse& response) {
    const auto found = response.id.is_int64() ? asked_.find(response.id.get_int64()) : asked_.end();
    if (found == asked_.end()) return;
    const Json id = found->second;
    asked_.erase(found);
    if (const auto* error = std::get_if<RpcError>(&response.outcome)) return answer_error(id, to_error(*error));
    print_line(write_json(JsonObject{{"id", id}, {"result", std::get<Json>(std::move(response.outcome))}}));
  }

  void answer_error(const Json& id, const Error& error) {
    print_line(write_json(JsonObject{
        {"id", id}, {"error", JsonObject{{"message", error.message()}, {"code", code_name(error.code())}}}}));
  }

  // A tool call cannot be repeated blindly, so those under way are answered with the loss and the rest goes on.
  Result<> recover(const Error& why) {
    if (why.code() != ErrorCode::unavailable) return why;
    for (const auto& [number, id] : asked_) answer_error(id, after_lost_call(why));
    asked_.clear();
    return gateway_.find_again(tries_, why);
  }

  Gateway gateway_;
  Reconnects tries_;
  const JsonObject& session_;
  std::string audience_;
  LineReader lines_;
  std::map<int64_t, Json> asked_;
  bool input_ended_ = false;
  bool have_line_ = false;
};

}  // namespace

int run_tool_batch(Gateway gateway, const JsonObject& session, bool program) {
  return Batch(std::move(gateway), session, program).run();
}

}  // namespace talaria
