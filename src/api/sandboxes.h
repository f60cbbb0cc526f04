#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/jobs.h"
#include "api/sandbox_plan.h"
#include "loop/worker_pool.h"
#include "sandbox/shown_path.h"
#include "store/session_table.h"

namespace talaria {

// The sandboxes of all sessions: planned when a session first runs something in one, made by the keeper, and kept there
// until the session ends, whatever becomes of this process.
class Sandboxes {
 public:
  Sandboxes(Loop& loop, WorkerPool& workers, Jobs& jobs, const Home& home);
  ~Sandboxes();

  struct Wish {
    const SessionRow& session;
    SandboxWish sandbox;
    std::shared_ptr<const Settings> settings;
    SharedEnvironment environment;  // of the login shell
    // Exactly what it shows beside its view from now on, read-only.
    std::vector<ShownPath> shown = {};
  };
  using Done = std::function<void(Result<SharedSandboxPlan>)>;
  using Waiter = std::shared_ptr<Done>;
  // Calls with the plan of a sandbox that shows what is wished: at once when that is so, else from the loop. What
  // cannot be shown does not keep it from anything: the plan's notes, which go into every result, say so. Drop the
  // handle and it is not called.
  Waiter prepare(const Wish& wish, Done done);
  // Only the plan: makes nothing, and changes nothing that is shown.
  Waiter plan(const Wish& wish, Done done);
  // The variables its commands get, before those of the plan and the call.
  const SandboxEnvironment& environment(const std::shared_ptr<const Settings>& settings,
                                        const SharedEnvironment& login);
  // True once for each plan: what is said of it need not be said again.
  bool first_use(const SandboxPlan& plan) { return used_.insert(plan.request.space).second; }
  // The keeper has, or will have before it hears of anything sent after this, the sandbox of that plan.
  Result<> open(const SandboxPlan& plan);
  // What the machine can do, as probed for this workspace.
  using Probed = std::function<void(Result<Probe>)>;
  using ProbeWaiter = std::shared_ptr<Probed>;
  // At once when it is known. Drop the handle and it is not called.
  ProbeWaiter probe(const std::vector<std::string>& without, const std::string& workspace, Probed done);

  // Called when a sandbox shows something else than before: who has a copy of its view from before sees the old one.
  void on_view_changed(std::function<void(const std::string& space)> call) { view_changed_ = std::move(call); }

  // Called before the keeper hears of a sandbox.
  void on_open(std::function<void(const SandboxPlan&)> call) { opening_ = std::move(call); }

  void close_session(const std::string& session);
  // Called by Jobs when a sandbox, or the keeper with all of them, is gone.
  void gone(const std::string& space);
  void keeper_connected(const KeeperClient& keeper);

 private:
  struct Planning {
    std::vector<std::weak_ptr<Done>> waiters;
    ProbeWaiter probing;
  };
  // A plan that is there, and has to be shown in.
  struct Preparing {
    SharedSandboxPlan plan;
    std::weak_ptr<Done> waiter;
    std::vector<std::string> notes;
    std::vector<ShownPath> asked;  // the keeper, in this order
    Waiter planning;
    KeeperClient::Call call;
  };
  // What settings, a wish and the login environment come to; worked out again only when one of them changed.
  struct Rules {
    std::shared_ptr<const Settings> settings;
    SharedEnvironment environment;
    SandboxWish wish;
    Result<Profile> profile = Error(ErrorCode::cancelled, "");
    std::string text;  // tells one sandbox from another
  };
  const Rules& rules_for(const Wish& wish);
  std::string state_of_places(const Wish& wish, const Profile& profile) const;
  void work_out(SandboxQuestion question);
  void planned(const std::string& space, Result<SandboxPlan> plan);
  void replace(const std::string& wish, const std::string& space);
  void close(const std::string& space);
  void show(int64_t number, const std::vector<ShownPath>& paths);
  void shown(int64_t number, const Result<ShowAnswer>& answer);
  void finish(int64_t number, const Result<SharedSandboxPlan>& plan);
  uint32_t free_slot(const SandboxSettings& settings) const;

  Loop& loop_;
  WorkerPool& workers_;
  Jobs& jobs_;
  Home home_;
  std::string programs_;                            // where ours are
  std::string library_;                             // what programs of execute_code import
  std::map<std::string, SharedSandboxPlan> plans_;  // by space
  std::map<std::string, Planning> planning_;
  std::map<std::string, uint32_t> uids_;  // of the keeper's sandboxes, and of those being planned
  std::set<std::string> open_;            // the keeper has them
  std::set<std::string> used_;
  Rules rules_;
  struct Inside {
    std::shared_ptr<const Settings> settings;
    SharedEnvironment login;
    SandboxEnvironment environment;
  } inside_;
  std::map<std::string, std::string> current_;  // the sandbox of a session and what was wished of it
  struct Probing {
    bool asking = false;
    std::vector<std::weak_ptr<Probed>> waiters;
    std::optional<Probe> found;
    KeeperClient::Call call;
  };
  std::map<std::string, Probing> probes_;  // by what was asked
  std::map<int64_t, Preparing> preparing_;
  int64_t last_number_ = 0;
  // The last request to show something, of each sandbox that may show anything; 0: one of an earlier gateway.
  std::map<std::string, int64_t> showing_;
  std::function<void(const std::string&)> view_changed_;
  std::function<void(const SandboxPlan&)> opening_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace talaria
