#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "code/run_tally.h"
#include "code/script_channel.h"
#include "code/script_message.h"
#include "loop/loop.h"
#include "tools/operation.h"

namespace talaria {

// What one run may call.
struct RunLimits {
  std::set<std::string> tools = {};
  int64_t max_calls = 50;
  int64_t max_parallel = 8;
};

// The calls of a script: which are allowed, which are under way, which wait for one of those to end.
class CallQueue {
 public:
  // May destroy the queue. `done` comes at most once, also from inside, and never after the operation was dropped.
  using Start = std::function<OperationPtr(ScriptCall, Done<ToolResult>)>;
  // Destroys nothing.
  using Answer = std::function<void(uint64_t channel, std::string frame)>;

  CallQueue(Loop& loop, const ScriptLoad& load, Start start, Answer answer);
  ~CallQueue() { *alive_ = false; }
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  // Calls that came before are answered as too late, and so are those after end().
  void begin(RunLimits limits);
  RunTally end();
  const RunTally& tally() const { return tally_; }
  bool active() const { return limits_.has_value(); }

  // `bytes` is the length of the frame the request came in. Every request gets exactly one answer, unless its channel
  // closes.
  void arrive(uint64_t channel, ScriptRequest request, size_t bytes);
  // Answers one that is not taken up, whatever it wants.
  void refuse(uint64_t channel, std::optional<int64_t> id, std::string_view why);
  void drop_channel(uint64_t channel);
  // Ends the run without a word to anybody; the tally stays for end().
  void drop_all();
  // Starts what waits, as far as there is room for it.
  void pump();

 private:
  struct Call {
    uint64_t channel = 0;
    int64_t id = 0;
    std::string tool = {};
    Clock::time_point arrived = {};
    size_t record = 0;
  };
  struct Waiting {
    Call call;
    ScriptCall wanted;
    size_t weight;
  };
  struct Running {
    Call call;
    OperationPtr operation;
  };

  bool has_room() const;
  std::optional<std::string> reason_to_refuse(const ScriptRequest& request) const;
  void start(Call call, ScriptCall wanted);
  void finish(uint64_t number, Result<ToolResult> result);
  void note_end(const Call& call, size_t result_bytes, bool failed);
  void note_cancelled(const Call& call);
  void settle_soon();

  Loop& loop_;
  const ScriptLoad& load_;
  std::shared_ptr<const Start> start_;
  Answer answer_;
  std::optional<RunLimits> limits_;
  Clock::time_point began_;
  RunTally tally_;
  std::deque<Waiting> waiting_;
  size_t waiting_weight_ = 0;
  uint64_t last_number_ = 0;
  std::map<uint64_t, Running> running_;
  std::vector<OperationPtr> retired_;  // ended inside their own callback, so destroyed a moment later
  bool settling_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace talaria
