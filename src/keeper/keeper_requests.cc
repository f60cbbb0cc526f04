// What the keeper does when a gateway asks.
#include <algorithm>
#include <cerrno>
#include <new>

#include "base/out_of_memory.h"
#include "base/text.h"
#include "keeper/keeper.h"
#include "keeper/protocol.h"
#include "os/descriptors.h"

namespace talaria {
namespace {

constexpr size_t most_per_read = 4 << 20;
constexpr auto job_start_patience = 15s;
constexpr uint64_t essential_fds = 12;

Error no_such_job(const std::string& id) { return {ErrorCode::not_found, "the keeper has no job " + id}; }

std::chrono::milliseconds milliseconds_in(const JsonObject& header, std::string_view name, int64_t fallback = 0) {
  return std::chrono::milliseconds(integer_or(header, name, fallback));
}

WindowSize window_in(const JsonObject& header) {
  return {static_cast<int>(integer_or(header, "rows", 40)), static_cast<int>(integer_or(header, "cols", 120))};
}

std::vector<int> numbers_in(const JsonObject& header) {
  std::vector<int> numbers;
  const Json* list = header.if_contains("numbers");
  if (!list || !list->is_array()) return numbers;
  for (const Json& one : list->get_array()) {
    const int64_t number = one.is_int64() ? one.get_int64() : -1;
    numbers.push_back(number >= 0 && number <= highest_numbered_fd ? static_cast<int>(number) : -1);
  }
  return numbers;
}

// The descriptors of a start, in the order of the protocol.
Result<> take_fds(Frame& frame, JobOrder& order) {
  const std::vector<int> numbers = numbers_in(frame.header);
  const bool terminal = order.input == JobOrder::Input::terminal;
  TRY(check_numbers(numbers, terminal ? StreamKind::terminal : StreamKind::pipes));
  const auto kept = static_cast<size_t>(integer_or(frame.header, "kept"));
  const size_t input = order.input == JobOrder::Input::fd ? 1 : 0;
  if (kept > most_kept_fds) return invalid("a job keeps at most " + std::to_string(most_kept_fds) + " descriptors");
  if (frame.fds.size() != input + numbers.size() + kept) {
    return invalid("a start names " + std::to_string(input + numbers.size() + kept) + " descriptors and " +
                   std::to_string(frame.fds.size()) + " came");
  }
  auto next = frame.fds.begin();
  if (input) order.input_fd = std::move(*next++);
  for (const int number : numbers) order.fds.push_back({number, std::move(*next++)});
  while (next != frame.fds.end()) order.kept.push_back(std::move(*next++));
  return ok;
}

void send_failure(Channel& channel, int64_t seq, const Error& error) {
  channel.send(
      {{"re", seq},
       {"error",
        JsonObject{{"code", code_name(error.code())}, {"message", error.message()}, {"number", error.number()}}}});
}

}  // namespace

// An answer for which there is no memory becomes a short one that says so; when there is none for that either, the
// connection ends, and whoever waits hears it so.
template <class Send>
void Keeper::tell(int64_t connection, int64_t seq, const Send& send) {
  const auto found = channels_.find(connection);
  if (found == channels_.end()) return;
  Channel& channel = *found->second;
  try {
    return send(channel);
  } catch (const std::bad_alloc&) {
  }
  try {
    send_failure(channel, seq, out_of_memory());
  } catch (const std::bad_alloc&) {
    channel.give_up();
  }
}

void Keeper::take(int64_t connection, Frame frame) {
  const int64_t seq = integer_or(frame.header, "seq");
  try {
    act(connection, seq, frame);
  } catch (const std::bad_alloc&) {
    fail(connection, seq, out_of_memory());
  }
}

void Keeper::act(int64_t connection, int64_t seq, Frame& frame) {
  const std::string op = text_or(frame.header, "op");
  if (op == "start") return start(connection, seq, frame);
  if (op == "shut_down") return shut_down(connection, seq);
  if (op == "space") return open_space(frame);
  if (op == "close_space") {
    return close_space(text_or(frame.header, "space"), boolean_or(frame.header, "when_unused"));
  }
  if (op == "files") return give_files(connection, seq, text_or(frame.header, "space"));
  if (op == "warm") return warm(frame);
  if (op == "show") return show(connection, seq, frame);
  if (op == "probe") return probe(connection, seq, frame.header);
  if (op == "list") return channels_.at(connection)->send({{"re", seq}}, all_jobs());
  const std::string id = text_or(frame.header, "job");
  const auto found = jobs_.find(id);
  if (op == "cancel") {
    const std::pair target(connection, integer_or(frame.header, "target"));
    for (auto& [name, entry] : jobs_) {
      entry.job->waiters().remove_if([&target](const Job::Waiter& waiter) { return waiter.key == target; });
    }
    return;
  }
  if (found == jobs_.end()) {
    if (op != "forget" && op != "told" && op != "hold" && op != "release") fail(connection, seq, no_such_job(id));
    return;
  }
  act_on_job(connection, seq, frame, *found->second.job);
}

void Keeper::act_on_job(int64_t connection, int64_t seq, Frame& frame, Job& job) {
  const std::string op = text_or(frame.header, "op");
  const auto answer = [this, connection, seq](Result<JobStatus> outcome) { reply(connection, seq, outcome); };
  if (op == "started") {
    if (!job.starting()) return answer(job.status());
    jobs_.at(job.id()).start_answers.push_back(answer);
    return;
  }
  if (op == "read") return read(connection, seq, frame.header, job);
  if (op == "write") {
    std::optional<StdinPosition> position;
    if (frame.header.contains("writer")) {
      position = {text_or(frame.header, "writer"), static_cast<uint64_t>(integer_or(frame.header, "at"))};
    }
    return job.write(std::move(frame.payload), boolean_or(frame.header, "eof"), position, answer);
  }
  const Job::Holder holder(connection, integer_or(frame.header, "holder"));
  if (op == "hold") return job.hold(holder, static_cast<uint64_t>(integer_or(frame.header, "offset")));
  if (op == "release") return job.release(holder);
  if (op == "resize") return answer(job.resize(window_in(frame.header)));
  if (op == "signal") return answer(job.signal(static_cast<int>(integer_or(frame.header, "signal"))));
  if (op == "end") return job.end(milliseconds_in(frame.header, "grace_ms", 5000), EndReason::killed, answer);
  if (op == "drain") return answer(job.drain());
  if (op == "kept") return give_kept(connection, seq, job);
  if (op == "told") return job.note_told();
  if (op == "forget") {
    jobs_.at(job.id()).forgotten = true;
    job.forget();
    if (job.gone()) drop(std::string(job.id()));
    return;
  }
  fail(connection, seq,
       invalid("this keeper (protocol " + std::to_string(keeper_protocol) + ") does not know \"" + op + "\""));
}

Result<JobOrder> Keeper::order_from(Frame& frame) const {
  const JsonObject& header = frame.header;
  JobOrder order;
  order.job = text_or(header, "job");
  order.space = text_or(header, "space");
  TRY(check_steps(header, order.space));
  std::string_view payload = frame.payload;
  order.spawn.argv = TRY(unpack_strings(payload, static_cast<size_t>(integer_or(header, "argc"))));
  order.spawn.environment = TRY(unpack_strings(payload, static_cast<size_t>(integer_or(header, "envc"))));
  order.spawn.cwd = text_or(header, "cwd", "/");
  order.spawn.open_files = open_files_;
  if (order.job.empty() || order.job.find('/') != std::string::npos || order.spawn.argv.empty()) {
    return invalid("a start needs a job id and an argv");
  }
  const std::string input = text_or(header, "stdin", "null");
  if (input == "pipe") order.input = JobOrder::Input::pipe;
  else if (input == "terminal") order.input = JobOrder::Input::terminal;
  else if (input == "fd") order.input = JobOrder::Input::fd;
  else if (input != "null") return invalid("stdin \"" + input + "\" is none of null, pipe, terminal, fd");
  TRY(take_fds(frame, order));
  order.spawn.warm = text_or(header, "warm");
  order.window = window_in(header);
  order.timeout = milliseconds_in(header, "timeout_ms");
  order.grace = milliseconds_in(header, "grace_ms", 5000);
  order.max_log_bytes = static_cast<uint64_t>(integer_or(header, "max_log_bytes", 64 << 20));
  if (boolean_or(header, "in_memory")) order.place = JobOutput::Place::memory;
  if (const JsonObject* meta = object_or_null(header, "meta")) order.meta = *meta;
  return order;
}

void Keeper::start(int64_t connection, int64_t seq, Frame& frame) {
  Result<JobOrder> order = order_from(frame);
  if (!order) return fail(connection, seq, order.error());
  const std::string id = order->job;
  const auto answer = [this, connection, seq](Result<JobStatus> outcome) { reply(connection, seq, outcome); };
  if (const auto found = jobs_.find(id); found != jobs_.end()) {  // a repeated start is the same job
    if (found->second.job->starting()) found->second.start_answers.push_back(answer);
    else answer(found->second.job->status());
    return;
  }
  if (Result<> room = room_for_start(order->space); !room) return fail(connection, seq, room.error());
  Job::Events events{[this, id](Result<JobStatus> outcome) { answer_start(id, std::move(outcome)); },
                     [this](Job& job) { return judge(job); }, [this](Job& job) { job_ended(job); },
                     [this](Job& job) { job_gone(job); }};
  Entry made{.job = std::make_unique<Job>(loop_, home_.job(id), std::move(*order), std::move(events)),
             .start_answers = {answer}};
  // Its order may be with one who never hears of it. Without the job nothing of it runs: it goes with its socket.
  made.start_deadline = loop_.after(job_start_patience, [this, id] {
    answer_start(id, Error(ErrorCode::timed_out, "the command did not start within 15 seconds"));
  });
  const Entry& entry = jobs_.emplace(id, std::move(made)).first->second;  // whole, or not at all
  idle_ = {};
  if (entry.job->space().empty()) return launch(id, spawner_);
  const std::string space = entry.job->space();
  spaces_.at(space)->close_when_unused = false;  // its session lives on
  spaces_.at(space)->when_it_stands([this, id, space, job = std::weak_ptr(entry.wanted)](const Result<>& stands) {
    if (job.expired()) return;
    if (!stands) return answer_start(id, stands.error());
    // The guard looks around while the command is prepared, which waits for that.
    Space& there = *spaces_.at(space);
    if (there.is_guarded()) {
      there.begin_command([this, id, job](const Result<>& begun) {
        if (job.expired() || !jobs_.at(id).start_deadline) return;  // it has failed meanwhile
        if (begun) jobs_.at(id).job->let_run();
        else answer_start(id, begun.error());
      });
    }
    if (!job.expired() && jobs_.at(id).start_deadline) launch(id, there), keep_watching();
  });
}

void Keeper::launch(const std::string& id, Launcher& launcher) {
  Job& job = *jobs_.at(id).job;
  if (const auto space = spaces_.find(job.space()); space != spaces_.end()) {
    job.note_disk(space->second->order().workspace);
    note_before(*space->second, job);
  }
  const auto start_it = [&] {
    const DescriptorReserve reserve(kept_in_reserve());
    return job.start(launcher);
  };
  try {
    if (Result<> begun = start_it(); !begun) answer_start(id, too_many(begun.error(), id));
  } catch (const std::bad_alloc&) {
    answer_start(id, out_of_memory());
  }
}

// What a new job may not take: a log file for each that has none open yet, and what it takes to hear a gateway, to
// store results, to read logs and to look after processes.
uint64_t Keeper::kept_in_reserve() const {
  uint64_t count = essential_fds;
  for (const auto& [id, entry] : jobs_) count += !entry.job->gone() && entry.job->output().wants_file() ? 1 : 0;
  return count;
}

// Of a start that failed for want of descriptors, in words that help.
Error Keeper::too_many(const Error& why, const std::string& starting) const {
  if (why.number() != EMFILE) return why;
  const auto running = std::ranges::count_if(
      jobs_, [&](const auto& entry) { return entry.first != starting && !entry.second.job->gone(); });
  return {ErrorCode::conflict, std::to_string(running) + (running == 1 ? " job is" : " jobs are") +
                                   " running, the most that the keeper's limit of open files (" +
                                   std::to_string(open_files_limit()) +
                                   ") allows. End some (process kill; talaria kill ID), or ask the owner to raise the "
                                   "limit (ulimit -n) and restart Talaria, which ends all jobs"};
}

void Keeper::answer_start(const std::string& id, Result<JobStatus> outcome) {
  if (!outcome) loop_.post([this, name = id] { drop(name); });  // without the memory for it the deadline brings us back
  Entry& entry = jobs_.at(id);
  std::list<Job::Answer> answers;
  answers.swap(entry.start_answers);
  for (const Job::Answer& answer : answers) give(answer, outcome);
  if (!outcome) entry.job->never_started(outcome.error());
  // Nothing ran that was announced to the guard.
  const auto space = spaces_.find(entry.job->space());
  if (!outcome && space != spaces_.end() && !others_live_in(entry.job->space(), id)) {
    space->second->settle(Guarding::CommandsRun::no, [](const std::vector<Violation>&) {});
  }
  entry.start_deadline = {};
}

void Keeper::read(int64_t connection, int64_t seq, const JsonObject& header, Job& job) {
  const bool over = boolean_or(header, "until_gone") ? job.gone() : !job.status().running;
  const bool may_wait = milliseconds_in(header, "wait_ms") > 0ms && !over;
  if (!send_chunk(connection, seq, header, job, !may_wait)) wait_for_output(connection, seq, header, job);
}

bool Keeper::send_chunk(int64_t connection, int64_t seq, const JsonObject& header, Job& job, bool even_if_empty) {
  uint64_t offset = static_cast<uint64_t>(integer_or(header, "offset"));
  const size_t most = std::min<size_t>(static_cast<size_t>(integer_or(header, "most", 1 << 16)), most_per_read);
  bool answered = true;
  tell(connection, seq, [&](Channel& channel) {
    const Result<std::string> data = job.output().read(offset, most);
    if (!data) return fail(connection, seq, data.error());
    const bool moved = offset != static_cast<uint64_t>(integer_or(header, "offset"));  // what was asked for is lost
    answered = even_if_empty || moved || !data->empty();
    if (answered) channel.send({{"re", seq}, {"offset", offset}, {"status", to_json(job.status())}}, *data);
  });
  return answered;
}

void Keeper::wait_for_output(int64_t connection, int64_t seq, const JsonObject& header, Job& job) {
  const std::string id = job.id();
  const auto answer = [this, connection, seq, header, id] {
    const auto found = jobs_.find(id);
    if (found != jobs_.end()) send_chunk(connection, seq, header, *found->second.job, true);
  };
  const std::pair key(connection, seq);
  Job::Waiter waiter{key, answer, {}};
  waiter.deadline = loop_.after(milliseconds_in(header, "wait_ms"), [this, key, answer, id] {
    answer();
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    found->second.job->waiters().remove_if([key = key](const Job::Waiter& other) { return other.key == key; });
  });
  job.waiters().push_back(std::move(waiter));
}

void Keeper::give_kept(int64_t connection, int64_t seq, const Job& job) {
  Result<std::vector<UniqueFd>> fds = job.kept();
  if (!fds) return fail(connection, seq, fds.error());
  const size_t count = fds->size();
  channels_.at(connection)->send({{"re", seq}, {"fds", count}}, {}, *std::move(fds));
}

void Keeper::shut_down(int64_t connection, int64_t seq) {
  when_empty_ = [this, connection, seq] {
    reply(connection, seq, JobStatus{});
    loop_.post([this] { loop_.stop(); });
  };
  leave_when_nothing_is_left();
  for (auto& [id, entry] : jobs_) {
    entry.forgotten = true;
    entry.job->end(5s, EndReason::killed, {});
    if (entry.job->gone()) loop_.post([this, name = id] { drop(name); });
  }
}

void Keeper::reply(int64_t connection, int64_t seq, const Result<JobStatus>& outcome) {
  if (!outcome) return fail(connection, seq, outcome.error());
  tell(connection, seq, [&](Channel& channel) { channel.send({{"re", seq}, {"status", to_json(*outcome)}}); });
}

void Keeper::fail(int64_t connection, int64_t seq, const Error& error) {
  tell(connection, seq, [&](Channel& channel) { send_failure(channel, seq, error); });
}

}  // namespace talaria
