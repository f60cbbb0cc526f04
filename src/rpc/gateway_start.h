#pragma once
#include "os/home.h"
#include "rpc/client.h"

namespace talaria {

// Connects to the home's gateway and starts one in the background when none is there: never from inside a job, whose
// gateway would be part of the job.
Result<RpcClient> connect_or_start_gateway(const Home& home);

// The same when none is to be started: `not_found` when none is there. One that holds the home and does not listen gets
// a moment to make its socket; then the error, `unavailable`, names its pid.
Result<RpcClient> connect_to_running_gateway(const Home& home);

// Starts a gateway in the background and waits until it listens. False: another one holds the home's lock.
Result<bool> start_gateway(const Home& home);

// No gateway is there, as opposed to one that could not be reached.
bool nobody_listens(const Error& error);

}  // namespace talaria
