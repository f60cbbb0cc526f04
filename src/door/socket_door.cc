#include "door/socket_door.h"

#include <vector>

#include "base/text.h"
#include "door/socket_methods.h"
#include "os/inside_job.h"
#include "rpc/base64.h"

namespace talaria {
namespace {

constexpr size_t most_open = 1024;
constexpr size_t most_subscriptions = 1024;

}  // namespace

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
      {"skills/find", &SocketDoor::ask_skills<SkillQuestion::About::find>},
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

Result<SessionRef> SocketDoor::session_for(std::optional<SessionRef> named, const Caller& caller) {
  if (named) session_ = TRY(user_.resolve(*std::move(named), caller)).id;
  if (session_) return SessionRef{.id = *session_};
  return invalid(
      "parameter \"session\" is missing: give {\"cwd\": an absolute path} for your session of that "
      "workspace, or {\"id\": an existing session's}");
}

// They have a limit of their own: whoever has reached it must still be able to give some up.
Result<> SocketDoor::room_for_subscription() const {
  if (subscriptions_.size() < most_subscriptions) return ok;
  return Error(ErrorCode::conflict,
               "1,024 subscriptions are open on this connection already; end some first (jobs/unsubscribe, "
               "events/unsubscribe)");
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
  std::optional<SessionRef> named = TRY(read_session(params));
  const Caller caller = TRY(read_caller(params, false));
  TRY(params.no_others());
  if (named) named = SessionRef{.id = TRY(user_.resolve(*std::move(named), caller)).id};
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
  const SessionRef session = TRY(session_for(std::move(named), caller));
  return run<ToolResult>(
      id,
      [&](Done<ToolResult> done) {
        return around_.api.call_tool(name, std::move(arguments), session, caller, std::move(done));
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
  const SessionRef session = TRY(session_for(std::move(named), caller));
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
  const SessionRef session = TRY(session_for(std::move(named), caller));
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
  TRY(room_for_subscription());
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

std::unique_ptr<RpcHandler> open_socket_door(const DoorSurroundings& surroundings, RpcConnection& connection) {
  return std::make_unique<SocketDoor>(surroundings, connection);
}

}  // namespace talaria
