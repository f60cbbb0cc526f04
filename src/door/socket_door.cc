#include "door/socket_door.h"

#include <limits>
#include <map>
#include <vector>

#include "base/text.h"
#include "door/params.h"
#include "door/peer.h"
#include "rpc/base64.h"

namespace talaria {
namespace {

constexpr size_t most_open = 1024;

class SocketDoor : public RpcHandler {
 public:
  SocketDoor(const DoorSurroundings& surroundings, RpcConnection& connection)
      : around_(surroundings), connection_(connection), client_("pid " + std::to_string(connection.peer().pid)) {}

  void handle(RpcRequest request) override;
  void drained() override;

 private:
  struct Method {
    std::string_view name;
    Result<> (SocketDoor::*call)(const Json& id, Fields& params);
    bool operator_only = false;  // refused for peers inside a job
  };
  static const std::vector<Method>& methods();

  Result<> list_tools(const Json& id, Fields& params);
  Result<> call_tool(const Json& id, Fields& params);
  Result<> start_job(const Json& id, Fields& params);
  Result<> subscribe_job(const Json& id, Fields& params);
  Result<> unsubscribe(const Json& id, Fields& params);
  Result<> write_job(const Json& id, Fields& params);
  Result<> signal_job(const Json& id, Fields& params);
  Result<> process_jobs(const Json& id, Fields& params);
  Result<> probe_sandbox(const Json& id, Fields& params);
  Result<> explain_sandbox(const Json& id, Fields& params);
  template <SkillQuestion::About about>
  Result<> ask_skills(const Json& id, Fields& params);
  Result<> subscribe_events(const Json& id, Fields& params);
  Result<> acknowledge_event(const Json& id, Fields& params);
  Result<> give_status(const Json& id, Fields& params);
  Result<> give_doctor(const Json& id, Fields& params);
  Result<> stop_gateway(const Json& id, Fields& params);

  // Refuses `what` to a process inside a job.
  Result<> require_person(const std::string& what) const;
  Result<Caller> read_caller(Fields& params, bool person) const;
  // The session named, else the one this connection used last.
  Result<SessionRef> session_for(std::optional<SessionRef> named);

  // Starts an operation whose answer `finish` turns into the result of request `id`.
  template <class T, class Start, class Finish>
  Result<> run(const Json& id, Start start, Finish finish);
  void retire(int64_t number);
  void send_output(int64_t subscription, const std::string& job, uint64_t& expected, const OutputPiece& piece);

