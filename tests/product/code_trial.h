#pragma once
#include <string>

#include "product/house.h"

namespace talaria {

// A house in which programs of execute_code run.
class CodeHouse : public House {
 public:
  // One program, waited for to its end: the details of its result.
  JsonObject run_code(const std::string& source, JsonObject more = {});
  // The whole result.
  JsonObject call_code(const std::string& source, JsonObject more = {});
  // One that nobody waits for yet. Drop the connection, and it is interrupted.
  RpcClient start_code(const std::string& source, JsonObject more = {});
  // Its whole result, when it comes.
  JsonObject finish_code(RpcClient& client);
  // A call in another session of the same workspace.
  JsonObject call_as(const std::string& session, const std::string& tool, JsonObject arguments);
  // The jobs of this workspace's session, the latest first.
  std::vector<JsonObject> jobs();

  void configure(const std::string& key, const std::string& value);
  std::string path(const std::string& name) const { return workspace() + "/" + name; }
  void put(const std::string& name, const std::string& content);
  std::string get(const std::string& name) const;

  // A program holds a file's lock as long as it lives, and so do its children: see holding().
  void await_held(const std::string& name);
  void await_free(const std::string& name);

 private:
  JsonObject code_call(const std::string& source, JsonObject more) const;
};

// The beginning of a program that takes the lock of a file in the workspace, for itself and all that it forks or
// starts.
std::string holding(const std::string& name);
// The same for a shell command.
std::string shell_holding(const std::string& name);

// The beginning of a program that makes a channel to the gateway by itself: channel() gives its end of a new one,
// send(channel, bytes, length?) puts a frame on it, receive(channel) takes one from it.
std::string raw_channel();

}  // namespace talaria
