#include "api/announcer.h"

#include "api/exec_result.h"
#include "base/utf8.h"
#include "process/exit_status.h"

namespace talaria {
namespace {
constexpr size_t snippet_source = 400;
constexpr size_t snippet_length = 180;

}  // namespace

std::string event_snippet(std::string_view text, Keep keep) {
  std::string line;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) line += c;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return std::string(keep == Keep::end ? last_characters(line, snippet_length)
                                       : first_characters(line, snippet_length));
}

std::string exit_event_text(const JobRow& row, const std::string& snippet) {
  std::string text = "Exec " + std::string(status_word(row)) + " (" + row.id;
  if (row.exit_signal) text += ", signal " + signal_name(*row.exit_signal);
  else if (row.exit_code) text += ", code " + std::to_string(*row.exit_code);
  text += ")";
  return snippet.empty() ? text : text + " :: " + snippet;
}

void Announcer::handed_back(LiveJob& job) {
  std::vector<Pattern> patterns;
  for (const std::string& expression : job.details.notify.patterns) {
    Result<Pattern> pattern = Pattern::compile(expression);
    if (pattern) patterns.push_back(*std::move(pattern));
  }
  if (patterns.empty() || searches_.contains(job.row.id)) return;
  // From the beginning: what was found before, the store knows and does not tell twice.
  PatternSearch::Events events;
  events.on_match = [this, id = job.row.id, session = job.row.session, secrets = job.secrets](
                        const LineMatcher::Match& match) { announce_match(id, session, secrets, match); };
  events.on_end = [this, id = job.row.id] { searches_.erase(id); };
  searches_[job.row.id] =
      std::make_unique<PatternSearch>(outputs_, job.row.id, 0, std::move(patterns), std::move(events));
}

void Announcer::announce_match(const std::string& job, const std::string& session, const SharedEnvironment& secrets,
                               const LineMatcher::Match& match) {
  EventRow event;
  event.session = session;
  event.job = job;
  event.kind = "pattern";
  event.key = match.expression;
  const std::string line = event_snippet(secrets_.mask(secrets).hide(match.line), Keep::beginning);
  event.text = "Exec output matched (" + job + ", " + match.expression + ") :: " + line;
  event.details_json = write_json(JsonObject{{"sessionId", job}, {"pattern", match.expression}, {"line", line}});
  board_.add(std::move(event));
}

bool Announcer::wants_exit(const LiveJob& job) const {
  const JobDetails& details = job.details;
  if (!details.handed_back || details.stop_requested || details.exit_seen) return false;
  const int sent = details.sent_signal;
  if (sent != 0 && (job.row.exit_signal == sent || job.row.exit_code == 128 + sent)) return false;
  const ExecSettings& settings = settings_.last_good().exec;
  if (!details.notify.exit.value_or(settings.notify_on_exit)) return false;
  const bool silent_success = job.row.exit_code == 0 && job.row.output_bytes == 0;
  return !silent_success || settings.notify_on_exit_empty_success || details.notify.exit.value_or(false);
}

void Announcer::finished(LiveJob& job) {
  if (job.open_polls == 0 && wants_exit(job)) announce_exit(job);
}

void Announcer::poll_closed(LiveJob& job, bool told) {
  if (told) jobs_.end_is_told(job);
  else if (!job.running()) finished(job);
}

void Announcer::forget(const std::string& job) {
  searches_.erase(job);
  board_.withdraw(job);
}

std::string Announcer::snippet_of(const LiveJob& job) {
  Result<ByteSource> source =
      job.output ? Result<ByteSource>(source_of(*job.output)) : outputs_.open_stored(job.row.id);
  if (!source) return "";
  Result<std::string> tail = tail_text(*source, snippet_source);
  return tail ? event_snippet(secrets_.mask(job.secrets).hide(*std::move(tail)), Keep::end) : "";
}

void Announcer::announce_exit(const LiveJob& job) {
  EventRow event;
  event.session = job.row.session;
  event.job = job.row.id;
  event.kind = job.row.state == JobState::lost ? "lost" : "exit";
  event.text = exit_event_text(job.row, snippet_of(job));
  JsonObject details = {{"sessionId", job.row.id}, {"status", status_word(job.row)}, {"name", job.row.name}};
  put_ending(details, job.row);
  event.details_json = write_json(details);
  board_.add(std::move(event));
}

}  // namespace talaria
