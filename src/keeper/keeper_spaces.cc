// What the keeper does for sandboxes.
#include <sys/socket.h>

#include <algorithm>

#include "base/text.h"
#include "keeper/keeper.h"
#include "keeper/protocol.h"
#include "keeper/show_frames.h"
#include "os/descriptors.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr size_t longest_probe = 64 << 10;
constexpr auto look_every = 100ms;
constexpr auto most_time_to_go = 5s;  // of a command with much memory

std::vector<std::string> texts_in(const JsonObject& header, std::string_view name) {
  std::vector<std::string> texts;
  const Json* list = header.if_contains(name);
  if (!list || !list->is_array()) return texts;
  for (const Json& text : list->get_array()) texts.push_back(text.is_string() ? std::string(text.get_string()) : "?");
  return texts;
}

constexpr size_t most_remembered = 64;
constexpr uint64_t most_put_back = 20;
constexpr uint64_t most_taken_again = 5;
// A person who works in the same files is slower.
constexpr auto fight_within = 10s;
constexpr size_t most_remembered_paths = 10'000;

// Why the commands must stop that left this, if they must.
std::optional<LimitStop> count_fight(Space::Fight& fight, const std::vector<Violation>& found) {
  uint64_t put_back = 0, taken_again = 0;
  for (const Violation& one : found) {
    put_back += one.kind == Violation::Kind::put_back;
    if (one.kind != Violation::Kind::quarantined && one.kind != Violation::Kind::rewritten) continue;
    if (fight.taken.contains(one.path)) ++taken_again;
    else if (fight.taken.size() < most_remembered_paths) fight.taken.insert(one.path);
  }
  put_back = fight.put_back.add(put_back, fight_within);
  taken_again = fight.taken_again.add(taken_again, fight_within);
  if (put_back > most_put_back) return LimitStop{"guarded_files", most_put_back, put_back};
  if (taken_again > most_taken_again) return LimitStop{"guarded_files", most_taken_again, taken_again};
  return std::nullopt;
}

}  // namespace

// Nothing has run: whoever asked may try again, unless it would fail in the same way.
Error Keeper::why_not_there(const std::string& space) const {
  if (const auto failed = never_stood_.find(space); failed != never_stood_.end()) return failed->second;
  return {ErrorCode::cancelled, "the sandbox of this session is gone; the next command gets a new one"};
}

// What confines may not be left out silently: an unknown step, or one this sandbox does not take, refuses the start.
Result<> Keeper::check_steps(const JsonObject& header, const std::string& space) const {
  std::vector<std::string> taken;
  if (!space.empty()) {
    const auto found = spaces_.find(space);
    if (found == spaces_.end()) return why_not_there(space);
    taken = steps_of(found->second->order());
  }
  for (const std::string& step : texts_in(header, "steps")) {
    if (step == fds_step) continue;
    if (std::ranges::find(known_steps, step) == known_steps.end()) {
      return invalid("this keeper does not know the set-up step \"" + step + "\"");
    }
    if (std::ranges::find(taken, step) == taken.end()) {
      return Error(ErrorCode::denied,
                   "the set-up step \"" + step + "\" is asked for, and this sandbox does not take it");
    }
  }
  return ok;
}

Result<SpaceOrder> Keeper::space_order_from(Frame& frame) const {
  SpaceOrder order;
  order.id = text_or(frame.header, "space");
  order.workspace = text_or(frame.header, "workspace", "/");
  order.cgroups = boolean_or(frame.header, "cgroups", true);
  const std::string_view payload = frame.payload;
  const size_t plan = std::min<size_t>(static_cast<size_t>(integer_or(frame.header, "plan_bytes")), payload.size());
  order.plan = TRY(space_plan_from_json(TRY(parse_json_object(payload.substr(0, plan)))));
  order.command = TRY(decode_command_order(payload.substr(plan)));
  if (const JsonObject* profile = object_or_null(frame.header, "profile")) {
    order.limits = TRY(profile_from_json(*profile)).limits;
  }
  if (const JsonObject* guard = object_or_null(frame.header, "guard")) order.guard = guard_order_from_json(*guard);
  return order;
}

