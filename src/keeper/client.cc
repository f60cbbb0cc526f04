#include "keeper/client.h"

#include <algorithm>
#include <map>

#include "keeper/channel.h"
#include "keeper/greeting.h"
#include "keeper/protocol.h"
#include "keeper/show_frames.h"
#include "keeper/silence.h"

namespace talaria {
namespace {

Result<std::vector<JobStatus>> jobs_in(const std::string& payload) {
  const Json list = TRY(parse_json(payload));
  std::vector<JobStatus> jobs;
  if (!list.is_array()) return invalid("the keeper's list of jobs is not a list");
  for (const Json& job : list.get_array()) {
    if (job.is_object()) jobs.push_back(job_status_from(job.get_object()));
  }
  return jobs;
}

std::vector<KnownSpace> spaces_in(const JsonObject& hello) {
  std::vector<KnownSpace> spaces;
  const Json* list = hello.if_contains("spaces");
  if (!list || !list->is_array()) return spaces;
  for (const Json& space : list->get_array()) {
    if (!space.is_object()) continue;
    spaces.push_back(
        {text_or(space.get_object(), "space"), static_cast<uint32_t>(integer_or(space.get_object(), "uid"))});
  }
  return spaces;
}

bool names_step(const JsonObject& hello, std::string_view step) {
  const Json* list = hello.if_contains("steps");
  if (!list || !list->is_array()) return false;
  return std::ranges::any_of(list->get_array(),
                             [&](const Json& one) { return one.is_string() && one.get_string() == step; });
}

Error error_in(const JsonObject& error) {
  const std::string name = text_or(error, "code");
  ErrorCode code = ErrorCode::system;
  for (ErrorCode each : {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::denied, ErrorCode::conflict,
                         ErrorCode::timed_out, ErrorCode::cancelled, ErrorCode::unavailable}) {
    if (code_name(each) == name) code = each;
  }
  return Error(code, text_or(error, "message", "the keeper gave no reason"));
}

}  // namespace

struct KeeperClient::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(Loop& its_loop) : loop(its_loop) {}

  Loop& loop;
  Events events;
  pid_t pid = 0;
  std::string instance;
  std::string version;
  bool can_show = false;
  std::vector<JobStatus> jobs_at_connect;
  std::vector<KnownSpace> spaces_at_connect;
  int64_t last_number = 0;
  std::map<int64_t, std::function<void(Result<Frame>)>> pending;
  std::unique_ptr<Channel> channel;
  bool lost = false;
  bool silent = false;
  std::optional<SilenceWatch> silence;

  void take(Frame frame);
  void take_event(Frame& frame);
  void lose(const Error& why);
  void watch_silence();
  void unsent(int64_t number, const Error& why);
  Call ask(JsonObject header, std::string_view payload, std::vector<UniqueFd> fds,
           std::function<void(Result<Frame>)> done);
  Call refuse(const Error& why, std::function<void(Result<Frame>)> done);
};

void KeeperClient::Impl::take(Frame frame) {
  const Json* re = frame.header.if_contains("re");
  if (!re) return take_event(frame);
  const auto found = pending.find(integer_or(frame.header, "re"));
  if (found == pending.end()) return;  // its Call was dropped
  const auto done = std::move(found->second);
  pending.erase(found);
  if (const JsonObject* error = object_or_null(frame.header, "error")) done(error_in(*error));
  else done(std::move(frame));
}

void KeeperClient::Impl::take_event(Frame& frame) {
  const std::string event = text_or(frame.header, "event");
  if (event == "space_gone" && events.on_space_gone) {
    return events.on_space_gone(text_or(frame.header, "space"), text_or(frame.header, "reason"));
  }
  const JsonObject* object = object_or_null(frame.header, "status");
  if (!object) return;
  const JobStatus status = job_status_from(*object);
  if (event == "gone") events.on_gone(status);
  if (event != "ended") return;
  std::optional<std::string> output;
  if (boolean_or(frame.header, "whole")) output = std::move(frame.payload);
  events.on_ended(status, std::move(output));
}

