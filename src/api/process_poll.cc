// process poll: what is new since this reader looked last.
#include <algorithm>
#include <array>

#include "api/process_call.h"
#include "api/safe_cut.h"
#include "api/sandbox_words.h"
#include "api/violation_notes.h"
#include "base/text.h"
#include "process/clean_text.h"
#include "process/lost_range.h"

namespace talaria {
namespace {

constexpr int64_t longest_poll_ms = 120'000;
// Output is over for now when so long nothing came. Each answer costs a model a turn, so one holds what belongs
// together.
constexpr auto pause_of_output = 300ms;
// Of one that prints all the time we need not hear more often.
constexpr auto between_looks = 20ms;
constexpr std::array<int64_t, 4> retry_hints = {5'000, 10'000, 30'000, 60'000};

class PollCall : public ProcessCall {
 public:
  using ProcessCall::ProcessCall;

  void begin() {
    deadline_ = Clock::now() +
                std::chrono::milliseconds(std::clamp<int64_t>(arguments().timeout_ms.value_or(0), 0, longest_poll_ms));
    Result<uint64_t> offset = arguments().offset ? Result<uint64_t>(static_cast<uint64_t>(*arguments().offset))
                                                 : parts_.jobs.reader_offset(id(), wish_.reader);
    if (!offset) return fail_soon(offset.error());
    offset_ = *offset;
    if (LiveJob* job = parts_.jobs.live(id()); job && !job->stored) parts_.jobs.save(*job);
    if (LiveJob* job = parts_.jobs.live(id()); job && job->running()) {
      ++job->open_polls;
      counted_ = true;
    }
    // Where the caller's own offset lies is not known yet; beyond the end nothing would ever wake it.
    read(arguments().offset ? Clock::duration{} : deadline_ - Clock::now());
  }
  ~PollCall() override { close(false); }

 private:
  void read(Clock::duration patience) {
    const LiveJob* job = parts_.jobs.live(id());
    const Clock::duration wait = job && job->running() ? std::max(patience, Clock::duration{}) : 0ms;
    reading_ = parts_.outputs.read(id(), offset_, most_bytes(), {wait},
                                   [this](Result<OutputPart> part) { take(std::move(part)); });
  }

  // A character has up to four bytes; more would only be cut off again.
  size_t most_bytes() const { return static_cast<size_t>(wish_.settings->exec.pending_max_output) * 4; }

  // There is output, up to `end`: once it pauses, all of it is read.
  void gather(uint64_t end) {
    again_ = parts_.loop.after(between_looks, [this, end] { listen(end); });
  }

  void listen(uint64_t end) {
    const Clock::duration left = std::max<Clock::duration>(deadline_ - Clock::now(), 0ms);
    const Clock::duration patience = std::min<Clock::duration>(pause_of_output, left);
    reading_ = parts_.outputs.read(id(), end, 1, {patience}, [this, end](const Result<OutputPart>& part) {
      if (!part) return fail(part.error());
      const bool goes_on = part->running && part->end > end && Clock::now() < deadline_;
      if (goes_on && part->end - offset_ < most_bytes()) return gather(part->end);
      gathered_ = true;
      read(0ms);
    });
  }

  void take(Result<OutputPart> part) {
    if (!part) return fail(part.error());
    const JobRow row = row_now();
    const bool running = part->running && !finished(row.state);
    if (offset_ > part->end) {
      offset_ = part->end;
      return read(deadline_ - Clock::now());
    }
    std::string_view bytes = part->data;
    // The rest of what is unfinished may come yet.
    if (!part->complete) bytes = bytes.substr(0, whole_part(bytes));
    bytes = bytes.substr(0, part_that_fits(bytes, static_cast<size_t>(wish_.settings->exec.pending_max_output)));
    // A secret that is printed in two parts must not be shown in two parts.
    const bool all = part->complete && part->offset + bytes.size() >= part->end;
    if (!all) bytes = std::string_view(part->data).substr(0, mask().cut_around(part->data, bytes.size()));
    const bool skipped = part->offset > offset_;  // what was there is lost, and that is news
    if (bytes.empty() && !skipped && running && Clock::now() < deadline_) {
      // Woken by half a character: with the same offset the keeper would answer at once again.
      if (part->data.empty()) return read(deadline_ - Clock::now());
      again_ = parts_.loop.after(std::min<Clock::duration>(20ms, deadline_ - Clock::now()),
                                 [this] { read(deadline_ - Clock::now()); });
      return;
    }
    const bool room = part->offset + bytes.size() == part->end && !skipped;
    if (running && room && !gathered_ && Clock::now() < deadline_) return gather(part->end);
    finish(row, *part, bytes, running);
  }

  void finish(const JobRow& row, const OutputPart& part, std::string_view bytes, bool running) {
    const uint64_t next = part.offset + bytes.size();
    Result<> noted = parts_.jobs.set_reader_offset(id(), wish_.reader, next);
    if (!noted) return fail(noted.error());
    std::string text = masked(clean(bytes, Collapse::yes));
    if (part.offset > offset_) {
      text.insert(0, "[" + loss_sentence(part.offset - offset_, part.lost_because) + "]\n");
    }
    const bool empty = text.empty();
    ToolResult result;
    result.text = empty ? "(no new output)" : text;
    if (result.text.ends_with('\n')) result.text.pop_back();
    result.text += "\n\n";
    const bool more = next < part.end;
    if (more && !running) result.text += "(More output follows: poll again.)\n\n";
    result.text += standing_sentence(row);
    result.details = standing_details(row);
    result.text += violation_paragraphs(result.details) + sandbox_paragraphs(details_of(row));
    result.details["output"] = text;
    result.details["nextOffset"] = next;
    if (next < part.end) result.details["more"] = true;
    if (running) result.details["retryInMs"] = retry_hint(empty);
    close(!running);
    answer(std::move(result));
  }

  int64_t retry_hint(bool empty) {
    LiveJob* job = parts_.jobs.live(id());
    if (!job) return retry_hints[0];
    int& in_a_row = job->empty_polls[wish_.reader];
    if (!empty) in_a_row = 0;
    const size_t step = std::min<size_t>(static_cast<size_t>(in_a_row), retry_hints.size() - 1);
    if (empty) ++in_a_row;
    return retry_hints[step];
  }

  void close(bool told) {
    LiveJob* job = parts_.jobs.live(id());
    if (counted_ && job) {
      --job->open_polls;
      parts_.announcer.poll_closed(*job, told);
    }
    // It announced itself before; if nobody heard it yet, nobody need hear it now.
    if (told) parts_.board.withdraw_exit(wish_.row.session, id());
    counted_ = false;
  }

  Clock::time_point deadline_;
  uint64_t offset_ = 0;
  bool gathered_ = false;
  bool counted_ = false;
  Outputs::Pending reading_;
  Loop::Timer again_;
};

}  // namespace

OperationPtr start_poll(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  return begin_call<PollCall>(parts, std::move(wish), std::move(done));
}

}  // namespace talaria