// One that is there already stays as it is.
void Keeper::open_space(Frame& frame) {
  const std::string id = text_or(frame.header, "space");
  if (id.empty() || spaces_.contains(id)) return;
  Result<SpaceOrder> order = space_order_from(frame);
  if (!order) return space_gone(id, order.error());
  Cgroups* cgroups = cgroups_ && order->cgroups ? &*cgroups_ : nullptr;
  Space::Events events{[this, id](const Error& why) { loop_.post([this, id, why] { space_gone(id, why); }); },
                       [this, id](const std::vector<Violation>& found) { tell_jobs_in(id, found); }};
  auto space = std::make_unique<Space>(loop_, *std::move(order), cgroups, std::move(events));
  Space& made = *space;
  spaces_[id] = std::move(space);
  never_stood_.erase(id);
  const auto start_it = [&] {
    const DescriptorReserve reserve(kept_in_reserve());
    return made.start(spawner_);
  };
  if (Result<> begun = start_it(); !begun) space_gone(id, too_many(begun.error(), ""));
}

// Its commands hear of it through their own sockets: the kernel ends all that runs below its first process.
void Keeper::space_gone(const std::string& id, const Error& why) {
  if (const auto found = spaces_.find(id); found != spaces_.end()) {
    found->second->give_up(why);
    if (found->second->order().guard && !why.message().empty()) tell_unjudged(id, why);
    if (!found->second->stood() && !why.message().empty()) never_stood_.insert_or_assign(id, why);
    if (never_stood_.size() > most_remembered) never_stood_.erase(never_stood_.begin());
    spaces_.erase(found);
  }
  broadcast({{"event", "space_gone"}, {"space", id}, {"reason", why.message()}}, {});
}

// They end without a last look at what they left.
void Keeper::tell_unjudged(const std::string& space, const Error& why) {
  for (auto& [id, entry] : jobs_) {
    if (entry.job->space() == space && entry.job->lives()) entry.job->add({unjudged(why)});
  }
}

// Which of them it was cannot be told. One that changes what was put back, or makes again what was taken away, would
// win in the end, in the moments between: then all of them are stopped.
void Keeper::tell_jobs_in(const std::string& space, const std::vector<Violation>& found) {
  const auto guarded = spaces_.find(space);
  if (guarded == spaces_.end()) return;
  const std::optional<LimitStop> stop = count_fight(guarded->second->fight, found);
  for (auto& [id, entry] : jobs_) {
    if (entry.job->space() != space || !(entry.job->lives() || entry.job->is_being_judged())) continue;
    entry.job->add(found);
    if (stop) entry.job->stop(*stop);
  }
}

bool Keeper::others_live_in(const std::string& space, const std::string& but) const {
  return std::ranges::any_of(jobs_, [&](const auto& entry) {
    return entry.first != but && entry.second.job->space() == space && entry.second.job->lives();
  });
}

bool Keeper::in_use(const std::string& space) const {
  return std::ranges::any_of(
      jobs_, [&](const auto& entry) { return entry.second.job->space() == space && !entry.second.job->gone(); });
}

void Keeper::close_space(const std::string& id, bool when_unused) {
  const auto found = spaces_.find(id);
  if (found != spaces_.end()) found->second->close_when_unused = when_unused;
  if (!when_unused || !in_use(id)) space_gone(id, Error(ErrorCode::cancelled, ""));
}

void Keeper::give_files(int64_t connection, int64_t seq, const std::string& id) {
  const auto found = spaces_.find(id);
  if (found == spaces_.end()) return fail(connection, seq, why_not_there(id));
  found->second->when_it_stands([this, connection, seq, id](const Result<>& stands) {
    if (!stands) return fail(connection, seq, stands.error());
    const DescriptorReserve reserve(kept_in_reserve());
    Result<UniqueFd> socket = spaces_.at(id)->files();
    if (!socket) return fail(connection, seq, socket.error());
    const auto channel = channels_.find(connection);
    if (channel == channels_.end()) return;
    std::vector<UniqueFd> fds;
    fds.push_back(*std::move(socket));
    channel->second->send({{"re", seq}, {"fds", 1}}, {}, std::move(fds));
  });
}

void Keeper::warm(Frame& frame) {
  const auto found = spaces_.find(text_or(frame.header, "space"));
  if (found == spaces_.end()) return;
  Result<WarmOrder> order = decode_warm_order(frame.payload);
  if (order) found->second->warm(*std::move(order));
}

void Keeper::show(int64_t connection, int64_t seq, const Frame& frame) {
  const std::string id = text_or(frame.header, "space");
  const auto found = spaces_.find(id);
  if (found == spaces_.end()) return fail(connection, seq, why_not_there(id));
  Result<std::vector<ShowWish>> wishes = wishes_in(frame);
  if (!wishes) return fail(connection, seq, wishes.error());
  found->second->show(*std::move(wishes), [this, connection, seq](const Result<ShowAnswer>& answer) {
    if (!answer) return fail(connection, seq, answer.error());
    const auto channel = channels_.find(connection);
    if (channel == channels_.end()) return;
    channel->second->send({{"re", seq}, {"count", answer->outcomes.size()}, {"changed", answer->changed}},
                          pack_outcomes(answer->outcomes));
  });
}