void KeeperClient::Impl::lose(const Error& why) {
  lost = true;
  silence.reset();
  const Error error = silent ? silent_keeper(pid)
                             : Error(ErrorCode::unavailable, "the connection to the keeper ended: " + why.message());
  // One by one: an answer may drop the calls behind it, and those must not be called any more.
  while (!pending.empty()) {
    const auto call = pending.extract(pending.begin());
    call.mapped()(error);
  }
  events.on_lost(error);
}

void KeeperClient::Impl::watch_silence() {
  const auto ask_it = [this] {
    const int64_t number = ++last_number;
    // An older keeper does not know it, and answers all the same.
    pending.emplace(number, [this](const Result<Frame>&) {
      if (silence) silence->heard();
    });
    channel->send({{"op", "ping"}, {"seq", number}});
  };
  const auto give_up = [this] {
    silent = true;
    channel->give_up();
  };
  silence.emplace(loop, SilenceWatch::Events{[this] { return !pending.empty(); }, ask_it, give_up});
}

// Nothing of it was done.
void KeeperClient::Impl::unsent(int64_t number, const Error& why) {
  const auto call = pending.extract(number);
  if (call) call.mapped()(Error(ErrorCode::unavailable, "hand descriptors to the keeper: " + why.message()));
}

KeeperClient::Call KeeperClient::Impl::ask(JsonObject header, std::string_view payload, std::vector<UniqueFd> fds,
                                           std::function<void(Result<Frame>)> done) {
  const int64_t number = ++last_number;
  header["seq"] = number;
  if (!fds.empty()) header["fds"] = fds.size();
  pending.emplace(number, std::move(done));
  channel->send(header, payload, std::move(fds));
  return Call(weak_from_this(), number);
}

// Answers without the keeper, but not before the caller has the Call.
KeeperClient::Call KeeperClient::Impl::refuse(const Error& why, std::function<void(Result<Frame>)> done) {
  const int64_t number = ++last_number;
  pending.emplace(number, std::move(done));
  loop.post([client = weak_from_this(), number, why] {
    const std::shared_ptr<Impl> impl = client.lock();
    if (!impl) return;
    if (const auto call = impl->pending.extract(number)) call.mapped()(why);
  });
  return Call(weak_from_this(), number);
}

KeeperClient::KeeperClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
KeeperClient::~KeeperClient() = default;

KeeperClient::Call& KeeperClient::Call::operator=(Call&& other) noexcept {
  if (this != &other) {
    Call old(std::move(*this));
    client_ = std::move(other.client_);
    number_ = other.number_;
  }
  return *this;
}

KeeperClient::Call::~Call() {
  const std::shared_ptr<Impl> impl = client_.lock();
  if (impl && impl->pending.erase(number_) > 0 && !impl->lost) {
    impl->channel->send({{"op", "cancel"}, {"target", number_}});
  }
}

Result<std::unique_ptr<KeeperClient>> KeeperClient::open(Loop& loop, const Home& home, Events events) {
  return open(loop, TRY(greet_keeper(home)), std::move(events));
}

Result<std::unique_ptr<KeeperClient>> KeeperClient::open(Loop& loop, Greeting greeting, Events events) {
  auto [socket, hello] = std::move(greeting);
  auto impl = std::make_shared<Impl>(loop);
  Impl* raw = impl.get();
  impl->events = std::move(events);
  impl->pid = static_cast<pid_t>(integer_or(hello.header, "pid"));
  impl->instance = text_or(hello.header, "instance");
  impl->version = text_or(hello.header, "version");
  impl->can_show = names_step(hello.header, show_step);
  impl->jobs_at_connect = TRY(jobs_in(hello.payload));
  impl->spaces_at_connect = spaces_in(hello.header);
  impl->channel = std::make_unique<Channel>(
      loop, std::move(socket),
      Channel::Events{[raw](Frame frame) { raw->take(std::move(frame)); }, [raw](const Error& why) { raw->lose(why); },
                      [raw](int64_t number, const Error& why) { raw->unsent(number, why); }});
  impl->watch_silence();
  return std::unique_ptr<KeeperClient>(new KeeperClient(std::move(impl)));
}

