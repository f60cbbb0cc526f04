// How Jobs finds its way back after this process, the keeper or the machine went down.
#include <set>

#include "api/jobs.h"
#include "os/file.h"
#include "process/output_log.h"

namespace talaria {
namespace {

// The secrets in the environment a running process was started with; none when it cannot be read.
SharedEnvironment secrets_of(pid_t pid) {
  Result<std::string> bytes = read_file("/proc/" + std::to_string(pid) + "/environ");
  Result<Environment> environment = bytes ? parse_env0(*bytes) : Result<Environment>(Environment());
  return std::make_shared<const Environment>(environment ? secrets_in(*environment) : Environment());
}

// How a job ended that ended while no gateway was there: the keeper left it in the job's folder.
std::optional<JobStatus> left_status(const std::string& folder) {
  Result<std::string> text = read_file(folder + "/meta.json");
  if (!text) return std::nullopt;
  Result<JsonObject> object = parse_json_object(*text);
  if (!object) return std::nullopt;
  JobStatus status = job_status_from(*object);
  if (status.running) return std::nullopt;
  status.gone = true;
  return status;
}

void become_lost(JobRow& row, const std::string& folder) {
  row.state = JobState::lost;
  row.reason = "lost";
  row.ended_ms = epoch_ms();
  row.leftovers = 0;
  row.stdin_open = false;
  const Result<LogFiles> files = LogFiles::find(folder);
  if (!files) return;
  row.output_bytes = files->end();
  row.lost_bytes = files->lost_end() - files->lost_begin();
}

}  // namespace

Result<> Jobs::connect() {
  KeeperClient::Events events;
  events.on_ended = [this](const JobStatus& status, std::optional<std::string> output) {
    ended(status, std::move(output));
  };
  events.on_gone = [this](const JobStatus& status) { gone(status); };
  events.on_lost = [this](const Error& why) { lost(why); };
  events.on_space_gone = events_.on_space_gone;
  keeper_ = TRY(KeeperClient::open(loop_, home_, std::move(events)));
  events_.on_connected(*keeper_);
  std::set<std::string> there;
  for (const JobStatus& status : keeper_->jobs_at_connect()) {
    there.insert(status.job);
    take_up(status);
  }
  for (JobRow& row : TRY(store_.jobs().unfinished())) {
    if (!there.contains(row.id) && !live(row.id)) take_up_without_keeper(std::move(row));
  }
  return ok;
}

void Jobs::take_up(const JobStatus& status) {
  if (is_errand(status)) return errand_ended(status, std::nullopt);
  Result<std::optional<JobRow>> found = store_.jobs().find(status.job);
  if (!found) return events_.on_trouble(found.error().message());
  const bool known = found->has_value();
  const bool was_finished = known && (*found)->state == JobState::ended;
  auto job = std::make_unique<LiveJob>();
  job->row = known ? **std::move(found) : row_from_meta(status);
  job->details = details_of(job->row);
  job->row.keeper = keeper_->instance();
  job->stored = known;
  take_status(job->row, job->details, status);
  job->lost_begin = status.lost_begin;
  job->lost_end = status.lost_end;
  job->gone = status.gone;
  // Whoever waited for it in the foreground is gone with the last gateway.
  if (!was_finished) job->details.handed_back = true;
  if (!status.gone) job->secrets = secrets_of(status.pid);
  LiveJob& live = *(live_[status.job] = std::move(job));
  save(live);
  events_.on_taken_up(live);
  if (!status.running && !was_finished) events_.on_finished(live);
  if (status.gone) settle(live);
}

void Jobs::take_up_without_keeper(JobRow row) {
  const std::string folder = home_.job(row.id);
  const std::optional<JobStatus> status = left_status(folder);
  LiveJob job;
  job.row = std::move(row);
  job.details = details_of(job.row);
  if (status) take_status(job.row, job.details, *status);
  else become_lost(job.row, folder);
  job.details.handed_back = true;
  job.gone = job.stored = true;
  events_.on_finished(job);
  save(job);
}

void Jobs::lost(const Error& why) {
  if (!leaving_) events_.on_trouble(why.message());
  lost_keepers_.push_back(std::move(keeper_));
  lose_errands(why);
  std::map<std::string, std::unique_ptr<LiveJob>> jobs;
  jobs.swap(live_);
  for (auto& [id, job] : jobs) {
    job->gone = true;
    job->row.leftovers = 0;
    if (job->row.state == JobState::starting) {
      job->start_error =
          Error(ErrorCode::unavailable, "the keeper went away while it started the command: " + why.message());
      if (Result<bool> removed = store_.jobs().remove(id); !removed) events_.on_trouble(removed.error().message());
      tell_watchers(*job);
      continue;
    }
    const bool was_running = job->running();
    if (was_running) become_lost(job->row, home_.job(id));
    else if (job->output) job->row.output_inline = job->output;
    if (was_running) finish(*job);
    else tell_watchers(*job);
    save(*job);
  }
}

}  // namespace talaria
