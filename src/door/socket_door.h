#pragma once
#include <functional>
#include <string>

#include "api/api.h"
#include "rpc/server.h"

namespace talaria {

// What the socket's doors know beside the api.
struct DoorSurroundings {
  Loop& loop;
  Api& api;
  std::string socket;                  // its path, for gateway/status
  std::function<void()> stop_gateway;  // after the answer to gateway/stop is on its way
};

// The door for one connection: translates JSON-RPC methods to operations of the api, and nothing else.
std::unique_ptr<RpcHandler> open_socket_door(const DoorSurroundings& surroundings, RpcConnection& connection);

}  // namespace talaria
