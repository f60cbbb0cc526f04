#pragma once
#include "rpc/client.h"

namespace talaria {

// The sentence of an error that a lost connection left behind: an exec that was under way may go on at the keeper.
Error after_lost_call(const Error& error);
// The same for a program of execute_code, which the next gateway ends; `job` is empty where it is not known.
Error after_lost_run(const Error& error, const std::string& job);

// One exec, called as an agent calls it, by somebody at a terminal: SIGINT interrupts the command, a second one kills
// it, SIGTERM and SIGHUP are passed on as SIGTERM; its result comes in any case.
Result<JsonObject> call_exec_interruptibly(RpcClient& client, JsonObject arguments, JsonObject session);

}  // namespace talaria
