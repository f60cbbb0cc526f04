#include "keeper/keeper.h"

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <new>

#include "base/id.h"
#include "keeper/protocol.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/random.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr auto idle_before_leaving = 10s;
constexpr auto hold_after_loss = 5s;
constexpr size_t most_unread = 64 << 20;  // for one that does not read what we tell it
constexpr auto listen_again_after = 100ms;
constexpr auto spawner_again_after = 1s;

UniqueFd watch_children() {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  return UniqueFd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

Keeper::Keeper(Loop& loop, const Home& home, Spawner spawner, Result<Cgroups> cgroups, UniqueFd listener,
               uint64_t open_files)
    : loop_(loop),
      home_(home),
      spawner_(std::move(spawner)),
      listener_(std::move(listener)),
      open_files_(open_files),
      instance_(id_from(random_u64())),
      cgroups_(std::move(cgroups)),
      child_signals_(watch_children()) {
  listen();
  leave_if_idle();
}

void Keeper::listen_on(UniqueFd listener) {
  accept();  // one who waits at the old one
  accept_watch_ = {};
  listener_ = std::move(listener);
  listen();
}

void Keeper::listen() {
  const auto watch = [this](Loop::Watch& kept, const UniqueFd& fd, void (Keeper::*call)()) {
    if (kept) return;
    Result<Loop::Watch> made = loop_.on_readable(fd.get(), [this, call] { (this->*call)(); });
    if (made) kept = *std::move(made);
  };
  watch(child_watch_, child_signals_, &Keeper::reap);
  watch(accept_watch_, listener_, &Keeper::accept);
  if (!child_watch_ || !accept_watch_) listen_again_ = loop_.after(listen_again_after, [this] { listen(); });
}

void Keeper::accept() {
  Result<UniqueFd> socket = accept_unix(listener_.get());
  if (!socket) {
    // Out of descriptors. The connection stays in the queue and would wake us at once, for ever.
    if (Clock::now() >= next_complaint_) {
      std::fprintf(stderr, "accept a connection: %s\n", socket.error().message().c_str());
      next_complaint_ = Clock::now() + 10s;
    }
    accept_watch_ = {};
    listen_again_ = loop_.after(listen_again_after, [this] { listen(); });
    return;
  }
  if (!*socket) return;
  const Result<Peer> peer = peer_of(socket->get());
  if (!peer || (peer->uid != ::geteuid() && peer->uid != 0)) return;
  if (descends_from(peer->pid, ::getpid())) {
    std::fprintf(stderr, "refused a connection from pid %d: it belongs to a job\n", peer->pid);
    return;
  }
  const int64_t number = ++last_connection_;
  auto channel = std::make_unique<Channel>(
      loop_, std::move(*socket),
      Channel::Events{[this, number](Frame frame) { take(number, std::move(frame)); },
                      [this, number](const Error&) { loop_.post([this, number] { lose(number); }); },
                      [this, number](int64_t seq, const Error& why) { fail(number, seq, why); }});
  greet(*channel);
  channels_[number] = std::move(channel);
  idle_ = {};
}

void Keeper::greet(Channel& channel) {
  JsonArray steps(known_steps.begin(), known_steps.end());
  steps.push_back(Json(fds_step));
  steps.push_back(Json(show_step));
  channel.send({{"event", "hello"},
                {"protocol", keeper_protocol},
                {"oldest", oldest_keeper_protocol},
                {"version", TALARIA_VERSION},
                {"pid", ::getpid()},
                {"instance", instance_},
                {"steps", std::move(steps)},
                {"spaces", all_spaces()}},
               all_jobs());
}

void Keeper::lose(int64_t connection) {
  channels_.erase(connection);
  // What its readers held back waits a little longer: they may be about to come back through another gateway.
  releases_.push_back(loop_.after(hold_after_loss, [this, connection] {
    for (auto& [id, entry] : jobs_) entry.job->release_all(connection);
    releases_.pop_front();
  }));
  if (!channels_.empty()) return;
  for (auto& [id, entry] : jobs_) {
    if (!entry.job->status().running) entry.job->store();  // nobody may have taken its result
  }
  leave_if_idle();
}

void Keeper::leave_if_idle() {
  if (!jobs_.empty() || !channels_.empty()) {
    idle_ = {};
    return;
  }
  idle_ = loop_.after(idle_before_leaving, [this] { loop_.stop(); });
}

JsonArray Keeper::all_spaces() const {
  JsonArray list;
  for (const auto& [id, space] : spaces_) {
    list.push_back(JsonObject{{"space", id}, {"uid", space->order().plan.identity.uid}});
  }
  return list;
}

std::string Keeper::all_jobs() const {
  JsonArray list;
  for (const auto& [id, entry] : jobs_) {
    if (!entry.job->starting()) list.push_back(to_json(entry.job->status()));
  }
  return write_json(list);
}

// What it left is judged before it counts as ended.
bool Keeper::judge(const Job& job) {
  const auto space = spaces_.find(job.space());
  if (space == spaces_.end() || !space->second->order().guard) return false;
  const bool others = job.lives() || others_live_in(job.space(), job.id());
  const auto run = others ? Guarding::CommandsRun::yes : Guarding::CommandsRun::no;
  if (!others) space->second->fight = {};
  space->second->settle(run, [this, id = job.id()](const std::vector<Violation>& found) {
    const auto entry = jobs_.find(id);
    if (entry == jobs_.end()) return;
    entry->second.job->add(found);
    entry->second.job->judged();
  });
  return true;
}

void Keeper::job_ended(Job& job) {
  blame_limit(job);
  look_after(job);
  if (channels_.empty()) return job.store();
  const bool whole = !job.output().on_disk();
  JsonObject event = {{"event", "ended"}, {"whole", whole}, {"status", to_json(job.status())}};
  broadcast(event, whole ? std::string_view(job.output().memory()) : std::string_view());
}

// First what there may be no memory for: then all of it is done again. The gateway hears it once.
void Keeper::job_gone(Job& job) {
  if (channels_.empty()) job.store();
  const JsonObject event = {{"event", "gone"}, {"status", to_json(job.status())}};
  loop_.post([this, id = job.id()] {  // not from inside the job's own call
    const auto found = jobs_.find(id);
    if (found != jobs_.end() && found->second.forgotten) drop(id);
  });
  if (const auto space = spaces_.find(job.space()); space != spaces_.end()) {
    if (space->second->close_when_unused) {
      loop_.post([this, id = job.space()] { close_space(id, true); });
    }
    space->second->forget(job.id());
  }
  broadcast(event, {});
}

void Keeper::drop(const std::string& id) {
  // Who still waits for its output asks again, and hears that it is not there.
  if (const auto found = jobs_.find(id); found != jobs_.end()) {
    std::list<Job::Waiter> waiters;
    waiters.swap(found->second.job->waiters());
    for (const Job::Waiter& waiter : waiters) waiter.call();
  }
  jobs_.erase(id);
  leave_when_nothing_is_left();
  leave_if_idle();
}

// Who asked us to go is answered when the sandboxes are gone too.
void Keeper::leave_when_nothing_is_left() {
  if (!when_empty_ || !jobs_.empty()) return;
  spaces_.clear();
  for (const pid_t pid : descendants_of(::getpid())) {
    if (pid != spawner_.pid()) return;  // its end brings us here again
  }
  std::exchange(when_empty_, nullptr)();
}

// Who cannot be told for want of memory is cut off: it comes again and hears how everything stands.
void Keeper::broadcast(const JsonObject& header, std::string_view payload) {
  for (auto& [number, channel] : channels_) {
    try {
      channel->send(header, payload);
      if (channel->queued() > most_unread) channel->give_up();
    } catch (const std::bad_alloc&) {
      channel->give_up();
    }
  }
}

void Keeper::reap() {
  signalfd_siginfo drained;
  while (::read(child_signals_.get(), &drained, sizeof drained) > 0) {
  }
  int status;
  for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == spawner_.pid()) spawner_died_ = true;
    else if (WIFSIGNALED(status)) strays_ = true;  // a supervisor was killed: what it looked after is ours now
  }
  try {
    if (spawner_died_) replace_spawner();
    if (strays_) kill_strays();
    strays_ = false;
    leave_when_nothing_is_left();
  } catch (const std::bad_alloc&) {
    ::kill(::getpid(), SIGCHLD);  // calls us again
    throw;
  }
}