void Keeper::keep_watching() {
  if (!watchdog_) watch_again_after(look_every);
}

void Keeper::watch_again_after(Clock::duration pause) {
  watchdog_ = loop_.after(pause, [this] { watch_spaces(); });
}

// A whole round every 100 ms, and between two of them those that may pass their limit before the next.
void Keeper::watch_spaces() {
  watch_again_after(look_every);  // first: the rest may fail for want of memory
  const auto now = Clock::now();
  const bool whole = now >= next_whole_round_;
  if (cgroups_) cgroups_->retry_removals();
  std::map<std::string_view, std::vector<Job*>> jobs;
  for (auto& [id, entry] : jobs_) {
    if (entry.job->space().empty() || entry.job->gone()) continue;
    if (whole || hurried_.contains(entry.job->space())) jobs[entry.job->space()].push_back(entry.job.get());
  }
  if (jobs.empty() && whole) {
    watchdog_ = {};
    return;
  }
  if (whole) next_whole_round_ = now + look_every;
  Clock::duration cost{};
  for (const auto& [id, space] : spaces_) cost += space->watchdog().cost();
  // All sessions together take half a percent of a core while nothing moves.
  WatchRound round(pulse_.read(), std::clamp<Clock::duration>(cost * 200, 1s, 5s));
  hurried_.clear();
  Clock::duration pause = guard_memory_floor(now);
  for (auto& [id, of_space] : jobs) {
    const auto space = spaces_.find(std::string(id));
    if (space == spaces_.end()) continue;
    watch(*space->second, std::move(of_space), round);
    const Clock::duration wanted = space->second->watchdog().pause(round.now());
    if (wanted >= look_every) continue;
    hurried_.emplace(id);
    pause = std::min(pause, wanted);
  }
  watch_again_after(std::min<Clock::duration>(pause, next_whole_round_ - now));
}

// Of all sessions together: what no look at one of them shows is seen in what the machine has left. How soon it wants
// to be asked again.
Clock::duration Keeper::guard_memory_floor(Clock::time_point now) {
  const std::optional<MachineMemory>& memory = pulse_.memory();
  if (!memory) return look_every;
  if (memory_floor_.wants_look(*memory, now)) stop_at_memory_floor(*memory, now);
  return memory_floor_.pause(*memory, now);
}

void Keeper::stop_at_memory_floor(const MachineMemory& memory, Clock::time_point now) {
  // What one gives back is not known before it is gone.
  const auto stopped = jobs_.find(stopped_for_memory_);
  if (stopped != jobs_.end() && !stopped->second.job->gone() && now < stopped_for_memory_at_ + most_time_to_go) return;
  std::vector<Job*> jobs;
  std::vector<MemoryFloor::Command> commands;
  const auto begin = Clock::now();
  for (auto& [id, entry] : jobs_) {
    const auto space = spaces_.find(entry.job->space());
    if (space == spaces_.end() || space->second->order().limits == Limits()) continue;
    const std::optional<SessionWatch::Command> command = entry.job->watched();
    if (!command) continue;
    jobs.push_back(entry.job.get());
    commands.push_back({command->init, look_at(command->init, WrittenLook::take)});
  }
  std::optional<Stop> stop = memory_floor_.judge(memory, commands, now, Clock::now() - begin);
  if (!stop) return;
  stopped_for_memory_ = jobs[stop->index]->id();
  stopped_for_memory_at_ = now;
  jobs[stop->index]->stop(std::move(stop->why));
}

uint64_t Keeper::processes_in(Space& space) const {
  uint64_t sum = 0;
  for (const auto& [id, entry] : jobs_) {
    if (!entry.job->lives() || entry.job->space() != space.order().id) continue;
    sum += std::max<uint64_t>(space.watchdog().processes_of(entry.job->init()).value_or(1), 1);
  }
  return sum;
}

// Counted before it starts, as one process: hundreds may start before the watchdog looks again.
Result<> Keeper::room_for_start(const std::string& id) {
  const auto found = spaces_.find(id);
  if (found == spaces_.end()) return ok;
  Space& space = *found->second;
  const uint64_t most = space.order().limits.processes;
  if (most == 0 || processes_in(space) < most) return ok;
  std::vector<SessionWatch::Command> commands;
  for (auto& [name, entry] : jobs_) {
    if (entry.job->space() != id) continue;
    if (const auto command = entry.job->watched()) commands.push_back(*command);
  }
  space.watchdog().count(commands);
  const uint64_t count = processes_in(space);
  if (count < most) return ok;
  return Error(ErrorCode::conflict, "this sandbox has " + with_commas(count) + " processes, and " + with_commas(most) +
                                        " is its limit (limits.processes of its profile); end some of its jobs first");
}

