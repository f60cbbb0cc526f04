#pragma once
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "keeper/guarding.h"
#include "keeper/launcher.h"
#include "keeper/recent_count.h"
#include "keeper/showing.h"
#include "keeper/spawner.h"
#include "loop/loop.h"
#include "sandbox/cgroup.h"
#include "sandbox/private_places.h"
#include "sandbox/profile.h"
#include "sandbox/space.h"
#include "sandbox/usage.h"

namespace talaria {

// What the keeper needs to make a session's sandbox and to confine each command in it.
struct SpaceOrder {
  std::string id;
  SpacePlan plan;
  CommandOrder command;                  // what every command gets; its argv, environment and cwd are the command's own
  Limits limits;                         // of all its commands together
  std::string workspace;                 // whose disk is watched
  bool cgroups = true;                   // whether the kernel is to hold the limits, where it can
  std::optional<GuardOrder> guard = {};  // how its workspace is guarded; none where commands cannot write it
};

// The names of the set-up steps that confine what runs in it; a start says which it relies on.
std::vector<std::string> steps_of(const SpaceOrder& order);

// The sandbox of one session in the keeper. It stands until it is dropped, or its first process dies.
//   starting → standing → gone
class Space : public Launcher {
 public:
  using Stands = std::function<void(Result<>)>;

  struct Events {
    // Called once, with the reason, when it fails to stand or falls; not when it is dropped.
    std::function<void(const Error&)> on_gone;
    // Commands left something in the workspace.
    std::function<void(std::vector<Violation>)> on_found = [](std::vector<Violation>) {};
  };
  // Without cgroups (null) the watchdog is alone.
  Space(Loop& loop, SpaceOrder order, Cgroups* cgroups, Events events);
  ~Space() override;
  Result<> start(Spawner& spawner);

  const SpaceOrder& order() const { return order_; }
  SessionWatch& watchdog() { return watchdog_; }
  // It is about to go: whoever waits for it to stand waits in vain.
  void give_up(const Error& why);
  bool stood() const { return standing_; }
  // Calls when it stands or never will, at once if that is known.
  void when_it_stands(Stands call);

  // Calls when a command may start: what changes in the workspace from then on counts as its doing.
  void begin_command(Stands call);
  bool is_guarded() const { return guarding_.has_value(); }
  // Calls when all that commands left so far has been judged; `commands_run`: others of them are still there.
  void settle(Guarding::CommandsRun commands_run, Guarding::Settled done);

  // The limit by which the kernel ended a command, if it was one.
  std::optional<LimitStop> limit_that_ended(const std::string& job) const;
  // Nothing of that command is left.
  void forget(const std::string& job);

  // Nobody will start anything in it: it goes with the last that runs.
  bool close_when_unused = false;

  // What commands fight the guard for, while any run.
  struct Fight {
    RecentCount put_back;         // something of the workspace
    RecentCount taken_again;      // from a path from which something was taken before
    std::set<std::string> taken;  // the paths
  };
  Fight fight;

  // A new file server in it: the end for a FileClient.
  Result<UniqueFd> files();

  // Shows exactly these from now on, or from when it stands; one request after the other. The set is the holder's: it
  // stays when nobody asks any more.
  void show(std::vector<ShowWish> wishes, Showing::Done done);

  // How often commands tried to reach another machine in vain, where the network is off: before the one that is about
  // to start, and until now.
  enum class Alone { yes, no };
  uint64_t tried_before(Alone alone);
  uint64_t tried_until_now() const { return refused_routes_.count(); }
  // No command is there: the next one that starts alone need not ask.
  void remember_tried();

  // What lies in its private home and /tmp is not of the command that is about to start; and what came since.
  void note_files();
  std::vector<std::string> new_files();

  // Keeps a warm base from now on, or from when it stands.
  void warm(WarmOrder order);

  Result<Pty> terminal(WindowSize size) override;
  void give(int pipe) override;
  Result<> prepare(int control) override;
  Result<> launch(const std::string& job, const SpawnOrder& order, UniqueFd control, JobStreams streams) override;

 private:
  void hear_holder();
  void stand_if_ready();
  void fall(const Error& why);
  void tell_waiters(const Result<>& outcome);
  void show_next();

  Loop& loop_;
  SpaceOrder order_;
  Cgroups* cgroups_;
  std::map<std::string, CommandGroup> groups_;  // by job
  Events events_;
  SessionMemory memory_;          // once it stands
  RefusedRoutes refused_routes_;  // the same
  std::optional<uint64_t> tried_;
  PrivatePlaces private_places_;  // the same, too
  SessionWatch watchdog_;
  std::optional<SessionSpace> space_;  // from start() on
  bool holder_stands_ = false;
  bool standing_ = false;
  std::optional<Error> fallen_;
  std::list<Stands> waiters_;
  Spawner* spawner_ = nullptr;                    // from start() on
  std::list<std::unique_ptr<Showing>> showings_;  // the first one is under way
  Loop::Timer next_showing_;
  std::optional<Guarding> guarding_;
  Loop::Watch watch_;
};

}  // namespace talaria