  DoorSurroundings around_;
  RpcConnection& connection_;
  std::string client_;
  std::optional<SessionRef> session_;
  int64_t last_number_ = 0;
  std::map<int64_t, OperationPtr> open_;           // requests under way
  std::map<int64_t, OperationPtr> subscriptions_;  // of jobs and of events
  std::map<int64_t, Follow*> follows_;             // the pausable ones among the subscriptions
  bool paused_ = false;
  std::vector<OperationPtr> retired_;  // ended inside their own callback, so destroyed a moment later
  Loop::Timer sweep_;
};

const std::vector<SocketDoor::Method>& SocketDoor::methods() {
  static const std::vector<Method> all = {
      {"tools/list", &SocketDoor::list_tools},
      {"tools/call", &SocketDoor::call_tool},
      {"jobs/start", &SocketDoor::start_job},
      {"jobs/subscribe", &SocketDoor::subscribe_job},
      {"jobs/unsubscribe", &SocketDoor::unsubscribe},
      {"jobs/write", &SocketDoor::write_job},
      {"jobs/signal", &SocketDoor::signal_job},
      {"jobs/process", &SocketDoor::process_jobs},
      {"sandbox/probe", &SocketDoor::probe_sandbox},
      {"sandbox/explain", &SocketDoor::explain_sandbox},
      {"skills/list", &SocketDoor::ask_skills<SkillQuestion::About::list>},
      {"skills/view", &SocketDoor::ask_skills<SkillQuestion::About::view>},
      {"skills/message", &SocketDoor::ask_skills<SkillQuestion::About::message>},
      {"skills/prompt", &SocketDoor::ask_skills<SkillQuestion::About::prompt>},
      {"skills/settings", &SocketDoor::ask_skills<SkillQuestion::About::settings>},
      {"events/subscribe", &SocketDoor::subscribe_events},
      {"events/unsubscribe", &SocketDoor::unsubscribe},
      {"events/ack", &SocketDoor::acknowledge_event},
      {"gateway/status", &SocketDoor::give_status},
      {"gateway/doctor", &SocketDoor::give_doctor},
      {"gateway/stop", &SocketDoor::stop_gateway, true},
  };
  return all;
}

void SocketDoor::handle(RpcRequest request) {
  const auto refuse = [&](RpcCode code, const Error& error) { connection_.fail(request.id, rpc_error(code, error)); };
  for (const Method& method : methods()) {
    if (method.name != request.method) continue;
    const Result<> allowed = method.operator_only ? require_person(std::string(method.name)) : Result<>(ok);
    if (!allowed) return refuse(RpcCode::failed, allowed.error());
    if (open_.size() >= most_open) {
      return refuse(RpcCode::failed, Error(ErrorCode::conflict,
                                           "1,024 requests are open on this connection already; "
                                           "wait for some answers first"));
    }
    Fields params(request.params, "parameter of " + request.method);
    if (Result<> started = (this->*method.call)(request.id, params); !started) {
      const bool wrong = started.error().code() == ErrorCode::invalid_argument;
      refuse(wrong ? RpcCode::invalid_params : RpcCode::failed, started.error());
    }
    return;
  }
  std::vector<std::string> names;
  for (const Method& method : methods()) names.emplace_back(method.name);
  refuse(RpcCode::unknown_method, Error(ErrorCode::not_found, "unknown method \"" + request.method.substr(0, 64) +
                                                                  "\"; known: " + join(names, ", ")));
}

Result<> SocketDoor::require_person(const std::string& what) const {
  const auto keeper = static_cast<pid_t>(integer_or(around_.api.status(), "keeper_pid"));
  if (!runs_inside_job(connection_.peer().pid, keeper)) return ok;
  return Error(ErrorCode::denied,
               what +
                   " is for the person at this machine and refused to a process inside a job; run it from a shell "
                   "of your own");
}

Result<Caller> SocketDoor::read_caller(Fields& params, bool person) const {
  return Caller{"socket", TRY(params.text("client")).value_or(client_), person};
}

Result<SessionRef> SocketDoor::session_for(std::optional<SessionRef> named) {
  if (named) session_ = std::move(named);
  if (session_) return *session_;
  return invalid(
      "parameter \"session\" is missing: give {\"cwd\": an absolute path} for the session of that "
      "workspace, or {\"id\": an existing session's}");
}

template <class T, class Start, class Finish>
Result<> SocketDoor::run(const Json& id, Start start, Finish finish) {
  const int64_t number = ++last_number_;
  open_[number] = start(Done<T>([this, number, id, finish](Result<T> result) {
    if (result) connection_.reply(id, finish(*std::move(result)));
    else
      connection_.fail(id, rpc_error(result.error().code() == ErrorCode::invalid_argument ? RpcCode::invalid_params
                                                                                          : RpcCode::failed,
                                     result.error()));
    retire(number);
  }));
  return ok;
}

void SocketDoor::retire(int64_t number) {
  for (auto* kept : {&open_, &subscriptions_}) {
    const auto found = kept->find(number);
    if (found == kept->end()) continue;
    retired_.push_back(std::move(found->second));
    kept->erase(found);
  }
  follows_.erase(number);
  sweep_ = around_.loop.after(0s, [this] { retired_.clear(); });
}

void SocketDoor::drained() {
  paused_ = false;
  for (const auto& [number, follow] : follows_) follow->resume();
}

// --- tools ---

Result<> SocketDoor::list_tools(const Json& id, Fields& params) {
  const std::optional<SessionRef> named = TRY(read_session(params));
  const Caller caller = TRY(read_caller(params, false));
  TRY(params.no_others());
  connection_.reply(id, JsonObject{{"tools", TRY(around_.api.tools(named, caller))}});
  return ok;
}

Result<> SocketDoor::call_tool(const Json& id, Fields& params) {
  const std::string name = TRY(read_required_text(params, "name"));
  JsonObject arguments = TRY(read_arguments(params));
  std::optional<SessionRef> named = TRY(read_session(params));
  Caller caller = TRY(read_caller(params, false));
  const std::string audience = TRY(params.text("audience")).value_or("agent");
  caller.cwd = TRY(read_cwd(params));
  const bool progress = TRY(params.boolean("progress")).value_or(false);
  const bool output = TRY(params.boolean("output")).value_or(false);
  caller.environment = TRY(read_environment(params));
  TRY(params.no_others());
  if (audience != "agent" && audience != "program") {
    return invalid("parameter \"audience\" must be \"agent\" or \"program\"");
  }
  caller.program = audience == "program";
  if (output) {
    caller.on_output = [this, id](std::string_view data) {
      if (connection_.crowded()) return false;
      connection_.notify("tools/output", {{"request", id}, {"data", base64_encode(data)}});
      return true;
    };
  }
  if (progress) {
    caller.on_progress = [this, id](const ToolProgress& news) {
      JsonObject told{{"request", id}};
      if (!news.job.empty()) told["job"] = news.job;
      else told["message"] = news.message;
      if (news.fraction) told["fraction"] = *news.fraction;
      connection_.notify("tools/progress", std::move(told));
    };
  }
  const SessionRef session = TRY(session_for(std::move(named)));
  return run<ToolResult>(
      id,
      [&](Done<ToolResult> done) {
        return around_.api.call_tool(name, std::move(arguments), session, caller, std::move(done));
      },
      tool_result_json);
}

// --- jobs ---

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
  const SessionRef session = TRY(session_for(std::move(named)));
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
  if (piece.offset > expected) params["lost"] = piece.offset - expected;
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

// --- the sandbox ---

Result<> SocketDoor::probe_sandbox(const Json& id, Fields& params) {
  TRY(read_caller(params, true));
  TRY(params.no_others());
  return run<JsonObject>(
      id, [&](Done<JsonObject> done) { return around_.api.probe_sandbox(std::move(done)); },
      [](JsonObject probed) { return probed; });
}

Result<> SocketDoor::explain_sandbox(const Json& id, Fields& params) {
  std::optional<SessionRef> named = TRY(read_session(params));
  const SandboxWish wish = TRY(read_wish(params));
  const Caller caller = TRY(read_caller(params, true));
  TRY(params.no_others());
  const SessionRef session = TRY(session_for(std::move(named)));
  return run<JsonObject>(
      id, [&](Done<JsonObject> done) { return around_.api.explain_sandbox(session, caller, wish, std::move(done)); },
      [](JsonObject explained) { return explained; });
}

// --- skills ---

template <SkillQuestion::About about>
Result<> SocketDoor::ask_skills(const Json& id, Fields& params) {
  SkillQuestion question = TRY(read_skill_question(about, params));
  std::optional<SessionRef> named = TRY(read_session(params));
  Caller caller = TRY(read_caller(params, true));
  caller.cwd = TRY(read_cwd(params));
  caller.environment = TRY(read_environment(params));
  TRY(params.no_others());
  const SessionRef session = TRY(session_for(std::move(named)));
  return run<JsonObject>(
      id,
      [&](Done<JsonObject> done) {
        return around_.api.ask_skills(std::move(question), session, caller, std::move(done));
      },
      [](JsonObject answer) { return answer; });
}

// --- events ---

Result<> SocketDoor::subscribe_events(const Json& id, Fields& params) {
  const std::string session = TRY(params.text("session")).value_or("");
  const bool all = TRY(params.boolean("all")).value_or(false);
  const Delivery delivery = TRY(params.boolean("ack")).value_or(false) ? Delivery::acknowledged : Delivery::at_once;
  TRY(read_caller(params, true));
  TRY(params.no_others());
  if (session.empty() != all) {
    return invalid("events/subscribe takes either \"session\": an id, or \"all\": true");
  }
  const int64_t number = ++last_number_;
  subscriptions_[number] = around_.api.subscribe_events(session, delivery, [this, number](JsonObject event) {
    connection_.notify("events/event", {{"subscription", number}, {"event", std::move(event)}});
  });
  connection_.reply(id, JsonObject{{"subscription", number}});
  return ok;
}

Result<> SocketDoor::acknowledge_event(const Json& id, Fields& params) {
  const std::optional<int64_t> event = TRY(params.integer("id", 0, INT64_MAX));
  TRY(read_caller(params, true));
  TRY(params.no_others());
  if (!event) return invalid("parameter \"id\" is required: the event's");
  connection_.reply(id, JsonObject{{"acknowledged", around_.api.acknowledge_event(*event)}});
  return ok;
}

// --- the gateway itself ---

Result<> SocketDoor::give_status(const Json& id, Fields& params) {
  TRY(read_caller(params, true));
  TRY(params.no_others());
  JsonObject status = around_.api.status();
  status["socket"] = around_.socket;
  connection_.reply(id, std::move(status));
  return ok;
}

Result<> SocketDoor::give_doctor(const Json& id, Fields& params) {
  TRY(read_caller(params, true));
  TRY(params.no_others());
  return run<JsonArray>(
      id, [&](Done<JsonArray> done) { return around_.api.doctor(std::move(done)); },
      [](JsonArray checks) {
        return JsonObject{{"checks", std::move(checks)}};
      });
}

Result<> SocketDoor::stop_gateway(const Json& id, Fields& params) {
  const bool end_jobs = TRY(params.boolean("end_jobs")).value_or(false);
  TRY(read_caller(params, true));
  TRY(params.no_others());
  return run<JsonObject>(
      id, [&](Done<JsonObject> done) { return around_.api.stop(end_jobs, std::move(done)); },
      [this](JsonObject left) {
        around_.loop.post(around_.stop_gateway);
        return left;
      });
}

}  // namespace

std::unique_ptr<RpcHandler> open_socket_door(const DoorSurroundings& surroundings, RpcConnection& connection) {
  return std::make_unique<SocketDoor>(surroundings, connection);
}

}  // namespace talaria