pid_t KeeperClient::keeper_pid() const { return impl_->pid; }
const std::string& KeeperClient::instance() const { return impl_->instance; }
const std::string& KeeperClient::version() const { return impl_->version; }
bool KeeperClient::lost() const { return impl_->lost; }
const std::vector<JobStatus>& KeeperClient::jobs_at_connect() const { return impl_->jobs_at_connect; }
const std::vector<KnownSpace>& KeeperClient::spaces_at_connect() const { return impl_->spaces_at_connect; }

namespace {

// The status in an answer, for whoever waits for one.
std::function<void(Result<Frame>)> status_for(KeeperClient::Done<JobStatus> done) {
  return [done = std::move(done)](Result<Frame> frame) {
    if (!frame) return done(frame.error());
    const JsonObject* status = object_or_null(frame->header, "status");
    done(status ? job_status_from(*status) : JobStatus{});
  };
}

}  // namespace

KeeperClient::Call KeeperClient::start(Permit permit, StartOptions options, Done<JobStatus> done) {
  Result<Frame> frame = start_frame(permit.command(), std::move(options));
  if (!frame) return impl_->refuse(frame.error(), status_for(std::move(done)));
  return impl_->ask(std::move(frame->header), frame->payload, std::move(frame->fds), status_for(std::move(done)));
}

KeeperClient::Call KeeperClient::started(const std::string& job, Done<JobStatus> done) {
  return impl_->ask({{"op", "started"}, {"job", job}}, {}, {}, status_for(std::move(done)));
}

KeeperClient::Call KeeperClient::read(const std::string& job, uint64_t offset, size_t most, Wait wait,
                                      Done<Chunk> done) {
  JsonObject header = {{"op", "read"},
                       {"job", job},
                       {"offset", offset},
                       {"most", most},
                       {"wait_ms", milliseconds_of(wait.time)},
                       {"until_gone", wait.until == Wait::Until::gone}};
  return impl_->ask(std::move(header), {}, {}, [done = std::move(done)](Result<Frame> frame) {
    if (!frame) return done(frame.error());
    Chunk chunk;
    chunk.offset = static_cast<uint64_t>(integer_or(frame->header, "offset"));
    chunk.data = std::move(frame->payload);
    if (const JsonObject* status = object_or_null(frame->header, "status")) chunk.status = job_status_from(*status);
    done(std::move(chunk));
  });
}

KeeperClient::Call KeeperClient::write(const std::string& job, std::string_view data, bool eof,
                                       const std::optional<StdinPosition>& position, Done<JobStatus> done) {
  JsonObject header = {{"op", "write"}, {"job", job}, {"eof", eof}};
  if (position) {
    header["writer"] = position->writer;
    header["at"] = position->at;
  }
  return impl_->ask(std::move(header), data, {}, status_for(std::move(done)));
}

void KeeperClient::hold(const std::string& job, int64_t holder, uint64_t offset) {
  impl_->channel->send({{"op", "hold"}, {"job", job}, {"holder", holder}, {"offset", offset}});
}

void KeeperClient::release(const std::string& job, int64_t holder) {
  impl_->channel->send({{"op", "release"}, {"job", job}, {"holder", holder}});
}

KeeperClient::Call KeeperClient::resize(const std::string& job, WindowSize size, Done<JobStatus> done) {
  return impl_->ask({{"op", "resize"}, {"job", job}, {"rows", size.rows}, {"cols", size.cols}}, {}, {},
                    status_for(std::move(done)));
}

KeeperClient::Call KeeperClient::signal(const std::string& job, int signal, Done<JobStatus> done) {
  return impl_->ask({{"op", "signal"}, {"job", job}, {"signal", signal}}, {}, {}, status_for(std::move(done)));
}

KeeperClient::Call KeeperClient::end(const std::string& job, Clock::duration grace, Done<JobStatus> done) {
  return impl_->ask({{"op", "end"}, {"job", job}, {"grace_ms", milliseconds_of(grace)}}, {}, {},
                    status_for(std::move(done)));
}

