// process wait: until a job ends or prints something, without polling. process resize beside it: both are one question.
#include <algorithm>

#include "api/pattern_search.h"
#include "api/process_call.h"
#include "api/sandbox_words.h"
#include "api/script_result.h"
#include "api/shown_output.h"
#include "api/violation_notes.h"

namespace talaria {
namespace {

constexpr int64_t default_wait_ms = 120'000;
constexpr int64_t longest_wait_ms = 24 * 3600 * 1000;

class WaitCall : public ProcessCall {
 public:
  using ProcessCall::ProcessCall;

  void begin() {
    const std::string until = arguments().until.value_or("exit");
    const int64_t patience = std::clamp<int64_t>(arguments().timeout_ms.value_or(default_wait_ms), 0, longest_wait_ms);
    deadline_ = parts_.loop.after(std::chrono::milliseconds(patience), [this] { reply({}, true); });
    if (until == "exit") return wait_for_exit();
    Result<Pattern> pattern =
        Pattern::compile(until.starts_with(pattern_prefix) ? until.substr(pattern_prefix.size()) : until);
    if (!pattern) {
      deadline_ = {};
      return fail_soon(Error(pattern.error()).within("process parameter \"until\" (\"exit\" or a pattern)"));
    }
    wait_for(*std::move(pattern));
  }
  ~WaitCall() override { close(false); }

 private:
  void wait_for_exit() {
    LiveJob* job = parts_.jobs.live(id());
    if (!job || !job->running()) {
      now_ = Later(parts_.loop, [this] { reply({}, false); });
      return;
    }
    ++job->open_polls;
    counted_ = true;
    watch_ = parts_.jobs.watch(*job, [this](LiveJob& changed) {
      if (!finished(changed.row.state)) return;
      // Not from here: Jobs has not announced it yet, and we are what keeps it from doing so.
      now_ = Later(parts_.loop, [this] { reply({}, false); });
    });
  }

  void wait_for(Pattern pattern) {
    PatternSearch::Events events;
    events.on_match = [this](const LineMatcher::Match& match) { found_ = match.line; };
    events.on_end = [this] { reply(found_, false); };
    const uint64_t offset = static_cast<uint64_t>(arguments().offset.value_or(0));
    std::vector<Pattern> patterns;
    patterns.push_back(std::move(pattern));
    search_ = std::make_unique<PatternSearch>(parts_.outputs, id(), offset, std::move(patterns), std::move(events));
  }

  // Who waited for it wants to read it, and would have to ask once more.
  void reply(const std::optional<std::string>& line, bool timed_out) {
    Reply reply{line, timed_out, search_ != nullptr && !line && !timed_out};
    stop_listening();
    reading_ = parts_.outputs.open(
        id(), [this, reply = std::move(reply)](const Result<ByteSource>& source) { tell(reply, source); });
  }

  struct Reply {
    std::optional<std::string> line;
    bool timed_out;
    bool ended_without;
  };

  void tell(const Reply& reply, const Result<ByteSource>& source) {
    const JobRow row = row_now();
    // A person who waits has other ways to watch it, and no turns to save.
    const bool wanted = source && wish_.session;
    const ShownOutput output = wanted ? news_in(*source, row) : ShownOutput();
    ToolResult result;
    if (reply.line && output.text.find(*reply.line) == std::string::npos) result.text = masked(*reply.line) + "\n\n";
    result.text += output.text;
    while (result.text.ends_with('\n')) result.text.pop_back();
    if (!result.text.empty()) result.text += "\n\n";
    if (output.truncated) result.text += "(" + way_to_the_rest(id()) + ")\n\n";
    if (reply.timed_out) result.text += "(not yet)\n\n";
    if (reply.ended_without) result.text += "(the output ended without it)\n\n";
    result.text += standing_sentence(row);
    result.details = standing_details(row);
    result.text += violation_paragraphs(result.details) + sandbox_paragraphs(details_of(row));
    if (reply.line) result.details["found"] = masked(*reply.line);
    result.details["timedOut"] = reply.timed_out;
    if (wish_.session) result.details["output"] = output.text, result.details["truncated"] = output.truncated;
    close(finished(row.state));
    answer(std::move(result));
  }

  // What this reader has not polled yet. Its place stays where it is: only poll cuts so that no secret is halved.
  ShownOutput news_in(const ByteSource& source, const JobRow& row) const {
    const Result<uint64_t> seen = arguments().offset ? Result<uint64_t>(static_cast<uint64_t>(*arguments().offset))
                                                     : parts_.jobs.reader_offset(id(), wish_.reader);
    const uint64_t from = seen ? std::min(*seen, source.size) : 0;
    const auto most = static_cast<size_t>(wish_.settings->exec.pending_max_output);
    Result<ShownOutput> shown = show_part(part_of(source, from, source.size), mask(), most, Collapse::yes);
    if (!shown) return {};
    if (from > 0) shown->text = mask().hide_cut(std::move(shown->text), CutEnd::front);
    if (!finished(row.state)) shown->text = mask().hide_cut(std::move(shown->text), CutEnd::back);
    return *std::move(shown);
  }

  // We live on for a moment after the answer. A job that ended is heard of once more when nothing of it is left, and
  // that would be a second answer.
  void stop_listening() {
    watch_.reset();
    search_.reset();
    now_ = {};
    deadline_ = {};
  }

  void close(bool told) {
    LiveJob* job = parts_.jobs.live(id());
    if (counted_ && job) {
      --job->open_polls;
      parts_.announcer.poll_closed(*job, told);
    }
    if (told) parts_.board.withdraw_exit(wish_.row.session, id());
    counted_ = false;
  }

  bool counted_ = false;
  std::optional<std::string> found_;
  JobWatch watch_;
  std::unique_ptr<PatternSearch> search_;
  Outputs::Pending reading_;
  Later now_;
  Loop::Timer deadline_;
};

class ResizeCall : public ProcessCall {
 public:
  using ProcessCall::ProcessCall;

  void begin() {
    if (!arguments().rows || !arguments().cols) return fail_soon(invalid("process resize needs \"rows\" and \"cols\""));
    if (!wish_.row.tty) {
      return fail_soon(Error(ErrorCode::conflict, "Job " + id() + " has no terminal; start it with pty=true"));
    }
    if (finished(wish_.row.state)) return fail_soon(Error(ErrorCode::conflict, standing_sentence(wish_.row)));
    Result<KeeperClient*> keeper = parts_.jobs.keeper();
    if (!keeper) return fail_soon(keeper.error());
    const WindowSize size{static_cast<int>(*arguments().rows), static_cast<int>(*arguments().cols)};
    call_ = (*keeper)->resize(id(), size, [this, size](const Result<JobStatus>& status) {
      if (!status) return fail(status.error());
      ToolResult result;
      result.text = "Resized job " + id() + " to " + std::to_string(size.rows) + " rows and " +
                    std::to_string(size.cols) + " columns.";
      result.details = standing_details(row_now());
      result.details["rows"] = size.rows;
      result.details["cols"] = size.cols;
      answer(std::move(result));
    });
  }

 private:
  KeeperClient::Call call_;
};

}  // namespace

OperationPtr start_wait(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  return begin_call<WaitCall>(parts, std::move(wish), std::move(done));
}

OperationPtr start_resize(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  return begin_call<ResizeCall>(parts, std::move(wish), std::move(done));
}

}  // namespace talaria
