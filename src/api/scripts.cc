#include "api/scripts.h"

#include <algorithm>

#include "api/exec_result.h"
#include "api/inside_paths.h"
#include "base/text.h"
#include "os/daemon.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr int most_kept = 4;    // of one session
constexpr int most_asked = 10;  // for a base that never stands, before it is given up

// Variables that an interpreter reads when it starts: a warm one has started already.
bool shapes_interpreter(const Environment& environment) {
  return std::ranges::any_of(environment, [](const auto& variable) {
    return variable.first.starts_with("PYTHON") && variable.first != "PYTHONPATH";
  });
}

}  // namespace

const std::string& Scripts::directory() {
  static const std::string path = library_directory();
  return path;
}

const std::string& Scripts::directory(const Place& place) {
  return place.sandbox ? place.sandbox->library : directory();
}

std::string Scripts::missing() {
  const std::string boot = directory() + "/host/boot.py";
  if (exists(boot)) return "";
  return "the file " + boot + " is missing: install Talaria again, with all that belongs to it";
}

std::string Scripts::warm_base(const ScriptPlan& plan) {
  if (!plan.place.sandbox || !plan.interpreter.may_be_warm || shapes_interpreter(plan.environment)) return "";
  const std::string library = "/libtalaria-warm.so", &place = directory(plan.place);
  const std::string& space = plan.place.sandbox->request.space;
  const std::string& mark = plan.interpreter.base_mark;
  if (mark.empty() || !exists(directory() + library)) return "";
  // Someone who works on Talaria itself may have it in the workspace.
  if (is_shown_writable(plan.place.sandbox->view, directory())) return "";
  Base& base = bases_[space];
  if (base.mark != mark) base = {mark};
  if (base.stands || base.asked >= most_asked) return mark;
  Result<KeeperClient*> keeper = parts_.jobs.keeper();
  if (!keeper) return "";
  ++base.asked;
  WarmOrder order{mark,
                  {plan.interpreter.base, "-I", "-S", "-X", "utf8", place + "/host/warm.py", place + library},
                  {"LANG=C.UTF-8", "OPENSSL_CONF=/dev/null"},
                  plan.interpreter.base_library};
  order.pinned.push_back(place);
  (*keeper)->warm(space, order);
  return mark;
}

void Scripts::note_start(const ScriptPlan& plan, Start how) {
  if (plan.warm.empty()) return;
  const auto base = bases_.find(plan.place.sandbox->request.space);
  if (base == bases_.end() || base->second.mark != plan.warm) return;
  base->second.stands = how == Start::warm;
  if (base->second.stands) base->second.asked = 0;
}

Script& Scripts::add(ScriptPlan plan) {
  plan.warm = warm_base(plan);
  Script::Events events;
  events.on_idle = [this](Script& script) { became_idle(script); };
  events.on_over = [this](Script& script) { forget(script.job()); };
  auto script = std::make_unique<Script>(parts_, std::move(plan), std::move(events));
  Script& added = *script;
  scripts_.emplace(added.job(), std::move(script));
  return added;
}

Script* Scripts::find(const std::string& job) {
  const auto found = scripts_.find(job);
  return found == scripts_.end() ? nullptr : found->second.get();
}

Script* Scripts::kept(const std::string& session, const std::string& name) {
  for (const auto& [job, script] : scripts_) {
    if (script->plan().session.id == session && script->plan().name == name && script->lasts()) return script.get();
  }
  return nullptr;
}

Result<> Scripts::room_for(const std::string& session) const {
  std::vector<std::string> names;
  for (const auto& [job, script] : scripts_) {
    const bool counts = script->plan().session.id == session && !script->plan().name.empty() && script->lasts();
    if (counts) names.push_back(script->plan().name);
  }
  if (static_cast<int>(names.size()) < most_kept) return ok;
  return Error(ErrorCode::conflict, "four interpreters are kept in this session already (" + join(names, ", ") +
                                        "); use one of them, end one with process kill, or leave \"session\" out");
}

