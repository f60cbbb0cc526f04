#include "api/follow.h"

#include <algorithm>

#include "api/exec_result.h"

namespace talaria {
namespace {
constexpr auto empty_pause = 50ms;
constexpr Clock::duration longest_pause = 1s;
constexpr int most_failures = 40;  // in a row: half a minute
constexpr int most_absences = 3;
}  // namespace

JobFollow::JobFollow(Parts& parts, std::string job, uint64_t offset, FollowUntil until, Pace pace, Follower follower)
    : parts_(parts), job_(std::move(job)), offset_(offset), until_(until), pace_(pace), follower_(std::move(follower)) {
  if (LiveJob* live = parts_.jobs.live(job_); live && live->running()) {
    ++live->open_polls;
    counted_ = true;
  }
  hold();
  read_on();
}

JobFollow::~JobFollow() {
  *alive_ = false;
  close(false);
  const LiveJob* live = parts_.jobs.live(job_);
  if (pace_ == Pace::live || !live || live->gone) return;
  if (Result<KeeperClient*> keeper = parts_.jobs.keeper()) (*keeper)->release(job_, number_);
}

void JobFollow::hold() {
  const LiveJob* live = parts_.jobs.live(job_);
  if (pace_ == Pace::live || !live || live->gone) return;
  if (Result<KeeperClient*> keeper = parts_.jobs.keeper()) (*keeper)->hold(job_, number_, offset_);
}

int64_t JobFollow::next_number() {
  static int64_t last = 0;
  return ++last;
}

void JobFollow::close(bool told) {
  LiveJob* live = parts_.jobs.live(job_);
  if (counted_ && live) {
    --live->open_polls;
    parts_.announcer.poll_closed(*live, told);
  }
  counted_ = false;
}

void JobFollow::pause() { paused_ = true; }

void JobFollow::resume() {
  paused_ = false;
  if (!reading_now_) read_on();
}

void JobFollow::read_on() {
  reading_now_ = true;
  again_ = {};
  // One that ends between our question and its arrival answers at once.
  const Wait wait{output_read_wait, until_ == FollowUntil::gone && last_ ? Wait::Until::gone : Wait::Until::ended};
  reading_ = parts_.outputs.read(job_, offset_, output_read_size, wait,
                                 [this](Result<OutputPart> part) { take(std::move(part)); });
}

void JobFollow::take(Result<OutputPart> part) {
  reading_now_ = false;
  if (!part) return recover(part.error());
  const bool progress = part->offset > offset_ || !part->data.empty();
  if (progress || !part->complete) failures_ = 0;
  if (progress) {
    const uint64_t begin = std::max(part->offset, offset_);
    offset_ = begin + part->data.size();
    const std::shared_ptr<bool> alive = alive_;
    follower_.output({begin, offset_, std::move(part->data), part->lost_because});
    if (!*alive) return;
    hold();
  }
  // What children that were left behind print goes on; the command's own output was all there when it ended.
  if (!part->running && !last_) last_ = part->end;
  const bool over = until_ == FollowUntil::gone ? part->complete && offset_ >= part->end : last_ && offset_ >= *last_;
  if (over || (part->complete && !progress)) return finish();
  if (paused_) return;
  if (progress) return read_on();
  // Nothing came: we waited long, or are told the same again and again. Then at least not without a pause.
  again_ = parts_.loop.after(empty_pause, [this] {
    if (!paused_ && !reading_now_) read_on();
  });
}

// The job goes on whatever becomes of a question: descriptors and memory come back, a keeper is found again, and of one
// that went away, or forgot the job meanwhile, what is stored says how it stands.
void JobFollow::recover(const Error& error) {
  const bool absent = error.code() == ErrorCode::not_found;
  if (++failures_ > (absent ? most_absences : most_failures)) {
    const auto ended = follower_.ended;  // may destroy us
    return ended(error_result(error));
  }
  again_ = parts_.loop.after(std::min<Clock::duration>(empty_pause * failures_, longest_pause), [this] {
    if (paused_ || reading_now_) return;
    hold();
    read_on();
  });
}

void JobFollow::finish() {
  const auto ended = follower_.ended;  // may destroy us
  Result<JobRow> row = parts_.jobs.find(job_, std::nullopt);
  if (!row) return ended(error_result(row.error()));
  // All that is stored of one that runs is not its end.
  if (!finished(row->state)) {
    last_.reset();
    return recover(Error(ErrorCode::unavailable, "job " + job_ + " runs, and its output cannot be read now"));
  }
  close(true);
  ended(ending_result(*row, details_of(*row)));
}

}  // namespace talaria
