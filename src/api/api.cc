#include "api/api.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "api/answer_later.h"
#include "api/database_watch.h"
#include "api/exec.h"
#include "api/follow.h"
#include "api/interpreters.h"
#include "api/job_input.h"
#include "api/sandbox_calls.h"
#include "api/sandbox_words.h"
#include "api/scripts.h"
#include "api/skill_query.h"
#include "api/stop_call.h"
#include "api/sweeper.h"
#include "api/write_behind.h"
#include "base/text.h"
#include "config/dotenv.h"
#include "os/proc.h"
#include "os/reserve.h"
#include "process/job_name.h"
#include "skills/catalog.h"
#include "skills/trusted_texts.h"

extern char** environ;

namespace talaria {
namespace {

constexpr int worker_threads = 4;
constexpr int web_threads = 4;
constexpr auto reserve_every = 60s;

// `where`: what a tool that runs commands says of the place.
JsonObject shown(const ToolSpec& spec, const std::string& where) {
  JsonObject shown = to_json(spec);
  if (spec.says_where_it_runs && !where.empty()) shown["description"] = spec.description + " " + where;
  return shown;
}

Environment own_environment() {
  Environment environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace

class Api::Impl {
 public:
  Impl(Loop& event_loop, const Home& place, Store opened, ToolRegistry& known, Log* lines)
      : loop(event_loop),
        home(place),
        log(lines),
        store(std::move(opened)),
        writes(loop, store, [this](const std::string& text) { warn(text); }),
        database_watch(loop, store, [this](const std::string& text) { warn(text); }),
        tools(known),
        settings(home.config()),
        catalog(home.cache() + "/skills.index"),
        trusted_texts(home.root + "/skills"),
        workers(loop, worker_threads),
        sessions(store, workspace_rules(home.root)),
        gate([this](const GateRequest& request, const Verdict& verdict) { return record(request, verdict); },
             [this](const ToolUse& use, const std::string& what, const Verdict& verdict) { note(use, what, verdict); }),
        board(loop, store, [this](const std::string& text) { warn(text); }),
        jobs(loop, workers, home, store, job_events()),
        outputs(loop, jobs, store),
        secrets(store, home.root + "/.env", [this](const std::string& text) { warn(text); }),
        announcer(jobs, outputs, board, settings, secrets),
        environment(loop, jobs, gate, home, own_environment()),
        sandboxes(loop, workers, jobs, home),
        shells(sessions),
        files(loop, workers, jobs),
        web_workers(loop, web_threads),
        desk(loop, settings, sessions, tools),
        interpreters(loop, jobs, gate, shells, files),
        scripts(parts),
        parts{loop,        workers, store,        settings,    sessions,  gate,          jobs,
              outputs,     board,   announcer,    environment, sandboxes, shells,        files,
              web_workers, desk,    interpreters, scripts,     catalog,   trusted_texts, secrets},
        sweeper(parts, [this](const std::string& text) { warn(text); }) {
    board.on_end_told([this](const std::string& id) {
      if (LiveJob* job = jobs.live(id)) jobs.end_is_told(*job);
    });
    sandboxes.on_view_changed([this](const std::string& space) { files.close(space); });
    sandboxes.on_open([this](const SandboxPlan& plan) {
      store.agent_places().note(plan.open_places);
      PendingWrite change;
      change.key = "places";
      change.write = [this] { return store.agent_places().write(); };
      change.stored = [this] { store.agent_places().written(); };
      const Result<> kept = store.write_now(std::move(change));
      if (!kept) warn(kept.error().message());
    });
  }

  Jobs::Events job_events() {
    Jobs::Events events;
    events.on_taken_up = [this](LiveJob& job) {
      add_stored_secrets(job);
      announcer.handed_back(job);
      scripts.taken_up(job);
    };
    events.on_finished = [this](LiveJob& job) { announcer.finished(job); };
    events.on_trouble = [this](const std::string& text) { warn(text); };
    events.on_connected = [this](const KeeperClient& keeper) {
      files.close_all();
      sandboxes.keeper_connected(keeper);
    };
    events.on_space_gone = [this](const std::string& space, const std::string& reason) {
      if (!reason.empty()) warn("sandbox " + space + " is gone: " + reason);
      files.close(space);
      sandboxes.gone(space);
      scripts.space_gone(space);
      interpreters.forget(space);
    };
    return events;
  }

  // A warm interpreter has not the variables it was given in its /proc, and one may have been passed from .env.
  void add_stored_secrets(LiveJob& job) const {
    Environment all = job.secrets ? *job.secrets : Environment();
    const Result<Environment> stored = read_dotenv(home.root + "/.env");
    if (stored) all.insert(stored->begin(), stored->end());
    if (const SharedEnvironment known = environment.secrets()) all.insert(known->begin(), known->end());
    job.secrets = std::make_shared<const Environment>(std::move(all));
  }

  Result<> record(const GateRequest& request, const Verdict& verdict) {
    const std::string& level = settings.last_good().log.level;
    if (level == "warning" || level == "error") return ok;
    if (request.job.empty()) return level == "debug" ? (say("info", "errand " + verdict.rule), ok) : ok;
    // The command's short name only: whole commands hold secrets.
    say("info", std::string(verdict.decision == Decision::allow ? "allow" : "deny") + " job=" + request.job +
                    " session=" + request.session + " door=" + request.door + " rule=\"" + verdict.rule + "\" " +
                    job_name(request.text));
    return ok;
  }

  // Denials only: files and hosts are many.
  void note(const ToolUse& use, const std::string& what, const Verdict& verdict) {
    if (verdict.decision == Decision::allow) return;
    say("info", "deny tool=" + use.tool + " session=" + use.session + " door=" + use.door + " rule=\"" + verdict.rule +
                    "\" " + what);
  }

  // Given up when the gateway started on a full disk, and made again when there is room.
  void keep_reserve() {
    workers.run([root = home.root] { (void)make_reserve(root); });
    next_reserve = loop.after(reserve_every, [this] { keep_reserve(); });
  }

  void warn(const std::string& text) { say("warning", text); }

  void say(const char* level, const std::string& text) {
    if (!log) std::fprintf(stderr, "%s %s\n", level, text.c_str());
    else if (level == std::string_view("info")) log->info(text);
    else log->warning(text);
  }

  template <class T>
  OperationPtr fail(const Error& error, Done<T> done) {
    return answer_later<T>(loop, error, std::move(done));
  }

  Loop& loop;
  Home home;
  Log* log;
  Clock::time_point begun = Clock::now();
  Store store;
  WriteBehind writes;
  DatabaseWatch database_watch;
  ToolRegistry& tools;
  LiveSettings settings;
  Catalog catalog;  // before the workers, who use it
  TrustedTexts trusted_texts;
  WorkerPool workers;
  Sessions sessions;
  Gate gate;
  EventBoard board;
  Jobs jobs;
  Outputs outputs;
  KnownSecrets secrets;
  Announcer announcer;
  LoginEnvironment environment;
  Sandboxes sandboxes;
  Shells shells;
  SessionFiles files;
  WorkerPool web_workers;
  ToolDesk desk;
  Interpreters interpreters;
  Scripts scripts;
  Sandboxes::ProbeWaiter first_probe;
  Parts parts;
  Sweeper sweeper;
  Loop::Timer next_reserve;
};

namespace {

// Every result of a tool says which session it belongs to and, while the disk is full, what is not kept.
Done<ToolResult> naming(const std::string& session, const Store& store, Done<ToolResult> done) {
  return [session, &store, done = std::move(done)](Result<ToolResult> result) {
    if (result) {
      result->details["agentSession"] = session;
      const std::string note = not_kept_note(store);
      if (!note.empty() && !result->details.contains("notKept")) result->details["notKept"] = note;
    }
    done(std::move(result));
  };
}

}  // namespace

Api::Api(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Api::~Api() = default;

Result<std::unique_ptr<Api>> Api::open(Loop& loop, const Home& home, ToolRegistry& tools, Log* log) {
  Store store = TRY(Store::open(home.database()));
  auto impl = std::make_unique<Impl>(loop, home, std::move(store), tools, log);
  for (const std::string& notice : impl->store.notices()) impl->warn(notice);
  for (const std::string& id : impl->jobs.take_up_removed()) impl->board.withdraw(id);
  TRY(impl->jobs.connect());
  impl->keep_reserve();
  // Asked now, known when the first command wants to know.
  impl->first_probe =
      impl->sandboxes.probe(impl->settings.last_good().sandbox.without, home.root, [](const Result<Probe>&) {});
  return std::unique_ptr<Api>(new Api(std::move(impl)));
}

Parts& Api::parts() { return impl_->parts; }
Sessions& Api::sessions() { return impl_->sessions; }

Result<JsonArray> Api::tools(const std::optional<SessionRef>& session, const Caller& caller) const {
  std::optional<SessionRow> found;
  if (session) found = TRY(impl_->sessions.resolve(*session, caller));
  if (impl_->desk.toolsets_of(found).empty()) {
    return Error(
        ErrorCode::denied,
        "no toolset is enabled: those of the session and of toolsets in the configuration have none in common");
  }
  const std::string where = where_commands_run(impl_->settings.last_good(), value_in(impl_->environment.own(), "HOME"));
  JsonArray list;
  for (const Tool* tool : impl_->desk.usable(found)) list.push_back(shown(tool->spec(), where));
  return list;
}

OperationPtr Api::call_tool(const std::string& name, JsonObject arguments, const SessionRef& session,
                            const Caller& caller, Done<ToolResult> done) {
  std::optional<SessionRow> row;
  const bool nameless = !session.id && !session.cwd;
  if (!nameless || !caller.person) {
    Result<SessionRow> found = impl_->sessions.resolve(session, caller);
    if (!found) return impl_->fail<ToolResult>(found.error(), std::move(done));
    done = naming(found->id, impl_->store, std::move(done));
    row = *std::move(found);
  }
  return impl_->desk.call(name, std::move(arguments), std::move(row), caller, std::move(done));
}

OperationPtr Api::start_job(JsonObject exec_arguments, const std::string& id, bool keep_stdin,
                            const SessionRef& session, const Caller& caller, SandboxWish sandbox,
                            Done<ToolResult> done) {
  Result<SessionRow> found = impl_->sessions.resolve(session, caller);
  if (!found) return impl_->fail<ToolResult>(found.error(), std::move(done));
  done = naming(found->id, impl_->store, std::move(done));
  ExecWish wish;
  wish.arguments = std::move(exec_arguments);
  wish.session = *std::move(found);
  wish.caller = caller;
  wish.id = id;
  wish.never_wait = true;
  wish.keep_stdin = keep_stdin;
  wish.sandbox = std::move(sandbox);
  return start_exec(impl_->parts, std::move(wish), std::move(done));
}

Result<std::unique_ptr<Follow>> Api::follow_job(const std::string& id, uint64_t offset, FollowUntil until, Pace pace,
                                                const Caller&, Follower follower) {
  const JobRow row = TRY(impl_->jobs.find(id, std::nullopt));
  return std::unique_ptr<Follow>(
      std::make_unique<JobFollow>(impl_->parts, row.id, offset, until, pace, std::move(follower)));
}

OperationPtr Api::write_job(const std::string& id, const std::string& data, bool eof, std::optional<uint64_t> at,
                            const Caller& caller, Done<ToolResult> done) {
  std::optional<StdinPosition> position;
  if (at) position = {caller.door + ":" + caller.client, *at};
  return std::make_unique<JobWrite>(impl_->parts, id, data, eof, position, std::move(done));
}

OperationPtr Api::signal_job(const std::string& id, const std::string& signal, const Caller&, Done<ToolResult> done) {
  return std::make_unique<JobSignal>(impl_->parts, id, signal, std::move(done));
}

OperationPtr Api::subscribe_events(const std::string& session, Delivery delivery,
                                   std::function<void(JsonObject)> deliver) {
  return impl_->board.subscribe(session, delivery, std::move(deliver));
}

bool Api::acknowledge_event(int64_t event) { return impl_->board.acknowledge(event); }

OperationPtr Api::ask_skills(SkillQuestion question, const SessionRef& session, const Caller& caller,
                             Done<JsonObject> done) {
  Result<SessionRow> found = impl_->sessions.resolve(session, caller);
  if (!found) return impl_->fail<JsonObject>(found.error(), std::move(done));
  return answer_skill_question(impl_->parts, std::move(question), *std::move(found), caller, std::move(done));
}

JsonObject Api::status() const {
  const Result<Jobs::Count> count = impl_->jobs.count();
  JsonArray notices;
  for (const std::string& notice : impl_->store.notices()) notices.push_back(Json(notice));
  if (const std::string notice = impl_->writes.notice(); !notice.empty()) notices.push_back(Json(notice));
  if (const std::string notice = impl_->jobs.keeper_notice(); !notice.empty()) notices.push_back(Json(notice));
  if (!impl_->environment.trouble().empty()) notices.push_back(Json(impl_->environment.trouble()));
  if (const auto settings = impl_->settings.current(); !settings) notices.push_back(Json(settings.error().message()));
  JsonObject status = {
      {"pid", ::getpid()},
      {"keeper_pid", impl_->jobs.keeper_pid()},
      {"keeper_version", impl_->jobs.keeper_version()},
      {"uptime_seconds", std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - impl_->begun).count()},
      {"version", TALARIA_VERSION},
      {"jobs", JsonObject{{"running", count ? count->running : 0}, {"finished", count ? count->finished : 0}}},
      {"home", impl_->home.root},
      {"notices", std::move(notices)}};
  if (const auto bytes = private_bytes(::getpid())) status["memory_bytes"] = *bytes;
  if (const auto bytes = private_bytes(impl_->jobs.keeper_pid())) status["keeper_memory_bytes"] = *bytes;
  return status;
}

int64_t Api::max_connections() const {
  (void)impl_->settings.current();  // who raises it may have no other way in
  return impl_->settings.last_good().gateway.max_connections;
}

OperationPtr Api::doctor(Done<JsonArray> done) { return start_doctor(impl_->parts, std::move(done)); }

OperationPtr Api::probe_sandbox(Done<JsonObject> done) { return start_sandbox_probe(impl_->parts, std::move(done)); }

OperationPtr Api::explain_sandbox(const SessionRef& session, const Caller& caller, SandboxWish wish,
                                  Done<JsonObject> done) {
  Result<SessionRow> found = impl_->sessions.resolve(session, caller);
  if (!found) return impl_->fail<JsonObject>(found.error(), std::move(done));
  return start_sandbox_explain(impl_->parts, *std::move(found), std::move(wish), std::move(done));
}

OperationPtr Api::stop(bool end_jobs, Done<JsonObject> done) {
  return start_stop(
      impl_->parts, end_jobs, [impl = impl_.get()](const std::string& text) { impl->warn(text); }, std::move(done));
}

}  // namespace talaria