std::string Scripts::take_reason(const std::string& session, const std::string& name) {
  const auto found = gone_.find({session, name});
  if (found == gone_.end()) return "";
  std::string why = std::move(found->second);
  gone_.erase(found);
  return why;
}

std::set<std::string> Scripts::waiting() const {
  std::set<std::string> jobs;
  for (const auto& [job, script] : scripts_) {
    if (!script->plan().name.empty() && !script->busy()) jobs.insert(job);
  }
  return jobs;
}

void Scripts::end_session(const std::string& session) {
  for (const auto& [job, script] : scripts_) {
    if (script->plan().session.id == session) script->end("");
  }
}

void Scripts::became_idle(Script& script) {
  const double seconds = parts_.settings.last_good().code_execution.kernel_idle_timeout;
  const auto patience = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  idle_[script.job()] = parts_.loop.after(patience, [this, job = script.job()] { reap(job); });
}

void Scripts::reap(const std::string& job) {
  Script* script = find(job);
  if (script && !script->busy()) script->end("nobody used it for code_execution.kernel_idle_timeout");
}

// It may be what calls us.
void Scripts::forget(const std::string& job) {
  const auto found = scripts_.find(job);
  if (found == scripts_.end()) return;
  const Script& script = *found->second;
  if (!script.plan().name.empty() && !script.why_ended().empty()) {
    gone_[{script.plan().session.id, script.plan().name}] = script.why_ended();
  }
  past_.push_back(std::move(found->second));
  scripts_.erase(found);
  idle_.erase(job);
  clearing_ = Later(parts_.loop, [this] { past_.clear(); });
}

void Scripts::space_gone(const std::string& space) { bases_.erase(space); }

void Scripts::taken_up(LiveJob& job) {
  if (job.details.script.empty()) return;
  const std::string name = text_or(job.details.script, "session");
  if (name.empty() || !job.running()) return end_of_run(job);
  const Result<SessionRow> session = parts_.sessions.find(job.row.session);
  if (!session) return parts_.jobs.end(job.row.id);
  ScriptPlan plan;
  plan.session = *session;
  plan.place.settings = std::make_shared<const Settings>(parts_.settings.last_good());
  plan.name = name;
  plan.mode = text_or(job.details.script, "mode");
  plan.interpreter.program = text_or(job.details.script, "python");
  plan.cwd = job.row.cwd;
  plan.secrets = job.secrets ? job.secrets : std::make_shared<const Environment>();
  plan.sandbox = sandbox_of(job.details);
  Script::Events events;
  events.on_idle = [this](Script& script) { became_idle(script); };
  events.on_over = [this](Script& script) { forget(script.job()); };
  auto script = std::make_unique<Script>(parts_, std::move(plan), std::move(events));
  Script& added = *script;
  scripts_.emplace(job.row.id, std::move(script));
  added.take_up(job, [this, id = job.row.id](const Result<>& idle) {
    Script* taken = find(id);
    if (!taken) return;
    if (idle) return became_idle(*taken);
    if (LiveJob* live = parts_.jobs.live(id)) end_of_run(*live);
  });
}

// The gateway it called its tools at is gone, and with it what it was told.
void Scripts::end_of_run(LiveJob& job) {
  if (job.details.result.empty()) {
    job.details.result = {
        {"status", "error"},
        {"output", ""},
        {"error",
         "gateway restarted: the script was running when the gateway went away, and was "
         "ended. What it printed until then is the output of this job"},
        {"tool_calls_made", 0},
        {"duration_seconds", static_cast<double>(runtime_ms(job.row, parts_.store.timeline().now())) / 1000}};
    if (!text_or(job.details.script, "session").empty()) job.details.result["session_lost"] = true;
    parts_.jobs.save(job);
  }
  if (!job.running()) return;
  if (Script* script = find(job.row.id)) script->end("the gateway was restarted while a script ran in it");
  else parts_.jobs.end(job.row.id);
}

}  // namespace talaria
