#include "keeper/space.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "os/socket.h"
#include "sandbox/space_command.h"

namespace talaria {

std::vector<std::string> steps_of(const SpaceOrder& order) {
  std::vector<std::string> steps = {"identity", "mounts", "hygiene"};
  if (order.guard) steps.emplace_back("guard");
  if (order.plan.own_network) steps.emplace_back("network");
  if (order.command.limits) steps.emplace_back("limits");
  if (order.command.landlock) steps.emplace_back("landlock");
  if (!order.command.filter.empty()) steps.emplace_back("seccomp");
  return steps;
}

namespace {

std::string home_of(const CommandOrder& order) {
  constexpr std::string_view name = "HOME=";
  const auto found = std::ranges::find_if(order.environment, [&](const auto& one) { return one.starts_with(name); });
  return found == order.environment.end() ? "" : found->substr(name.size());
}

// What the kernel counts itself need not be looked for.
Limits watched_limits(Limits limits, const Cgroups* cgroups) {
  if (cgroups) limits.memory_bytes = limits.processes = 0;
  return limits;
}

}  // namespace

Space::Space(Loop& loop, SpaceOrder order, Cgroups* cgroups, Events events)
    : loop_(loop),
      order_(std::move(order)),
      cgroups_(cgroups),
      events_(std::move(events)),
      watchdog_(watched_limits(order_.limits, cgroups), order_.workspace) {}

Space::~Space() {
  if (!cgroups_) return;
  for (auto& [job, group] : groups_) cgroups_->remove_command(std::move(group));
  cgroups_->remove_session(order_.id);
}

Result<> Space::start(Spawner& spawner) {
  if (cgroups_) TRY(cgroups_->make_session(order_.id, order_.limits));
  auto [mine, theirs] = TRY(socket_pair(SOCK_STREAM));
  space_.emplace(SessionSpace::adopt(std::move(mine)));
  spawner_ = &spawner;
  watch_ = TRY(loop_.on_readable(space_->socket(), [this] { hear_holder(); }));
  TRY(spawner.make_space(order_.plan, std::move(theirs)));
  if (!order_.guard) return ok;
  guarding_.emplace(loop_,
                    Guarding::Events{[this] { stand_if_ready(); }, [this](const Error& why) { fall(why); },
                                     [this](std::vector<Violation> found) { events_.on_found(std::move(found)); }});
  return guarding_->start(spawner, *order_.guard);
}

void Space::stand_if_ready() {
  if (standing_ || !holder_stands_ || (guarding_ && !guarding_->ready())) return;
  standing_ = true;
  tell_waiters(ok);
}

void Space::fall(const Error& why) {
  watch_ = {};
  if (!fallen_) fallen_ = why;
  const auto on_gone = events_.on_gone;  // we may be destroyed inside
  tell_waiters(why);
  on_gone(why);
}

void Space::begin_command(Stands call) { guarding_->begin(std::move(call)); }

void Space::settle(Guarding::CommandsRun commands_run, Guarding::Settled done) {
  if (guarding_) guarding_->settle(commands_run, std::move(done));
  else done({});
}

// It speaks once, when it stands or fails to; later its socket only says that it is gone.
void Space::hear_holder() {
  char text[4096];
  pollfd ready{space_->socket(), POLLIN, 0};
  if (::poll(&ready, 1, 0) <= 0) return;
  Result<Received> received = receive_some(space_->socket(), text, sizeof text);
  if (holder_stands_) return fall(Error(ErrorCode::unavailable, "the sandbox's first process has died"));
  Result<HolderFds> answer =
      received ? holder_answer({text, received->count}, std::move(received->fds)) : Result<HolderFds>(received.error());
  if (!answer) return fall(answer.error());
  memory_ = std::move(answer->memory);
  refused_routes_ = std::move(answer->refused_routes);
  private_places_ = PrivatePlaces(order_.plan.mounts, home_of(order_.command));
  watchdog_.watch_also(memory_);
  holder_stands_ = true;
  stand_if_ready();
}

void Space::give_up(const Error& why) {
  const bool closed = why.message().empty();
  if (!fallen_) fallen_ = closed ? Error(ErrorCode::cancelled, "the sandbox was closed while it was made") : why;
  tell_waiters(*fallen_);
  if (guarding_) guarding_->give_up(*fallen_);
  std::list<std::unique_ptr<Showing>> showings;
  showings.swap(showings_);
  for (const std::unique_ptr<Showing>& showing : showings) showing->fail(*fallen_);
}

void Space::when_it_stands(Stands call) {
  if (fallen_) return call(*fallen_);
  if (standing_) return call(ok);
  waiters_.push_back(std::move(call));
}

void Space::tell_waiters(const Result<>& outcome) {
  std::list<Stands> waiters;
  waiters.swap(waiters_);
  for (Stands& call : waiters) call(outcome);
}

// The kernel takes a while to sum it up, so it is asked between two commands where it can be.
uint64_t Space::tried_before(Alone alone) {
  const std::optional<uint64_t> known = std::exchange(tried_, std::nullopt);
  return known && alone == Alone::yes ? *known : tried_until_now();
}

void Space::remember_tried() {
  if (!tried_) tried_ = tried_until_now();
}

void Space::note_files() { private_places_.catch_up(memory_); }

std::vector<std::string> Space::new_files() { return private_places_.news(memory_); }

Result<UniqueFd> Space::files() {
  auto [mine, theirs] = TRY(socket_pair(SOCK_SEQPACKET));
  TRY(space_->files(order_.command, std::move(theirs)));
  return std::move(mine);
}

void Space::show(std::vector<ShowWish> wishes, Showing::Done done) {
  when_it_stands([this, wishes = std::move(wishes), done = std::move(done)](const Result<>& stands) mutable {
    if (!stands) return done(stands.error());
    const auto then_next = [this, done = std::move(done)](Result<ShowAnswer> answer) {
      next_showing_ = loop_.after(0ms, [this] { show_next(); });
      done(std::move(answer));
    };
    showings_.push_back(
        std::make_unique<Showing>(loop_, *space_, *spawner_, order_.plan, std::move(wishes), then_next));
    if (showings_.size() == 1) showings_.front()->begin();
  });
}

// The first one is done; it is what called us.
void Space::show_next() {
  if (!showings_.empty()) showings_.pop_front();
  if (!showings_.empty()) showings_.front()->begin();
}

void Space::warm(WarmOrder order) {
  when_it_stands([this, order = std::move(order)](const Result<>& stands) {
    if (stands) (void)space_->warm(order);  // without it commands start cold
  });
}

Result<Pty> Space::terminal(WindowSize size) { return space_->terminal(size); }

// Only a pipe without a name: whoever owns one of those owns nothing but what passes through it.
void Space::give(int pipe) {
  const Identity& identity = order_.plan.identity;
  if (identity.uid == ::geteuid()) return;
  struct stat what {};
  struct statfs where {};
  if (::fstat(pipe, &what) != 0 || !S_ISFIFO(what.st_mode)) return;
  if (::fstatfs(pipe, &where) != 0 || where.f_type != PIPEFS_MAGIC) return;
  (void)!::fchown(pipe, identity.uid, identity.gid);
}

Result<> Space::prepare(int control) { return prepare_control(control); }

namespace {

// Stderr is apart where somebody wants it so, else the same as stdout.
Result<CommandStreams> command_streams(JobStreams given) {
  CommandStreams streams{std::move(given.input), std::move(given.output), {}};
  for (NumberedFd& one : given.fds) {
    if (one.number == 2) streams.errors = std::move(one.fd);
    else streams.further.push_back(std::move(one));
  }
  if (!streams.errors) streams.errors = UniqueFd(::fcntl(streams.output.get(), F_DUPFD_CLOEXEC, 3));
  if (!streams.errors) return Error::from_errno("duplicate the command's output");
  return streams;
}

}  // namespace

Result<> Space::launch(const std::string& job, const SpawnOrder& order, UniqueFd control, JobStreams given) {
  CommandOrder command = order_.command;
  command.argv = order.argv;
  command.environment = order.environment;
  command.cwd = order.cwd;
  command.terminal = order.terminal;
  command.warm = order.warm;
  command.waits = is_guarded();
  CommandStreams streams = TRY(command_streams(std::move(given)));
  give(streams.errors.get());  // the gateway may have made it, which does not know whose it should be
  if (cgroups_) {
    CommandGroup group = TRY(cgroups_->make_command(order_.id, job));
    streams.cgroup = std::move(group.procs);
    groups_.insert_or_assign(job, std::move(group));
  }
  return space_->command(std::move(command), std::move(control), std::move(streams));
}

std::optional<LimitStop> Space::limit_that_ended(const std::string& job) const {
  const auto found = groups_.find(job);
  return found == groups_.end() ? std::nullopt : cgroups_->stopped_by(found->second);
}

void Space::forget(const std::string& job) {
  const auto found = groups_.find(job);
  if (found == groups_.end()) return;
  cgroups_->remove_command(std::move(found->second));
  groups_.erase(found);
}

}  // namespace talaria
