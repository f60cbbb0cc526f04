#include "product/code_trial.h"

#include <gtest/gtest.h>

#include "os/file.h"

namespace talaria {

JsonObject CodeHouse::code_call(const std::string& source, JsonObject more) const {
  more["code"] = source;
  more.insert({{"yieldMs", 0}});
  return {{"name", "execute_code"},
          {"arguments", std::move(more)},
          {"client", "cli"},
          {"session", JsonObject{{"cwd", workspace()}}}};
}

JsonObject CodeHouse::call_code(const std::string& source, JsonObject more) {
  more["code"] = source;
  more.insert({{"yieldMs", 0}});
  return call("execute_code", std::move(more));
}

JsonObject CodeHouse::run_code(const std::string& source, JsonObject more) {
  return details_of(call_code(source, std::move(more)));
}

RpcClient CodeHouse::start_code(const std::string& source, JsonObject more) {
  RpcClient client = connect();
  EXPECT_TRUE(client.send("tools/call", code_call(source, std::move(more))));
  return client;
}

JsonObject CodeHouse::finish_code(RpcClient& client) {
  const Result<RpcMessage> answer = client.wait();
  const auto* response = answer ? std::get_if<RpcResponse>(&*answer) : nullptr;
  const auto* result = response ? std::get_if<Json>(&response->outcome) : nullptr;
  EXPECT_TRUE(result) << (answer ? "not a result" : answer.error().message());
  return result ? result->as_object() : JsonObject();
}

JsonObject CodeHouse::call_as(const std::string& session, const std::string& tool, JsonObject arguments) {
  const Result<JsonObject> result =
      connect().call_object("tools/call", {{"name", tool},
                                           {"arguments", std::move(arguments)},
                                           {"session", JsonObject{{"cwd", workspace()}, {"name", session}}}});
  EXPECT_TRUE(result) << result.error().message();
  return result ? *result : JsonObject();
}

std::vector<JsonObject> CodeHouse::jobs() {
  std::vector<JsonObject> all;
  const JsonObject listed = process("list", "");
  for (const Json& row : details_of(listed).at("sessions").as_array()) all.push_back(row.as_object());
  return all;
}

void CodeHouse::configure(const std::string& key, const std::string& value) {
  const Ran ran = run({"config", "set", key, value});
  ASSERT_EQ(ran.code, 0) << ran.err;
}

void CodeHouse::put(const std::string& name, const std::string& content) {
  ASSERT_TRUE(make_directories(path(name).substr(0, path(name).rfind('/')), 0755));
  ASSERT_TRUE(write_file_atomically(path(name), content, 0644, Durable::no));
}

std::string CodeHouse::get(const std::string& name) const {
  const Result<std::string> text = read_file(path(name));
  return text ? *text : "(" + text.error().message() + ")";
}

void CodeHouse::await_held(const std::string& name) {
  await(name + " to be held", [&] {
    if (!exists(path(name))) return false;
    const Result<FileLock> lock = FileLock::try_take(path(name));
    return lock && !lock->held();
  });
}

void CodeHouse::await_free(const std::string& name) {
  await("everybody who holds " + name + " to be gone", [&] {
    const Result<FileLock> lock = FileLock::try_take(path(name));
    return lock && lock->held();
  });
}

std::string holding(const std::string& name) {
  return "import fcntl, os, sys, time\n"
         "held = open('" +
         name +
         "', 'w')\n"
         "os.set_inheritable(held.fileno(), True)\n"
         "fcntl.flock(held, fcntl.LOCK_EX)\n";
}

std::string shell_holding(const std::string& name) { return "exec 9>" + name + "; flock 9; "; }

std::string raw_channel() {
  return R"py(
import json, os, socket, struct
lobby = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=os.dup(3))
def channel():
    ours, theirs = socket.socketpair()
    socket.send_fds(lobby, [b'{"channel": true}'], [theirs.fileno()])
    theirs.close()
    return ours
def send(channel, body, length=None):
    channel.sendall(struct.pack("<I", len(body) if length is None else length) + body)
def receive(channel):
    length = struct.unpack("<I", channel.recv(4, socket.MSG_WAITALL))[0]
    return json.loads(channel.recv(length, socket.MSG_WAITALL))
)py";
}

}  // namespace talaria
