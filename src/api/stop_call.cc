#include "api/stop_call.h"

namespace talaria {
namespace {

class StopCall : public Operation {
 public:
  StopCall(Parts& parts, std::function<void(const std::string&)> warn, Done<JsonObject> done)
      : parts_(parts), warn_(std::move(warn)), done_(std::move(done)) {}

  void begin(bool end_jobs) {
    const std::vector<std::string> running = parts_.jobs.running();
    parts_.jobs.leave();
    if (!end_jobs) return write_rest(running.size());
    Result<KeeperClient*> keeper = parts_.jobs.keeper();
    if (!keeper) return write_rest(0);
    for (const std::string& id : running) parts_.jobs.live(id)->details.stop_requested = true;
    call_ = (*keeper)->shut_down([this](const Result<JobStatus>&) { write_rest(0); });
  }

 private:
  // What is not written goes with us, so whoever has the database locked gets a moment to let go of it. Shorter than
  // anybody waits for our answer.
  static constexpr auto write_patience = 2s;

  void write_rest(size_t left) {
    if (!give_up_at_) give_up_at_ = Clock::now() + write_patience;
    next_ = parts_.loop.after(0s, [this, left] {
      parts_.store.write_everything();
      if (parts_.store.waiting() == 0 || Clock::now() >= *give_up_at_) return answer(left);
      next_ = parts_.loop.after(100ms, [this, left] { write_rest(left); });
    });
  }

  void answer(size_t left) {
    JsonObject result{{"jobs_left_running", left}};
    if (const size_t count = parts_.store.waiting(); count > 0) {
      const auto failing = parts_.store.failing();
      std::string why = failing ? ": " + failing->error.message() : "";
      if (parts_.store.trouble()) why = ": " + parts_.store.trouble()->message();
      const std::string text = std::to_string(count) + (count == 1 ? " change was" : " changes were") +
                               " not written when the gateway stopped, and what only it knew of them is lost" + why;
      warn_(text);
      result["unwritten"] = text;
    }
    const Done<JsonObject> done = std::move(done_);
    done(std::move(result));
  }

  Parts& parts_;
  std::function<void(const std::string&)> warn_;
  Done<JsonObject> done_;
  std::optional<Clock::time_point> give_up_at_;
  KeeperClient::Call call_;
  Loop::Timer next_;
};

}  // namespace

OperationPtr start_stop(Parts& parts, bool end_jobs, std::function<void(const std::string&)> warn,
                        Done<JsonObject> done) {
  auto call = std::make_unique<StopCall>(parts, std::move(warn), std::move(done));
  call->begin(end_jobs);
  return call;
}

}  // namespace talaria
