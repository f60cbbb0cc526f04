#pragma once
#include <optional>

#include "base/clock.h"
#include "rpc/client.h"

namespace talaria {

// The sentence of an error that a lost connection left behind: an exec that was under way may go on at the keeper.
Error after_lost_call(const Error& error);
// The same for a program of execute_code, which the next gateway ends; `job` is empty where it is not known.
Error after_lost_run(const Error& error, const std::string& job);

// One exec, called as an agent calls it, by somebody at a terminal: SIGINT interrupts the command, a second one kills
// it, SIGTERM and SIGHUP are passed on as SIGTERM; its result comes in any case, unless the gateway or the
// keeper says nothing more: then `left_by` is the signal.
Result<JsonObject> call_exec_interruptibly(RpcClient& client, JsonObject arguments, JsonObject session, int& left_by);

// How long a gateway may be silent after a signal.
inline constexpr auto silence_patience = 5s;
// How long, from the signal on, the answer may take where the gateway is not silent: a start may take 15 seconds.
inline constexpr auto answer_patience = 20s;
// For poll(2): until then; -1 for ever.
int milliseconds_to_leave(std::optional<Clock::time_point> when);
// The answer did not come in that time.
Error silent_at_signal();

}  // namespace talaria
