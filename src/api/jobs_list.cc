// How Jobs lists and counts: the running ones are in memory, the finished ones in the store.
#include <algorithm>

#include "api/jobs.h"

namespace talaria {

std::vector<JobRow> Jobs::running_rows(const std::optional<std::string>& session) const {
  std::vector<JobRow> rows;
  for (const auto& [id, job] : live_) {
    if (job->running() && !job->removed && (!session || job->row.session == *session)) rows.push_back(job->row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const JobRow& a, const JobRow& b) { return a.started_ms > b.started_ms; });
  return rows;
}

bool Jobs::end_is_unstored(const LiveJob& job, const std::optional<std::string>& session) {
  return !job.running() && !job.stored_end && !job.removed && (!session || job.row.session == *session);
}

std::vector<JobRow> Jobs::unstored_ends(const std::optional<std::string>& session) const {
  std::vector<JobRow> rows;
  for (const auto& [id, job] : live_) {
    if (end_is_unstored(*job, session)) rows.push_back(job->row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const JobRow& a, const JobRow& b) {
    return a.ended_ms.value_or(a.started_ms) > b.ended_ms.value_or(b.started_ms);
  });
  return rows;
}

Result<std::vector<JobRow>> Jobs::finished_rows(const std::optional<std::string>& session, JobPage page) {
  std::vector<JobRow> rows = TRY(store_.jobs().finished_ones(session, page));
  refresh(rows);
  return rows;
}

void Jobs::refresh(std::vector<JobRow>& rows) const {
  std::erase_if(rows, [this](const JobRow& row) { return removed_.contains(row.id); });
  for (JobRow& row : rows) {
    const auto found = live_.find(row.id);
    if (found != live_.end()) row = found->second->row;
  }
}

std::set<std::string> Jobs::live_ids() const {
  std::set<std::string> ids;
  for (const auto& [id, job] : live_) ids.insert(id);
  return ids;
}

Result<Jobs::Count> Jobs::count(const std::optional<std::string>& session) const {
  Count count;
  count.finished = TRY(store_.jobs().count_finished(session));
  // What was removed while nothing could be written still has its row.
  for (const std::string& id : removed_) {
    const std::optional<JobRow> row = TRY(store_.jobs().find(id));
    if (row && finished(row->state) && (!session || row->session == *session)) --count.finished;
  }
  for (const auto& [id, job] : live_) {
    if (job->running() && !job->removed && (!session || job->row.session == *session)) ++count.running;
    if (end_is_unstored(*job, session)) ++count.finished;
  }
  return count;
}

}  // namespace talaria