KeeperClient::Call KeeperClient::drain(const std::string& job, Done<JobStatus> done) {
  return impl_->ask({{"op", "drain"}, {"job", job}}, {}, {}, status_for(std::move(done)));
}

KeeperClient::Call KeeperClient::kept(const std::string& job, Done<std::vector<UniqueFd>> done) {
  return impl_->ask({{"op", "kept"}, {"job", job}}, {}, {}, [done = std::move(done)](Result<Frame> frame) {
    if (!frame) return done(frame.error());
    if (frame->fds.size() != static_cast<size_t>(integer_or(frame->header, "fds"))) {
      return done(Error(ErrorCode::unavailable, "the job's descriptors did not all arrive (the limit of open files?)"));
    }
    done(std::move(frame->fds));
  });
}

KeeperClient::Call KeeperClient::list(Done<std::vector<JobStatus>> done) {
  return impl_->ask({{"op", "list"}}, {}, {}, [done = std::move(done)](Result<Frame> frame) {
    if (!frame) return done(frame.error());
    done(jobs_in(frame->payload));
  });
}

void KeeperClient::end_is_told(const std::string& job) { impl_->channel->send({{"op", "told"}, {"job", job}}); }

void KeeperClient::forget(const std::string& job) { impl_->channel->send({{"op", "forget"}, {"job", job}}); }

void KeeperClient::open_space(const SpaceRequest& request) {
  const std::string plan = write_json(to_json(request.plan));
  JsonObject header{{"op", "space"},
                    {"space", request.space},
                    {"workspace", request.workspace},
                    {"profile", to_json(request.profile)},
                    {"cgroups", request.cgroups},
                    {"plan_bytes", plan.size()}};
  if (request.guard) header["guard"] = to_json(*request.guard);
  impl_->channel->send(header, plan + encode(request.command));
}

void KeeperClient::close_space(const std::string& space, CloseSpace when) {
  impl_->channel->send({{"op", "close_space"}, {"space", space}, {"when_unused", when == CloseSpace::when_unused}});
}

KeeperClient::Call KeeperClient::files(const std::string& space, Done<UniqueFd> done) {
  return impl_->ask({{"op", "files"}, {"space", space}}, {}, {}, [done = std::move(done)](Result<Frame> frame) {
    if (!frame) return done(frame.error());
    if (frame->fds.size() != 1) return done(Error(ErrorCode::unavailable, "the keeper gave no file server"));
    done(std::move(frame->fds.front()));
  });
}

void KeeperClient::warm(const std::string& space, const WarmOrder& order) {
  impl_->channel->send({{"op", "warm"}, {"space", space}}, encode(order));
}

KeeperClient::Call KeeperClient::show(const std::string& space, const std::vector<ShowWish>& wishes,
                                      Done<ShowAnswer> done) {
  const auto take = [done = std::move(done)](const Result<Frame>& frame) {
    if (!frame) return done(frame.error());
    done(show_answer_in(*frame));
  };
  if (!impl_->can_show) {
    return impl_->refuse(Error(ErrorCode::unavailable,
                               "the running keeper (version " + impl_->version +
                                   ") is older and cannot show anything in a sandbox that stands. Its jobs go on; when "
                                   "they may end, run: talaria serve --stop --end-jobs"),
                         take);
  }
  return impl_->ask({{"op", "show"}, {"space", space}, {"count", wishes.size()}}, pack_wishes(wishes), {}, take);
}

KeeperClient::Call KeeperClient::probe(const ProbeQuestion& question, Done<Probe> done) {
  return impl_->ask({{"op", "probe"}, {"question", to_json(question)}}, {}, {},
                    [done = std::move(done)](Result<Frame> frame) {
                      if (!frame) return done(frame.error());
                      Result<JsonObject> found = parse_json_object(frame->payload);
                      done(found ? probe_from_json(*found) : Result<Probe>(found.error()));
                    });
}

KeeperClient::Call KeeperClient::shut_down(Done<JobStatus> done) {
  return impl_->ask({{"op", "shut_down"}}, {}, {}, status_for(std::move(done)));
}

}  // namespace talaria
