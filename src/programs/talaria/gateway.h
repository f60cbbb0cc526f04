#pragma once
#include <string>

#include "base/clock.h"
#include "os/home.h"
#include "rpc/client.h"
#include "talaria/wording.h"

namespace talaria {

// Home::find, and refuses what cannot be one.
Result<Home> find_home();

// What a call does that is made again because its answer was lost with the gateway.
enum class Repeat {
  harmless,      // it only reads, or says itself what it is (a job's id): it is made again, within a bound
  may_run_twice  // it may have run: whoever asked is told so
};

// How often, and how long, we look for a gateway again that went away under us.
class Reconnects {
 public:
  // Waits a moment, longer each time. False: five times in a row, or ten seconds, without progress are enough.
  bool again();
  // A gateway answered: from here on we count anew.
  void progress() { failures_ = 0; }

 private:
  int failures_ = 0;  // in a row, without progress
  int quick_ = 0;     // within a second of the one before
  Clock::time_point since_{};
  Clock::time_point last_{};
};

// Our way to the gateway: started when none is there.
struct Gateway {
  Home home;
  RpcClient client;
  enum class Start { when_needed, never } start = Start::when_needed;
  bool asked_again = false;  // a call was made once more, for its first answer was lost

  static Result<Gateway> reach();
  // Only when one is running: `not_found` when none is.
  static Result<Gateway> reach_running();

  // Asks and waits for the answer. A gateway that goes away meanwhile is found or started again where `repeat` allows
  // it; else the error says that the call may have run.
  Result<JsonObject> call(std::string_view method, const JsonObject& params, Repeat repeat);
  // Connects anew after the connection was lost, as often as `tries` allows; else gives `why`, or what is wrong now.
  Result<> find_again(Reconnects& tries, Error why);
};

// What a lost answer to the tool or the process action means.
Repeat repeat_of_tool(std::string_view name, const JsonObject& arguments);
Repeat repeat_of_process(const JsonObject& arguments);

// The params every request of this program carries: who polls.
JsonObject params_of(JsonObject params);
// The session of the directory we are in; with a name, another one of the same workspace. `toolsets`, "a,b", are the
// only ones it is to have from now on.
Result<JsonObject> session_here(const std::optional<std::string>& name,
                                const std::optional<std::string>& toolsets = std::nullopt);

// One call of the process tool, on any session's job.
Result<JsonObject> call_process(Gateway& gateway, JsonObject arguments);

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
