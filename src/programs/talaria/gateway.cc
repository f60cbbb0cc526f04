#include "talaria/gateway.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <thread>

#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "rpc/gateway_start.h"
#include "talaria/print.h"

namespace talaria {

Result<Home> find_home() {
  Home home = TRY(Home::find());
  struct stat info {};
  if (::stat(home.root.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) {
    return invalid("Talaria's home, " + home.root +
                   ", is not a directory. Set TALARIA_HOME to one, or leave it out for ~/.talaria");
  }
  return home;
}

bool Reconnects::again() {
  constexpr int most_failures = 5;
  constexpr auto longest = 10s;
  const Clock::time_point now = Clock::now();
  if (failures_ == 0) since_ = now;
  if (++failures_ > most_failures || now - since_ > longest) return false;
  quick_ = now - last_ < 1s ? quick_ + 1 : 0;
  if (quick_ > 0) std::this_thread::sleep_for(std::min<Clock::duration>(25ms * quick_, 1s));
  last_ = Clock::now();
  return true;
}

Result<Gateway> Gateway::reach() {
  Home home = TRY(find_home());
  Result<RpcClient> client = connect_or_start_gateway(home);
  // One that was there, or was just started, may be killed before we are connected.
  for (Reconnects tries; !client && nobody_listens(client.error()) && tries.again();)
    client = connect_or_start_gateway(home);
  if (!client) return std::move(client).error();
  return Gateway{std::move(home), *std::move(client)};
}

Result<> Gateway::find_again(Reconnects& tries, Error why) {
  while (why.code() == ErrorCode::unavailable && tries.again()) {
    Result<Gateway> found = start == Start::never ? reach_running() : reach();
    if (found) {
      client = std::move(found->client);
      return ok;
    }
    why = found.error();
  }
  return why;
}

Result<JsonObject> Gateway::call(std::string_view method, const JsonObject& params, Repeat repeat) {
  for (Reconnects tries;;) {
    Result<JsonObject> answer = client.call_object(method, params);
    if (answer || !client.closed()) return answer;
    if (repeat == Repeat::may_run_twice && client.sent()) {
      return Error(ErrorCode::unavailable,
                   "the gateway went away before it answered; the call may have run. Look before you repeat it");
    }
    TRY(find_again(tries, answer.error()));
    asked_again = true;
  }
}

Repeat repeat_of_process(const JsonObject& arguments) {
  constexpr std::array<std::string_view, 4> reading = {"list", "log", "poll", "wait"};
  const bool reads = std::find(reading.begin(), reading.end(), text_or(arguments, "action")) != reading.end();
  return reads ? Repeat::harmless : Repeat::may_run_twice;
}

Repeat repeat_of_tool(std::string_view name, const JsonObject& arguments) {
  constexpr std::array<std::string_view, 5> reading = {"read_file", "search_files", "web_search", "web_extract",
                                                       "skills_list"};
  if (name == "process") return repeat_of_process(arguments);
  return std::find(reading.begin(), reading.end(), name) != reading.end() ? Repeat::harmless : Repeat::may_run_twice;
}

Result<Gateway> Gateway::reach_running() {
  Home home = TRY(find_home());
  RpcClient client = TRY(connect_to_running_gateway(home));
  return Gateway{std::move(home), std::move(client), Start::never};
}

JsonObject params_of(JsonObject params) {
  params["client"] = "cli";
  return params;
}

Result<JsonObject> session_here(const std::optional<std::string>& name, const std::optional<std::string>& toolsets) {
  char here[PATH_MAX];
  if (!::getcwd(here, sizeof here)) return Error::from_errno("find the current directory");
  if (!is_utf8(here)) {
    return invalid("the current directory has a name that is not valid UTF-8: " + shown_line(here) +
                   ". Talaria names directories in text: rename it, or go to another one");
  }
  JsonObject session{{"cwd", here}};
  set_if(session, "name", name);
  if (toolsets) {
    const std::vector<std::string> names = split(*toolsets, ',');
    session["toolsets"] = JsonArray(names.begin(), names.end());
  }
  return session;
}

Result<JsonObject> call_process(Gateway& gateway, JsonObject arguments) {
  const Repeat repeat = repeat_of_process(arguments);
  return gateway.call("jobs/process", params_of({{"arguments", std::move(arguments)}}), repeat);
}

std::string text_of(const JsonObject& result) {
  const Json* content = result.if_contains("content");
  if (!content || !content->is_array()) return "";
  std::string text;
  for (const Json& part : content->get_array()) {
    if (part.is_object()) text += text_or(part.get_object(), "text");
  }
  return text;
}

const JsonObject& details_of(const JsonObject& result) {
  static const JsonObject none;
  const JsonObject* details = object_or_null(result, "details");
  return details ? *details : none;
}

int show_result(const JsonObject& result, bool json) {
  const bool failed = boolean_or(result, "isError");
  if (json) print_json(result);
  else if (failed) complain(for_people(text_of(result)));
  else print_line(for_people(text_of(result)));
  return failed ? 1 : 0;
}

int show_told(const ToldOutput& told) {
  print(told.output);
  // What we say starts on a line of its own where a person sees both.
  if (!told.output.empty() && told.output.back() != '\n' && is_terminal(STDOUT_FILENO)) print("\n");
  if (!told.remark.empty()) remark(told.remark);
  return 0;
}

int run_process(JsonObject arguments, bool json, TellApart tell_apart) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  Result<JsonObject> result = call_process(*gateway, std::move(arguments));
  if (!result) return fail(result.error());
  if (json || !tell_apart || boolean_or(*result, "isError")) return show_result(*result, json);
  return show_told(tell_apart(*result));
}

Result<std::string> read_stdin() {
  std::string text;
  char buffer[64 << 10];
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("read stdin");
    if (count == 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace talaria
