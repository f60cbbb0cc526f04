#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/sandbox_wish.h"
#include "api/skill_question.h"
#include "loop/loop.h"
#include "os/home.h"
#include "os/log.h"
#include "tools/operation.h"
#include "tools/registry.h"

namespace talaria {

struct Parts;
class Sessions;

// A piece of a followed job's raw output.
// Without data and later than the piece before: what is between them is lost, and nothing came after it yet.
struct OutputPiece {
  uint64_t offset = 0;
  uint64_t next = 0;
  std::string data;
  std::string lost_because = {};  // why what is missing before it is lost; empty: the log's limit
};

// What a follower gets. Exactly one `ended` closes it.
struct Follower {
  std::function<void(OutputPiece)> output;
  std::function<void(ToolResult)> ended;  // text: one plain sentence about how it ended, or empty; details as exec's
};

// A running follow. The door pauses it while its client does not read.
class Follow : public Operation {
 public:
  virtual void pause() = 0;
  virtual void resume() = 0;
};

enum class FollowUntil { ended, gone };
enum class Pace {
  live,        // what a slow follower misses is lost to it once the log drops it
  every_byte,  // the command waits for a slow follower, as at the end of a pipe
};

// Every operation of the product, once. Doors only translate to these. Lives on the loop's thread.
// All callbacks come later, from the loop, never from inside the call that asked.
class Api {
 public:
  // Opens the store, finds or starts the keeper, takes up the jobs that are there.
  // Without a log, what is worth a line goes to stderr.
  // `tools` are those that call_tool knows; they may be added later.
  static Result<std::unique_ptr<Api>> open(Loop& loop, const Home& home, ToolRegistry& tools, Log* log = nullptr);
  ~Api();

  // What tools work with.
  Parts& parts();
  Sessions& sessions();

  // Those of all configured toolsets, or of a session's.
  Result<JsonArray> tools(const std::optional<SessionRef>& session, const Caller& caller) const;
  [[nodiscard]] OperationPtr call_tool(const std::string& name, JsonObject arguments, const SessionRef& session,
                                       const Caller& caller, Done<ToolResult> done);

  // exec that never waits; `id` (optional) makes a repeated start the same job; `keep_stdin` opens its stdin.
  [[nodiscard]] OperationPtr start_job(JsonObject exec_arguments, const std::string& id, bool keep_stdin,
                                       const SessionRef& session, const Caller& caller, SandboxWish sandbox,
                                       Done<ToolResult> done);
  [[nodiscard]] Result<std::unique_ptr<Follow>> follow_job(const std::string& id, uint64_t offset, FollowUntil until,
                                                           Pace pace, const Caller& caller, Follower follower);
  // `at` is where `data` belongs in all that this client wrote to the job: with it a write may be repeated when its
  // answer was lost, and nothing is taken twice.
  [[nodiscard]] OperationPtr write_job(const std::string& id, const std::string& data, bool eof,
                                       std::optional<uint64_t> at, const Caller& caller, Done<ToolResult> done);
  [[nodiscard]] OperationPtr signal_job(const std::string& id, const std::string& signal, const Caller& caller,
                                        Done<ToolResult> done);

  // Stored events first, then new ones; each is delivered to one subscriber, once. Empty session: all sessions'.
  [[nodiscard]] OperationPtr subscribe_events(const std::string& session, Delivery delivery,
                                              std::function<void(JsonObject)> deliver);
  // The subscriber has it. True for the one call that says so first.
  bool acknowledge_event(int64_t event);

  // {capabilities, profiles, identity, limits}: what this machine can do for a sandbox.
  [[nodiscard]] OperationPtr probe_sandbox(Done<JsonObject> done);
  // What a session's sandbox would show, write and reach.
  [[nodiscard]] OperationPtr explain_sandbox(const SessionRef& session, const Caller& caller, SandboxWish wish,
                                             Done<JsonObject> done);

  [[nodiscard]] OperationPtr ask_skills(SkillQuestion question, const SessionRef& session, const Caller& caller,
                                        Done<JsonObject> done);

  JsonObject status() const;  // without what only the door knows (socket)
  // gateway.max_connections as it stands.
  int64_t max_connections() const;
  [[nodiscard]] OperationPtr doctor(Done<JsonArray> done);
  // How many jobs run on. With end_jobs, ends them first.
  [[nodiscard]] OperationPtr stop(bool end_jobs, Done<JsonObject> done);

 private:
  class Impl;
  explicit Api(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace talaria
