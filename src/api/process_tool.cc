#include "api/process_tool.h"

#include "api/answer_later.h"
#include "api/process_call.h"
#include "config/dotenv.h"
#include "process/exit_status.h"

namespace talaria {
namespace {

Result<ProcessWish> make_wish(Parts& parts, const JsonObject& arguments, std::optional<std::string> session,
                              std::string reader) {
  ProcessWish wish;
  wish.arguments = TRY(parse_process_arguments(arguments));
  wish.session = std::move(session);
  wish.reader = std::move(reader);
  // Looking at jobs and ending them must work with a broken configuration too.
  Result<std::shared_ptr<const Settings>> settings = parts.settings.current();
  wish.settings = settings ? *settings : std::make_shared<const Settings>(parts.settings.last_good());
  if (wish.arguments.action != ProcessAction::list) {
    wish.row = TRY(parts.jobs.find(wish.arguments.job, wish.session));
  }
  return wish;
}

}  // namespace

OperationPtr start_process_tool(Parts& parts, const JsonObject& arguments, std::optional<std::string> session,
                                std::string reader, Done<ToolResult> done) {
  Result<ProcessWish> wish = make_wish(parts, arguments, std::move(session), std::move(reader));
  if (!wish) return answer_later(parts.loop, error_result(wish.error()), std::move(done));
  switch (wish->arguments.action) {
    case ProcessAction::list: return start_list(parts, *std::move(wish), std::move(done));
    case ProcessAction::poll: return start_poll(parts, *std::move(wish), std::move(done));
    case ProcessAction::log: return start_log(parts, *std::move(wish), std::move(done));
    case ProcessAction::write:
    case ProcessAction::send_keys:
    case ProcessAction::paste:
    case ProcessAction::submit: return start_input(parts, *std::move(wish), std::move(done));
    case ProcessAction::wait: return start_wait(parts, *std::move(wish), std::move(done));
    case ProcessAction::resize: return start_resize(parts, *std::move(wish), std::move(done));
    case ProcessAction::kill:
    case ProcessAction::clear:
    case ProcessAction::remove: return start_end(parts, *std::move(wish), std::move(done));
  }
  return nullptr;
}

Mask ProcessCall::mask() const {
  const LiveJob* job = parts_.jobs.live(id());
  if (job && job->secrets) return parts_.secrets.mask(job->secrets);
  if (secrets_) return parts_.secrets.mask(secrets_);
  // Of a job that is over, or from before this gateway's time: the secrets commands inherit now, or may be passed.
  const SharedEnvironment known = parts_.environment.secrets();
  Environment all = known ? *known : secrets_in(parts_.environment.own());
  const Result<Environment> stored = read_dotenv(parts_.jobs.home().root + "/.env");
  if (stored) all.insert(stored->begin(), stored->end());
  secrets_ = std::make_shared<const Environment>(std::move(all));
  return parts_.secrets.mask(secrets_);
}

std::string standing_sentence(const JobRow& row) {
  const JobDetails details = details_of(row);
  const std::string subject = details.script.empty() ? "Command " : "Script ";
  if (!finished(row.state)) return subject + "still running.";
  if (row.state == JobState::lost) return ending_sentence(row, {});
  // How a script's process ended tells less.
  const std::string error = text_or(details.result, "error");
  if (error.starts_with("gateway restarted")) return "Script ended: " + error + ".";
  std::string how;
  if (row.exit_signal) how = "signal " + signal_name(*row.exit_signal);
  else how = "code " + std::to_string(row.exit_code.value_or(0));
  if (row.reason == "killed") return subject + "stopped by request (" + how + ").";
  if (row.reason == "timeout" || row.reason == "limit") return ending_sentence(row, details);
  return subject + (row.exit_signal ? "ended by " : "exited with ") + how + ".";
}

JsonObject standing_details(const JobRow& row) {
  JsonObject details = {{"status", status_word(row)}, {"sessionId", row.id}, {"name", row.name}};
  if (finished(row.state)) {
    put_ending(details, row);
    if (row.ended_ms) details["endedAt"] = ended_at(row);
    if (row.leftovers > 0) details["childrenStillRunning"] = row.leftovers;
  } else {
    details["pid"] = row.pid;
    details["stdinOpen"] = row.stdin_open;
  }
  const JobDetails kept = details_of(row);
  if (!kept.stopped_by.empty()) details["stopped_by"] = kept.stopped_by;
  if (!kept.violations.empty()) details["violations"] = kept.violations;
  put_sandbox_news(details, kept);
  details["sandbox"] = sandbox_of(kept);
  if (!kept.result.empty()) details["result"] = kept.result;
  return details;
}

}  // namespace talaria
