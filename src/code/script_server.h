#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "code/call_queue.h"
#include "code/lobby.h"
#include "code/progress_gate.h"
#include "code/run_tally.h"
#include "code/script_channel.h"
#include "code/script_message.h"
#include "loop/loop.h"
#include "os/fd.h"
#include "tools/operation.h"

namespace talaria {

// Our side of one script process: sends it programs, serves the calls of its threads and of its children. Everything
// that comes from there is bounded and checked; what is wrong ends this service and nothing else.
class ScriptServer {
 public:
  // The server may be destroyed from inside each of them.
  struct Events {
    // Starts a tool call; `done` is called at most once, from the loop, and not after the returned operation is
    // dropped.
    std::function<OperationPtr(ScriptCall, Done<ToolResult>)> call = {};
    std::function<void(const ScriptProgress&)> progress = {};
    std::function<void(const ScriptRunEnd&)> ended = {};  // the run that was sent last; once
    std::function<void(int64_t)> hello = {};              // the answer to the last one sent; once
    // It sent what is malformed, or far too much; called once; nothing more is served.
    std::function<void(const Error&)> broken = {};
    std::function<void()> closed = {};  // no process holds the lobby any more
  };

  // `lobby` is our end.
  ScriptServer(Loop& loop, UniqueFd lobby, Events events);
  ~ScriptServer() { *alive_ = false; }
  ScriptServer(const ScriptServer&) = delete;
  ScriptServer& operator=(const ScriptServer&) = delete;

  // A channel goes along: the kernel may let the process hand over none of its own while another of its user has too
  // many descriptors on their way.
  Result<> send_run(int64_t run, const RunOrder& order, std::string_view source);
  Result<> send_hello(int64_t number);

  // Calls are served from now on.
  void begin(RunLimits limits);
  // Drops what is in flight (their operations are destroyed: cancelled); later calls are told that their run is over.
  RunTally end();
  // The same for a process that is about to be killed: nothing is answered and nothing read any more, so that it does
  // not go on meanwhile. For good.
  RunTally cut();
  // So far.
  RunTally tally() const { return calls_.tally(); }

 private:
  struct Client {
    std::unique_ptr<ScriptChannel> channel;
    size_t outstanding = 0;  // requests without an answer
  };

  Result<> send(std::string_view packet, const std::vector<int>& fds);
  void listen();
  void receive();
  void take(std::string_view packet, std::vector<UniqueFd> fds);
  void admit(std::vector<UniqueFd> fds);
  void open_channel(UniqueFd fd);
  void take_frame(uint64_t channel, const ScriptFrame& frame);
  void take_message(uint64_t channel, ScriptMessage message, size_t bytes);
  void answer(uint64_t channel, std::string frame);
  void regulate(Client& client);
  void drained(uint64_t channel);
  void drop_channel(uint64_t channel);
  void close();
  void break_off(const Error& why);

  Loop& loop_;
  UniqueFd lobby_;
  std::shared_ptr<const Events> events_;  // also held by who is calling one, for we may be gone before it returns
  ScriptLoad load_;
  CallQueue calls_;
  ProgressGate progress_;
  uint64_t last_channel_ = 0;
  std::map<uint64_t, Client> clients_;
  bool crowded_ = false;  // too much is unread: nobody is listened to
  bool broken_ = false;
  bool cut_ = false;
  std::optional<int64_t> run_;    // sent, and its end not told yet
  std::optional<int64_t> hello_;  // sent and not answered yet
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Loop::Timer retry_;  // the kernel did not let us watch the lobby
  Loop::Watch readable_;
};

}  // namespace talaria
