#include "api/live_job.h"

namespace talaria {
namespace {

std::string reason_name(EndReason reason) {
  switch (reason) {
    case EndReason::none:
    case EndReason::exit: return "";
    case EndReason::timeout: return "timeout";
    case EndReason::killed: return "killed";
    case EndReason::limit: return "limit";
  }
  return "";
}

double number_or(const JsonObject& object, std::string_view name, double fallback) {
  const Json* value = object.if_contains(name);
  return value && value->is_number() ? value->to_number<double>() : fallback;
}

// How long it ran is what the keeper measured, whatever became of the wall clock meanwhile.
void take_times(JobRow& row, const JobStatus& status, const Timeline& timeline) {
  const NotedTime start{status.boot, status.started_boot_ns, status.started_ms};
  const NotedTime end{status.boot, status.ended_boot_ns, status.ended_ms};
  row.started_ms = timeline.of(start);
  if (!status.running) {
    row.ended_ms = timeline.of(end);
    const bool measured_in_another_boot = !start.boot.empty() && !timeline.is_of_this_boot(start);
    if (measured_in_another_boot) row.started_ms = *row.ended_ms - (end.boot_ns - start.boot_ns) / 1'000'000;
    row.ended_skew_ms = status.ended_ms - *row.ended_ms;
  }
  row.started_skew_ms = status.started_ms - row.started_ms;
}

}  // namespace

JsonObject to_json(const JobDetails& details) {
  JsonObject object;
  object["timeoutSeconds"] = details.timeout_seconds;
  object["notify"] = to_json(details.notify);
  object["handedBack"] = details.handed_back;
  object["stopRequested"] = details.stop_requested;
  object["sentSignal"] = details.sent_signal;
  object["exitSeen"] = details.exit_seen;
  object["elevated"] = details.elevated;
  object["door"] = details.door;
  if (!details.sandbox.empty()) object["sandbox"] = details.sandbox;
  if (!details.stopped_by.empty()) object["stoppedBy"] = details.stopped_by;
  if (!details.violations.empty()) object["violations"] = details.violations;
  if (details.may_leave) object["mayLeave"] = true;
  if (details.network_tried != NetworkTried::no) object["networkTried"] = name_of(details.network_tried);
  if (!details.private_files.empty()) object["privateFiles"] = details.private_files;
  if (!details.script.empty()) object["script"] = details.script;
  if (!details.result.empty()) object["result"] = details.result;
  return object;
}

JobDetails job_details_from(const JsonObject& object) {
  JobDetails details;
  details.timeout_seconds = number_or(object, "timeoutSeconds", 0);
  if (const JsonObject* notify = object_or_null(object, "notify")) details.notify = notify_from(*notify);
  details.handed_back = boolean_or(object, "handedBack");
  details.stop_requested = boolean_or(object, "stopRequested");
  details.sent_signal = static_cast<int>(integer_or(object, "sentSignal"));
  details.exit_seen = boolean_or(object, "exitSeen");
  details.elevated = boolean_or(object, "elevated");
  details.door = text_or(object, "door");
  if (const JsonObject* sandbox = object_or_null(object, "sandbox")) details.sandbox = *sandbox;
  if (const JsonObject* stop = object_or_null(object, "stoppedBy")) details.stopped_by = *stop;
  if (const Json* found = object.if_contains("violations"); found && found->is_array()) {
    details.violations = found->get_array();
  }
  details.may_leave = boolean_or(object, "mayLeave");
  details.network_tried = network_tried_named(text_or(object, "networkTried"));
  if (const Json* files = object.if_contains("privateFiles"); files && files->is_array()) {
    details.private_files = files->get_array();
  }
  if (const JsonObject* script = object_or_null(object, "script")) details.script = *script;
  if (const JsonObject* result = object_or_null(object, "result")) details.result = *result;
  return details;
}

JobDetails details_of(const JobRow& row) {
  Result<JsonObject> object = parse_json_object(row.details_json);
  return object ? job_details_from(*object) : JobDetails();
}

JsonObject job_meta(const JobRow& row, const JobDetails& details) {
  JsonObject meta;
  meta["session"] = row.session;
  meta["command"] = row.command;
  meta["cwd"] = row.cwd;
  meta["host"] = row.host;
  meta["label"] = row.label;
  meta["name"] = row.name;
  meta["background"] = row.background;
  meta["persist"] = row.persist;
  meta["details"] = to_json(details);
  return meta;
}

JobRow row_from_meta(const JobStatus& status, const Timeline& timeline) {
  const JsonObject& meta = status.meta;
  JobRow row;
  row.id = status.job;
  row.session = text_or(meta, "session");
  row.command = text_or(meta, "command");
  row.cwd = text_or(meta, "cwd");
  row.host = text_or(meta, "host", "gateway");
  row.label = text_or(meta, "label");
  row.name = text_or(meta, "name");
  row.background = boolean_or(meta, "background");
  row.persist = boolean_or(meta, "persist");
  JobDetails details;
  if (const JsonObject* stored = object_or_null(meta, "details")) details = job_details_from(*stored);
  details.handed_back = true;  // whoever waited for it in the foreground is gone
  take_status(row, details, status, timeline);
  row.details_json = write_json(to_json(details));
  return row;
}

JsonObject errand_meta() { return {{"errand", true}}; }

bool is_errand(const JobStatus& status) { return boolean_or(status.meta, "errand"); }

Environment secrets_in(const Environment& environment) {
  Environment secrets;
  for (const auto& [name, value] : environment) {
    if (is_secret_variable(name, value)) secrets.emplace(name, value);
  }
  return secrets;
}

void take_violations(JobRow& row, JobDetails& details, const JobStatus& status) {
  if (status.violations.empty()) return;
  JsonArray found = to_json(status.violations);
  if (found == details.violations) return;
  details.violations = std::move(found);
  row.details_json = write_json(to_json(details));
}

void take_status(JobRow& row, JobDetails& details, const JobStatus& status, const Timeline& timeline) {
  row.pid = status.pid;
  if (status.warm && !details.script.empty()) details.script["warm"] = true;
  row.tty = status.tty;
  row.stdin_open = status.stdin_open;
  take_times(row, status, timeline);
  row.output_bytes = status.output_bytes;
  row.lost_bytes = status.lost_end - status.lost_begin;
  row.note = status.warning;
  row.state = status.running ? JobState::running : JobState::ended;
  take_violations(row, details, status);
  if (status.running) return;
  row.reason = reason_name(status.reason);
  details.network_tried = status.network_tried;
  details.private_files = JsonArray(status.private_files.begin(), status.private_files.end());
  if (status.stopped_by) details.stopped_by = to_json(*status.stopped_by);
  const bool news = status.stopped_by || status.network_tried != NetworkTried::no || !status.private_files.empty();
  if (news) row.details_json = write_json(to_json(details));
  row.leftovers = status.gone ? 0 : status.leftovers;
  row.exit_code.reset();
  row.exit_signal.reset();
  if (status.exit_signal != 0) row.exit_signal = status.exit_signal;
  else row.exit_code = status.exit_code;
}

}  // namespace talaria
