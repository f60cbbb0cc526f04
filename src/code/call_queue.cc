#include "code/call_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

constexpr size_t most_records = 10'000;
constexpr size_t most_waiting_weight = 8 * longest_script_frame;
// While so much is unread no further call starts: the answers of eight that run already may come on top of it.
constexpr size_t most_unsent_answers = 64 << 20;
constexpr size_t longest_shown_name = 100;  // characters

constexpr std::string_view too_late = "This call came after its run had ended.";
constexpr std::string_view cut_short = "The run ended before this call did; it was cancelled.";

JsonObject told(ToolResult result) {
  if (result.is_error && !result.details.contains("error")) result.details["error"] = result.text;
  return std::move(result.details);
}

}  // namespace

CallQueue::CallQueue(Loop& loop, const ScriptLoad& load, Start start, Answer answer)
    : loop_(loop), load_(load), start_(std::make_shared<const Start>(std::move(start))), answer_(std::move(answer)) {}

void CallQueue::begin(RunLimits limits) {
  (void)end();
  limits.max_parallel = std::max<int64_t>(limits.max_parallel, 1);
  limits_ = std::move(limits);
  began_ = Clock::now();
}

RunTally CallQueue::end() {
  limits_.reset();
  waiting_weight_ = 0;
  const std::map<uint64_t, Running> running = std::exchange(running_, {});
  const std::deque<Waiting> waiting = std::exchange(waiting_, {});
  const auto cancel = [this](const Call& call) {
    note_cancelled(call);
    answer_(call.channel, error_frame(call.id, cut_short));
  };
  for (const auto& [number, call] : running) cancel(call.call);
  for (const Waiting& call : waiting) cancel(call.call);
  return std::exchange(tally_, {});
}

void CallQueue::drop_all() {
  limits_.reset();
  waiting_weight_ = 0;
  const std::map<uint64_t, Running> running = std::exchange(running_, {});
  const std::deque<Waiting> waiting = std::exchange(waiting_, {});
  for (const auto& [number, call] : running) note_cancelled(call.call);
  for (const Waiting& call : waiting) note_cancelled(call.call);
}

void CallQueue::drop_channel(uint64_t channel) {
  std::vector<OperationPtr> dropped;  // gone when all is in order again
  for (auto at = running_.begin(); at != running_.end();) {
    const auto next = std::next(at);
    if (at->second.call.channel == channel) {
      note_cancelled(at->second.call);
      dropped.push_back(std::move(at->second.operation));
      running_.erase(at);
    }
    at = next;
  }
  std::erase_if(waiting_, [&](const Waiting& call) {
    if (call.call.channel != channel) return false;
    note_cancelled(call.call);
    waiting_weight_ -= call.weight;
    return true;
  });
  if (!waiting_.empty()) settle_soon();
}

bool CallQueue::has_room() const {
  return std::cmp_less(running_.size(), limits_->max_parallel) && load_.unsent <= most_unsent_answers;
}

std::optional<std::string> CallQueue::reason_to_refuse(const ScriptRequest& request) const {
  if (!limits_->tools.contains(request.call.tool)) {
    const std::vector<std::string> names(limits_->tools.begin(), limits_->tools.end());
    return "Tool '" +
           std::string(
               first_characters(clean(request.call.tool.substr(0, 4 * longest_shown_name)), longest_shown_name)) +
           "' is not available in execute_code. Available: " + (names.empty() ? "none" : join(names, ", "));
  }
  if (tally_.calls >= limits_->max_calls) {
    return "Tool call limit reached (" + std::to_string(limits_->max_calls) +
           "). No more tool calls allowed in this execution.";
  }
  if (waiting_weight_ + request.weight > most_waiting_weight) {
    return "Too many large calls of this script wait at once (" + human_bytes(most_waiting_weight) +
           " is the most). Make fewer in parallel.";
  }
  return std::nullopt;
}

void CallQueue::refuse(uint64_t channel, std::optional<int64_t> id, std::string_view why) {
  if (limits_) ++tally_.refused;
  answer_(channel, error_frame(id, why));
}

void CallQueue::arrive(uint64_t channel, ScriptRequest request, size_t bytes) {
  if (!limits_) return refuse(channel, request.id, too_late);
  if (const auto reason = reason_to_refuse(request)) return refuse(channel, request.id, *reason);
  ++tally_.calls;
  Call call{channel, request.id, request.call.tool, Clock::now(), tally_.records.size()};
  if (tally_.records.size() < most_records) {
    CallRecord record{.tool = call.tool, .arguments = short_arguments(request.call.arguments)};
    record.began = call.arrived - began_;
    record.argument_bytes = bytes;
    tally_.records.push_back(std::move(record));
  }
  if (waiting_.empty() && has_room()) return start(std::move(call), std::move(request.call));
  waiting_weight_ += request.weight;
  waiting_.push_back({std::move(call), std::move(request.call), request.weight});
}

void CallQueue::pump() {
  const std::shared_ptr<bool> alive = alive_;
  while (*alive && !waiting_.empty() && has_room()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_weight_ -= next.weight;
    start(std::move(next.call), std::move(next.wanted));
  }
}

void CallQueue::start(Call call, ScriptCall wanted) {
  const std::shared_ptr<bool> alive = alive_;
  const std::shared_ptr<const Start> start = start_;
  const uint64_t number = ++last_number_;
  running_.emplace(number, Running{std::move(call), nullptr});
  OperationPtr operation = (*start)(std::move(wanted), [this, alive, number](Result<ToolResult> result) {
    if (*alive) finish(number, std::move(result));
  });
  if (!*alive) return;
  if (const auto at = running_.find(number); at != running_.end()) at->second.operation = std::move(operation);
}

void CallQueue::finish(uint64_t number, Result<ToolResult> result) {
  auto node = running_.extract(number);
  if (node.empty()) return;
  if (node.mapped().operation) retired_.push_back(std::move(node.mapped().operation));
  const Call& call = node.mapped().call;
  const bool failed = !result || result->is_error;
  std::optional<std::string> frame =
      result ? result_frame(call.id, told(std::move(*result))) : error_frame(call.id, result.error().message());
  const bool too_long = !frame;
  if (too_long) {
    frame = error_frame(call.id, "The result of " + call.tool + " is longer than " + human_bytes(longest_script_frame) +
                                     ", the most that fits into one answer. Ask for less at a time.");
  }
  note_end(call, frame->size() - script_frame_header, failed || too_long);
  answer_(call.channel, std::move(*frame));
  settle_soon();
}

void CallQueue::note_end(const Call& call, size_t result_bytes, bool failed) {
  tally_.result_bytes += result_bytes;
  if (call.record >= tally_.records.size()) return;
  CallRecord& record = tally_.records[call.record];
  record.took = Clock::now() - call.arrived;
  record.result_bytes = result_bytes;
  record.failed = failed;
}

void CallQueue::note_cancelled(const Call& call) {
  if (call.record >= tally_.records.size()) return;
  tally_.records[call.record].took = Clock::now() - call.arrived;
  tally_.records[call.record].cancelled = true;
}

// From the loop, for the operation that has just ended may be on the stack, and so may be destroyed by nobody yet: not
// by us, and not by what the start of the next call leads to.
void CallQueue::settle_soon() {
  if (std::exchange(settling_, true)) return;
  loop_.post([this, alive = alive_] {
    if (!*alive) return;
    settling_ = false;
    retired_.clear();
    pump();
  });
}

}  // namespace talaria
