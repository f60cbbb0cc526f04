#include "api/follow.h"

#include "api/exec_result.h"

namespace talaria {

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
  // One that ends between our question and its arrival answers at once.
  const Wait wait{output_read_wait, until_ == FollowUntil::gone && last_ ? Wait::Until::gone : Wait::Until::ended};
  reading_ = parts_.outputs.read(job_, offset_, output_read_size, wait,
                                 [this](Result<OutputPart> part) { take(std::move(part)); });
}

void JobFollow::take(Result<OutputPart> part) {
  reading_now_ = false;
  if (!part) return recover(part.error());
  failures_ = 0;
  if (!part->data.empty()) {
    const uint64_t begin = part->offset;
    offset_ = begin + part->data.size();
    const std::shared_ptr<bool> alive = alive_;
    follower_.output({begin, offset_, std::move(part->data)});
    if (!*alive) return;
    hold();
  }
  // What children that were left behind print goes on; the command's own output was all there when it ended.
  if (!part->running && !last_) last_ = part->end;
  const bool over = until_ == FollowUntil::gone ? part->complete && offset_ >= part->end : last_ && offset_ >= *last_;
  if (over) return finish();
  if (!paused_) read_on();
}

// The keeper went away, or forgot the job between question and answer: what is stored says how it stands.
void JobFollow::recover(const Error& error) {
  const LiveJob* job = parts_.jobs.live(job_);
  if ((!job || job->gone) && ++failures_ == 1) return read_on();
  const auto ended = follower_.ended;  // may destroy us
  ended(error_result(error));
}

void JobFollow::finish() {
  const auto ended = follower_.ended;  // may destroy us
  Result<JobRow> row = parts_.jobs.find(job_, std::nullopt);
  if (!row) return ended(error_result(row.error()));
  close(true);
  ended(ending_result(*row, details_of(*row)));
}

}  // namespace talaria
