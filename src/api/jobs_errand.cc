// Our own commands, run through the keeper like everything else.
#include "api/jobs.h"
#include "base/id.h"
#include "os/random.h"

namespace talaria {
namespace {
constexpr size_t most_output = 4 << 20;
}  // namespace

void Jobs::run_errand(Permit permit, Clock::duration timeout, Done<std::string> done) {
  Result<KeeperClient*> keeper = this->keeper();
  if (!keeper) {
    return loop_.post([alive = alive_, done = std::move(done), error = keeper.error()] {
      if (*alive) done(error);
    });
  }
  StartOptions options;
  options.job = id_from(random_u64());
  options.timeout = timeout;
  options.grace = 1s;
  options.max_log_bytes = most_output;
  options.in_memory = true;  // the environment of a person
  options.meta = errand_meta();
  const std::string id = options.job;
  Errand& errand = errands_[id];
  errand.done = std::move(done);
  errand.call = (*keeper)->start(std::move(permit), std::move(options), [this, id](Result<JobStatus> status) {
    if (!status) finish_errand(id, std::move(status).error());
  });
}

void Jobs::errand_ended(const JobStatus& status, std::optional<std::string> output) {
  const auto found = errands_.find(status.job);
  if (found == errands_.end()) {  // of an earlier gateway
    Result<KeeperClient*> there = keeper();
    if (!there) return;
    // Its answer interests nobody; the order to end it is on its way all the same.
    if (status.running) (void)(*there)->end(status.job, 1s, [](const Result<JobStatus>&) {});
    return (*there)->forget(status.job);
  }
  if (status.reason == EndReason::timeout) {
    return finish_errand(status.job, Error(ErrorCode::timed_out, "it took too long"));
  }
  if (output) return finish_errand(status.job, std::move(*output));
  found->second.call = keeper_->read(status.job, 0, most_output, {}, [this, id = status.job](Result<Chunk> chunk) {
    if (chunk) finish_errand(id, std::move(chunk->data));
    else finish_errand(id, std::move(chunk).error());
  });
}

void Jobs::finish_errand(const std::string& id, Result<std::string> output) {
  const auto found = errands_.find(id);
  if (found == errands_.end()) return;
  const Done<std::string> done = std::move(found->second.done);
  errands_.erase(found);
  if (keeper_) keeper_->forget(id);
  done(std::move(output));
}

void Jobs::lose_errands(const Error& why) {
  while (!errands_.empty()) finish_errand(errands_.begin()->first, why);
}

}  // namespace talaria
