#include "talaria/gateway.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>

#include "base/text.h"
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

Result<Gateway> Gateway::reach() {
  Home home = TRY(find_home());
  RpcClient client = TRY(connect_or_start_gateway(home));
  return Gateway{std::move(home), std::move(client)};
}

Result<Gateway> Gateway::reach_running() {
  Home home = TRY(find_home());
  Result<RpcClient> client = RpcClient::connect(home.gateway_socket());
  if (client) return Gateway{std::move(home), *std::move(client)};
  if (!nobody_listens(client.error())) return std::move(client).error();
  return Error(ErrorCode::not_found, "no gateway is running (talaria serve --background starts one)");
}

JsonObject params_of(JsonObject params) {
  params["client"] = "cli";
  return params;
}

Result<JsonObject> session_here(const std::optional<std::string>& name, const std::optional<std::string>& toolsets) {
  char here[PATH_MAX];
  if (!::getcwd(here, sizeof here)) return Error::from_errno("find the current directory");
  JsonObject session{{"cwd", here}};
  set_if(session, "name", name);
  if (toolsets) {
    const std::vector<std::string> names = split(*toolsets, ',');
    session["toolsets"] = JsonArray(names.begin(), names.end());
  }
  return session;
}

Result<JsonObject> call_process(RpcClient& client, JsonObject arguments) {
  return client.call_object("jobs/process", params_of({{"arguments", std::move(arguments)}}));
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
  Result<JsonObject> result = call_process(gateway->client, std::move(arguments));
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