// Of a command that the kernel ended, or kept from going on, by a limit.
void Keeper::blame_limit(Job& job) {
  const auto space = spaces_.find(job.space());
  const JobStatus status = job.status();
  if (space == spaces_.end() || status.reason != EndReason::exit) return;
  if (status.exit_code == 0 && status.exit_signal == 0) return;
  if (std::optional<LimitStop> limit = space->second->limit_that_ended(job.id())) job.blame(*std::move(limit));
}

// What is tried in vain from now on, and which files come, is its doing, or that of others beside it.
void Keeper::note_before(Space& space, Job& job) {
  const bool alone = !others_live_in(job.space(), job.id());
  job.note_tried(space.tried_before(alone ? Space::Alone::yes : Space::Alone::no));
  if (alone) return space.note_files();  // else they may be of one that runs, and nobody has told of them
  for (auto& [id, entry] : jobs_) {
    if (entry.job->space() == job.space() && entry.job->lives()) entry.job->note_company();
  }
}

void Keeper::look_after(Job& job) {
  const auto space = spaces_.find(job.space());
  if (space == spaces_.end()) return;
  if (job.failed()) job.judge_network(space->second->tried_until_now());
  job.note_private_files(space->second->new_files());
  // Not while somebody waits for the result.
  loop_.post([this, id = job.space()] {
    const auto found = spaces_.find(id);
    if (found != spaces_.end() && !others_live_in(id, "")) found->second->remember_tried();
  });
}

// The one who probes cannot know whether we could take the cgroups that are there.
std::string Keeper::as_we_found_it(const std::string& text) const {
  const Result<JsonObject> object = parse_json_object(text);
  Result<Probe> probe = object ? probe_from_json(*object) : Result<Probe>(object.error());
  if (!probe || cgroups_) return text;
  for (Capability& one : probe->capabilities) {
    if (one.name != "cgroups" || !one.ok) continue;
    one.ok = false;
    one.detail = cgroups_.error().message();
  }
  return write_json(to_json(*probe));
}

void Keeper::watch(Space& space, std::vector<Job*> jobs, WatchRound& round) {
  std::ranges::stable_sort(jobs, {}, &Job::started_boot_ns);
  std::vector<Job*> watched;
  std::vector<SessionWatch::Command> commands;
  for (Job* job : jobs) {
    const std::optional<SessionWatch::Command> command = job->watched();
    if (!command) continue;
    watched.push_back(job);
    commands.push_back(*command);
  }
  if (commands.empty()) return;
  for (Stop& stop : space.watchdog().look(commands, round)) watched[stop.index]->stop(std::move(stop.why));
}

void Keeper::probe(int64_t connection, int64_t seq, const JsonObject& header) {
  const JsonObject* wished = object_or_null(header, "question");
  Result<ProbeQuestion> question = probe_question_from(wished ? *wished : JsonObject());
  if (!question) return fail(connection, seq, question.error());
  Result<std::pair<UniqueFd, UniqueFd>> pair = socket_pair(SOCK_STREAM);
  if (!pair) return fail(connection, seq, pair.error());
  const int64_t number = ++last_probing_;
  Probing& probing = probings_[number];
  probing.socket = std::move(pair->first);
  Result<Loop::Watch> watch = loop_.on_readable(probing.socket.get(), [this, number, connection, seq] {
    Probing& one = probings_.at(number);
    char buffer[16 << 10];
    const ssize_t count = ::recv(one.socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (count < 0) return;
    if (count > 0 && one.text.size() < longest_probe) {
      one.text.append(buffer, static_cast<size_t>(count));
      return;
    }
    const auto channel = channels_.find(connection);
    if (channel != channels_.end()) channel->second->send({{"re", seq}}, as_we_found_it(one.text));
    loop_.post([this, number] { probings_.erase(number); });
    one.watch = {};
  });
  if (!watch) {
    probings_.erase(number);
    return fail(connection, seq, watch.error());
  }
  probing.watch = *std::move(watch);
  if (Result<> asked = spawner_.probe(*question, std::move(pair->second)); !asked) {
    probings_.erase(number);
    fail(connection, seq, asked.error());
  }
}

}  // namespace talaria
