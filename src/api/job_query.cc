#include "api/job_query.h"

#include <algorithm>

#include "api/exec_result.h"
#include "base/text.h"

namespace talaria {
namespace {

constexpr const char* listed_states[] = {"running", "finished", "completed", "failed", "lost"};

Result<> check_state(const std::string& state) {
  for (const char* known : listed_states) {
    if (state == known) return ok;
  }
  return invalid("process parameter \"state\" must be running, finished, completed, failed or lost, got \"" + state +
                 "\"");
}

// `wanted` is in small letters already.
bool has_text(const std::string& text, const std::string& wanted) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
}

}  // namespace

bool JobQuery::must_look() const {
  return !text.empty() || started_from || started_until || (!state.empty() && state != "finished");
}

Result<JobQuery> job_query(const ProcessArguments& arguments, std::optional<std::string> session, EpochMs now) {
  JobQuery query;
  query.session = std::move(session);
  if (arguments.state) {
    query.state = trim(*arguments.state);
    TRY(check_state(query.state));
  }
  query.text = lower(arguments.text.value_or(""));
  if (arguments.newer_than_ms) query.started_from = now - *arguments.newer_than_ms;
  if (arguments.older_than_ms) query.started_until = now - *arguments.older_than_ms;
  if (arguments.limit && *arguments.limit > most_listed) {
    return invalid("process parameter \"limit\" must be at most " + std::to_string(most_listed) +
                   " for list; go on with \"offset\"");
  }
  query.limit = arguments.limit;
  query.offset = arguments.offset.value_or(0);
  return query;
}

bool matches(const JobQuery& query, const JobRow& row) {
  if (query.session && row.session != *query.session) return false;
  if (query.state == "finished" && !finished(row.state)) return false;
  if (!query.state.empty() && query.state != "finished" && status_word(row) != query.state) return false;
  if (query.started_from && row.started_ms < *query.started_from) return false;
  if (query.started_until && row.started_ms > *query.started_until) return false;
  return query.text.empty() || has_text(row.command, query.text) || has_text(row.name, query.text) ||
         has_text(row.label, query.text);
}

Result<FoundJobs> find_finished(const std::string& path, const JobQuery& query, JobPage page,
                                const std::atomic<bool>& cancelled) {
  Database database = TRY(Database::open_existing(path));
  JobTable jobs(database);
  FoundJobs found;
  if (!query.must_look()) {
    found.rows = TRY(jobs.finished_ones(query.session, page));
    found.total = TRY(jobs.count_finished(query.session));
    return found;
  }
  // None ended before it started.
  TRY(jobs.visit_finished(query.session, query.started_from.value_or(0), [&](JobRow&& row) {
    if (!matches(query, row)) return !cancelled;
    const int64_t place = found.total++;
    if (place >= page.offset && place - page.offset < page.limit) found.rows.push_back(std::move(row));
    return !cancelled;
  }));
  return found;
}

}  // namespace talaria
