// The methods jobs/…, and the end of any subscription.
#include <limits>

#include "door/socket_methods.h"
#include "rpc/base64.h"

namespace talaria {

Result<> SocketDoor::start_job(const Json& id, Fields& params) {
  JsonObject arguments = TRY(read_arguments(params));
  const std::string job = TRY(params.text("id")).value_or("");
  const std::string input = TRY(params.text("stdin")).value_or("null");
  std::optional<SessionRef> named = TRY(read_session(params));
  const std::optional<SandboxWish> wish = TRY(read_sandbox(params));
  const Caller caller = TRY(read_caller(params, true));
  TRY(params.no_others());
  // What runs in a sandbox must not choose itself a wider one.
  if (wish) TRY(require_person("jobs/start with \"sandbox\""));
  if (input != "null" && input != "pipe") return invalid("parameter \"stdin\" must be \"null\" or \"pipe\"");
  const SessionRef session = TRY(session_for(std::move(named), caller));
  return run<ToolResult>(
      id,
      [&](Done<ToolResult> done) {
        return around_.api.start_job(std::move(arguments), job, input == "pipe", session, caller,
                                     wish.value_or(SandboxWish()), std::move(done));
      },
      tool_result_json);
}

Result<> SocketDoor::subscribe_job(const Json& id, Fields& params) {
  const std::string job = TRY(read_required_text(params, "id"));
  const int64_t offset = TRY(params.integer("offset", 0, INT64_MAX)).value_or(0);
  const std::string until = TRY(params.text("follow")).value_or("ended");
  const Pace pace = TRY(params.boolean("everyByte")).value_or(false) ? Pace::every_byte : Pace::live;
  const Caller caller = TRY(read_caller(params, true));
  TRY(params.no_others());
  if (until != "ended" && until != "gone") return invalid("parameter \"follow\" must be \"ended\" or \"gone\"");
  TRY(room_for_subscription());
  const int64_t number = ++last_number_;
  Follower follower;
  follower.output = [this, number, job, expected = static_cast<uint64_t>(offset)](const OutputPiece& piece) mutable {
    send_output(number, job, expected, piece);
  };
  follower.ended = [this, number, job](ToolResult result) {
    connection_.notify(
        "jobs/ended",
        {{"subscription", number}, {"id", job}, {"text", result.text}, {"details", std::move(result.details)}});
    retire(number);
  };
  std::unique_ptr<Follow> follow = TRY(around_.api.follow_job(job, static_cast<uint64_t>(offset),
                                                              until == "gone" ? FollowUntil::gone : FollowUntil::ended,
                                                              pace, caller, std::move(follower)));
  if (paused_) follow->pause();
  follows_[number] = follow.get();
  subscriptions_[number] = std::move(follow);
  connection_.reply(id, JsonObject{{"subscription", number}, {"id", job}});
  return ok;
}

void SocketDoor::send_output(int64_t subscription, const std::string& job, uint64_t& expected,
                             const OutputPiece& piece) {
  JsonObject params{{"subscription", subscription},
                    {"id", job},
                    {"offset", piece.offset},
                    {"next", piece.next},
                    {"data", base64_encode(piece.data)}};
  if (piece.offset > expected) {
    params["lost"] = piece.offset - expected;
    if (!piece.lost_because.empty()) params["lostBecause"] = piece.lost_because;
  }
  expected = piece.next;
  connection_.notify("jobs/output", std::move(params));
  if (!connection_.crowded() || paused_) return;
  paused_ = true;
  for (const auto& [number, follow] : follows_) follow->pause();
}

Result<> SocketDoor::unsubscribe(const Json& id, Fields& params) {
  const std::optional<int64_t> number = TRY(params.integer("subscription", 0, INT64_MAX));
  TRY(read_caller(params, true));
  TRY(params.no_others());
  if (!number) return invalid("parameter \"subscription\" is missing");
  if (!subscriptions_.contains(*number)) {
    return Error(ErrorCode::not_found, "no subscription " + std::to_string(*number) + " is open on this connection");
  }
  retire(*number);
  connection_.reply(id, JsonObject());
  return ok;
}

Result<> SocketDoor::write_job(const Json& id, Fields& params) {
  const std::string job = TRY(read_required_text(params, "id"));
  const std::string data = TRY(read_data(params));
  const bool eof = TRY(params.boolean("eof")).value_or(false);
  const std::optional<int64_t> at = TRY(params.integer("at", 0, std::numeric_limits<int64_t>::max()));
  const Caller caller = TRY(read_caller(params, true));
  TRY(params.no_others());
  return run<ToolResult>(
      id, [&](Done<ToolResult> done) { return around_.api.write_job(job, data, eof, at, caller, std::move(done)); },
      [](ToolResult result) { return std::move(result.details); });
}

Result<> SocketDoor::signal_job(const Json& id, Fields& params) {
  const std::string job = TRY(read_required_text(params, "id"));
  const std::string signal = TRY(read_required_text(params, "signal"));
  const Caller caller = TRY(read_caller(params, true));
  TRY(params.no_others());
  return run<ToolResult>(
      id, [&](Done<ToolResult> done) { return around_.api.signal_job(job, signal, caller, std::move(done)); },
      [](ToolResult result) { return std::move(result.details); });
}

Result<> SocketDoor::process_jobs(const Json& id, Fields& params) {
  JsonObject arguments = TRY(read_arguments(params));
  const Caller caller = TRY(read_caller(params, true));
  TRY(params.no_others());
  return run<ToolResult>(
      id,
      [&](Done<ToolResult> done) {
        return around_.api.call_tool("process", std::move(arguments), SessionRef(), caller, std::move(done));
      },
      tool_result_json);
}

}  // namespace talaria
