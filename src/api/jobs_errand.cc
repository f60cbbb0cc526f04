// Our own commands, run through the keeper like everything else.
#include <unistd.h>

#include "api/jobs.h"
#include "base/id.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr size_t most_output = 4 << 20;
constexpr uint64_t most_behind = 64 << 20;  // the command waits when an eighth of it was not taken
constexpr size_t errand_part = 1 << 20;     // of its output, asked for at a time
constexpr auto errand_wait = 60s;
constexpr auto gather_for = 5ms;
constexpr int64_t only_holder = 0;

Error took_too_long() { return {ErrorCode::timed_out, "it took too long"}; }

}  // namespace

std::string Jobs::run_errand(Permit permit, Errand errand, Done<ErrandEnd> done) {
  std::string id = id_from(random_u64());
  RunningErrand& running = errands_[id];
  running.done = std::move(done);
  running.on_output = std::move(errand.on_output);
  running.leaves_nothing = errand.leaves_nothing;
  Result<KeeperClient*> keeper = this->keeper();
  if (!keeper) {
    loop_.post([this, alive = alive_, id, error = keeper.error()] {
      if (*alive) finish_errand(id, error);
    });
    return id;
  }
  StartOptions options;
  options.job = id;
  options.timeout = errand.timeout;
  options.grace = 1s;
  options.in_memory = !running.on_output;  // it may be the environment of a person
  options.max_log_bytes = running.on_output ? most_behind : most_output;
  options.space = std::move(errand.space);
  options.steps = std::move(errand.steps);
  if (errand.input) {
    options.stdin_kind = Stdin::fd;
    options.stdin_fd = std::move(errand.input);
  }
  if (errand.errors) options.fds.push_back({STDERR_FILENO, std::move(errand.errors)});
  options.meta = errand_meta();
  running.starting = (*keeper)->start(std::move(permit), std::move(options), [this, id](Result<JobStatus> status) {
    if (!status) return finish_errand(id, std::move(status).error());
    const auto found = errands_.find(id);
    if (found == errands_.end() || !found->second.on_output || found->second.status) return;
    keeper_->hold(id, only_holder, found->second.taken);
    read_errand_soon(id);
  });
  return id;
}

void Jobs::drop_errand(const std::string& id) {
  if (errands_.erase(id) == 0 || !keeper_) return;
  (void)keeper_->end(id, 0s, [](const Result<JobStatus>&) {});
  keeper_->forget(id);
}

// A question for every few bytes would cost more than the bytes; once it has ended, there is no more to wait for.
void Jobs::read_errand_soon(const std::string& id) {
  errands_.at(id).pause = loop_.after(gather_for, [this, id] {
    if (errands_.contains(id)) read_errand(id);
  });
}

void Jobs::read_errand(const std::string& id) {
  RunningErrand& errand = errands_.at(id);
  errand.reading =
      keeper_->read(id, errand.taken, errand_part, {errand_wait, Wait::Until::ended}, [this, id](Result<Chunk> chunk) {
        const auto found = errands_.find(id);
        if (found == errands_.end()) return;
        if (!chunk) return finish_errand(id, std::move(chunk).error());
        found->second.taken = chunk->offset + chunk->data.size();
        const auto take = found->second.on_output;
        take(chunk->data);  // may drop it
        const auto still = errands_.find(id);
        if (still == errands_.end()) return;
        if (chunk->status.running || still->second.taken < chunk->status.output_bytes) {
          if (chunk->status.running) keeper_->hold(id, only_holder, still->second.taken);
          const bool little = chunk->data.size() < errand_part / 4;
          return chunk->status.running && little ? read_errand_soon(id) : read_errand(id);
        }
        if (chunk->status.reason == EndReason::timeout) return finish_errand(id, took_too_long());
        finish_errand(id, ErrandEnd{chunk->status.exit_code, chunk->status.exit_signal, ""});
      });
}

void Jobs::errand_ended(const JobStatus& status, std::optional<std::string> output) {
  const auto found = errands_.find(status.job);
  if (found == errands_.end()) {  // of an earlier gateway, or dropped
    Result<KeeperClient*> there = keeper();
    if (!there) return;
    // Its answer interests nobody; the order to end it is on its way all the same.
    if (status.running) (void)(*there)->end(status.job, 1s, [](const Result<JobStatus>&) {});
    return (*there)->forget(status.job);
  }
  RunningErrand& errand = found->second;
  const bool too_long = status.reason == EndReason::timeout;
  if (too_long && !errand.on_output) return finish_errand(status.job, took_too_long());
  ErrandEnd end{status.exit_code, status.exit_signal, ""};
  if (output && !errand.on_output) {
    end.output = *std::move(output);
    return finish_errand(status.job, std::move(end));
  }
  errand.pause = {};
  if (output) {
    errand.reading = {};
    const auto take = errand.on_output;
    if (errand.taken < output->size()) take(std::string_view(*output).substr(errand.taken));
    if (too_long) return finish_errand(status.job, took_too_long());
    return finish_errand(status.job, std::move(end));
  }
  errand.status = status;
  if (errand.on_output) return read_errand(status.job);
  errand.reading = keeper_->read(status.job, 0, most_output, {}, [this, id = status.job, end](Result<Chunk> chunk) {
    if (!chunk) return finish_errand(id, std::move(chunk).error());
    ErrandEnd whole = end;
    whole.output = std::move(chunk->data);
    finish_errand(id, std::move(whole));
  });
}

void Jobs::finish_errand(const std::string& id, Result<ErrandEnd> end) {
  const auto found = errands_.find(id);
  if (found == errands_.end()) return;
  const RunningErrand errand = std::move(found->second);
  errands_.erase(found);
  // Its answer interests nobody; the order is on its way all the same.
  if (keeper_ && errand.leaves_nothing) (void)keeper_->end(id, 0s, [](const Result<JobStatus>&) {});
  if (keeper_) keeper_->forget(id);
  if (errand.taken > 0) {
    workers_.run([folder = home_.job(id)] { (void)remove_tree(folder); });
  }
  errand.done(std::move(end));
}

void Jobs::lose_errands(const Error& why) {
  while (!errands_.empty()) finish_errand(errands_.begin()->first, why);
}

}  // namespace talaria