void Keeper::replace_spawner() {
  std::fprintf(stderr, "the spawner died; starting another\n");
  Result<Spawner> again = Spawner::start();
  if (again) {
    spawner_ = std::move(*again);
    spawner_died_ = false;
    return;
  }
  std::fprintf(stderr, "%s\n", again.error().message().c_str());
  spawner_again_ = loop_.after(spawner_again_after, [this] { replace_spawner(); });
}

// The first process of a sandbox hides what program it runs from all but root; its place in its own pid namespace and
// its name tell it from a stray.
static bool holds_a_sandbox(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const Result<std::string> name = read_file(folder + "/comm"), status = read_file(folder + "/status");
  if (!name || !status || *name != "talaria-sandbox\n") return false;
  return status->find("\nNSpid:\t" + std::to_string(pid) + "\t1\n") != std::string::npos;
}

void Keeper::kill_strays() {
  const auto program_of = [](pid_t pid) {
    char path[4096];
    const ssize_t length = ::readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof path);
    return std::string(path, length > 0 ? static_cast<size_t>(length) : 0);
  };
  const std::string own = program_of(::getpid());
  for (pid_t pid : descendants_of(::getpid())) {
    if (parent_of(pid) != ::getpid() || program_of(pid) == own || holds_a_sandbox(pid)) continue;
    for (pid_t below : descendants_of(pid)) ::kill(below, SIGKILL);
    ::kill(pid, SIGKILL);
  }
}

}  // namespace talaria
