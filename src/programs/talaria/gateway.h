#pragma once
#include <string>

#include "os/home.h"
#include "rpc/client.h"
#include "talaria/wording.h"

namespace talaria {

// Home::find, and refuses what cannot be one.
Result<Home> find_home();

// Our way to the gateway: started when none is there.
struct Gateway {
  Home home;
  RpcClient client;

  static Result<Gateway> reach();
  // Only when one is running.
  static Result<Gateway> reach_running();
};

// The params every request of this program carries: who polls.
JsonObject params_of(JsonObject params);
// The session of the directory we are in; with a name, another one of the same workspace. `toolsets`, "a,b", are the
// only ones it is to have from now on.
Result<JsonObject> session_here(const std::optional<std::string>& name,
                                const std::optional<std::string>& toolsets = std::nullopt);

// One call of the process tool, on any session's job.
Result<JsonObject> call_process(RpcClient& client, JsonObject arguments);

// The text of a tool's answer.
std::string text_of(const JsonObject& result);
const JsonObject& details_of(const JsonObject& result);

// Prints a tool's answer, raw or as text; gives 0, or 1 when the tool says it failed.
int show_result(const JsonObject& result, bool json);
// The job's output to stdout, what is said about it to stderr; gives 0.
int show_told(const ToldOutput& told);
// How a command whose answer holds a job's output takes that apart.
using TellApart = ToldOutput (*)(const JsonObject& result);
// Calls the process tool and shows what it says: most of our commands.
int run_process(JsonObject arguments, bool json, TellApart tell_apart = nullptr);

// All of stdin.
Result<std::string> read_stdin();

}  // namespace talaria
