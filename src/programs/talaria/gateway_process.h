#pragma once
#include <optional>
#include <string>

#include "base/clock.h"
#include "os/home.h"
#include "rpc/client.h"

namespace talaria {

// The gateway as a process, for when its socket does not lead to it.

// The pid of the gateway that holds the lock of this home; nothing when none does, or when that is no gateway of ours.
std::optional<pid_t> gateway_holding(const Home& home);

// As RpcClient::call_object, but gives up: a gateway that hangs, or was stopped, takes a connection and never answers.
Result<JsonObject> ask_within(RpcClient& client, std::string_view method, JsonObject params, Clock::duration patience);

// Of a gateway that could not be asked, because of `why`: the same, with its pid, its state and what to do. The error
// as it is when no gateway holds the home.
Error silent_gateway(const Home& home, const Error& why);

// Ends it: SIGTERM, and SIGKILL to one that does not go. Jobs go on at the keeper. Gives the words on how.
Result<std::string> end_gateway_process(const Home& home, pid_t pid);

}  // namespace talaria
