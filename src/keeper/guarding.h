#pragma once
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/guard_process.h"
#include "guard/violation.h"
#include "keeper/spawner.h"
#include "loop/loop.h"
#include "os/fd.h"

namespace talaria {

// Says that what a command left could not be judged.
Violation unjudged(const Error& why);

// The keeper's end of a workspace's guard: a process that takes away what commands of one sandbox leave and what would
// run outside of it.
//   starting → ready → gone
class Guarding {
 public:
  struct Events {
    std::function<void()> on_ready;
    std::function<void(const Error&)> on_gone;  // once; who waits has been answered then
    std::function<void(std::vector<Violation>)> on_found;
  };
  using Begun = std::function<void(Result<>)>;
  using Settled = std::function<void(std::vector<Violation>)>;

  Guarding(Loop& loop, Events events) : loop_(loop), events_(std::move(events)) {}
  Result<> start(Spawner& spawner, const GuardOrder& order);
  bool ready() const { return ready_; }
  // It is about to go: whoever waits for an answer hears so.
  void give_up(const Error& why);

  // Calls when what changes from then on counts as a command's doing.
  void begin(Begun done);
  // Calls when all that commands did so far has been judged. `commands_run` says whether any still does.
  enum class CommandsRun { no, yes };
  void settle(CommandsRun commands_run, Settled done);

 private:
  void hear();
  void take(char word, std::string_view text);
  void ask(char word);
  void wait_on();
  void fall(const Error& why);

  Loop& loop_;
  Events events_;
  UniqueFd socket_;
  bool ready_ = false;
  bool fallen_ = false;
  std::deque<Begun> beginning_;
  std::deque<Settled> settling_;
  Loop::Timer broken_;
  Loop::Timer patience_;  // runs while an answer is due
  Loop::Watch watch_;
};

}  // namespace talaria
