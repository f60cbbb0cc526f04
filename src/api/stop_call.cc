#include "api/stop_call.h"

#include "api/cancellable_work.h"
#include "skills/catalog.h"

namespace talaria {
namespace {

class StopCall : public Operation {
 public:
  StopCall(Parts& parts, std::function<void(const std::string&)> warn, Done<JsonObject> done)
      : parts_(parts), warn_(std::move(warn)), done_(std::move(done)) {}

  void begin(bool end_jobs) {
    const std::vector<std::string> running = parts_.jobs.running();
    parts_.jobs.leave();
    if (!end_jobs) return keep_index(running.size());
    Result<KeeperClient*> keeper = parts_.jobs.keeper();
    if (!keeper) return keep_index(0);
    for (const std::string& id : running) parts_.jobs.live(id)->details.stop_requested = true;
    call_ = (*keeper)->shut_down([this](const Result<JobStatus>&) { keep_index(0); });
  }

 private:
  // Without the index of skills the next start looks at all of them anew; a disk that hangs is not waited for.
  static constexpr auto index_patience = 2s;
  // What is not written goes with us, so whoever has the database locked gets a moment to let go of it. Shorter than
  // anybody waits for our answer.
  static constexpr auto write_patience = 2s;
  // A removed database lives only as long as we have it open.
  static constexpr auto copy_patience = 5s;
  static constexpr Clock::duration between_parts = 1ms;  // of the copy; others are served
  static constexpr Clock::duration between_tries = 100ms;

  void keep_index(size_t left) {
    const auto go_on = [this, left] {
      index_.reset();
      write_rest(left);
    };
    next_ = parts_.loop.after(index_patience, go_on);
    index_.emplace().run(
        parts_.workers, [&catalog = parts_.catalog](const std::atomic<bool>&) { (void)catalog.save(); }, go_on);
  }

  void write_rest(size_t left, Clock::duration pause = 0s) {
    if (!begun_at_) begun_at_ = Clock::now();
    next_ = parts_.loop.after(pause, [this, left] {
      Store& store = parts_.store;
      store.write_everything();
      const Clock::duration passed = Clock::now() - *begun_at_;
      if (store.place() == DatabasePlace::State::removed && passed < copy_patience) {
        const Result<bool> whole = store.write_again();
        copy_trouble_ = whole ? "" : ": " + whole.error().message();
        return write_rest(left, whole ? between_parts : between_tries);
      }
      if (store.waiting() == 0 || passed >= write_patience) return answer(left);
      write_rest(left, between_tries);
    });
  }

  // Empty when all is kept.
  std::string unwritten() const {
    std::string text;
    if (parts_.store.place() == DatabasePlace::State::removed) {
      text = parts_.store.path() + " was removed and could not be written again before the gateway stopped, and what " +
             "it held is lost" + copy_trouble_;
    }
    if (const size_t count = parts_.store.waiting(); count > 0) {
      const auto failing = parts_.store.failing();
      std::string why = failing ? ": " + failing->error.message() : "";
      if (parts_.store.trouble()) why = ": " + parts_.store.trouble()->message();
      text += (text.empty() ? "" : ". ") + std::to_string(count) + (count == 1 ? " change was" : " changes were") +
              " not written when the gateway stopped, and what only it knew of them is lost" + why;
    }
    return text;
  }

  void answer(size_t left) {
    JsonObject result{{"jobs_left_running", left}};
    if (const std::string text = unwritten(); !text.empty()) {
      warn_(text);
      result["unwritten"] = text;
    }
    const Done<JsonObject> done = std::move(done_);
    done(std::move(result));
  }

  Parts& parts_;
  std::function<void(const std::string&)> warn_;
  Done<JsonObject> done_;
  std::optional<Clock::time_point> begun_at_;
  std::string copy_trouble_;
  KeeperClient::Call call_;
  std::optional<CancellableWork> index_;
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
