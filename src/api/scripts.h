#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "api/script.h"

namespace talaria {

// Every interpreter that runs programs of execute_code, and those that are kept for the next one.
class Scripts {
 public:
  explicit Scripts(Parts& parts) : parts_(parts) {}

  // The directory with hermes_tools and what goes with it: on the machine, and as those see it who run in a place.
  static const std::string& directory();
  static const std::string& directory(const Place& place);
  // Why programs cannot run at all; empty when they can.
  static std::string missing();

  // A new one, owned here until it is over. `plan.warm` is filled in.
  Script& add(ScriptPlan plan);
  // It was not started after all.
  void discard(Script& script) { forget(script.job()); }
  Script* find(const std::string& job);
  // The one that is kept under this name in a session.
  Script* kept(const std::string& session, const std::string& name);
  // Whether a session may have one more under a new name.
  Result<> room_for(const std::string& session) const;

  // Found at the keeper: started by a gateway that is gone.
  void taken_up(LiveJob& job);
  void space_gone(const std::string& space);
  // Why the one kept under this name is gone; said once. Empty: there was none.
  std::string take_reason(const std::string& session, const std::string& name);
  // The interpreters that wait for a program nobody may ever bring: they keep no session from ending.
  std::set<std::string> waiting() const;
  // The session ended, and they with it.
  void end_session(const std::string& session);
  enum class Start { cold, warm };
  // One that was to be forked and was not tells that its base does not stand: not yet, or no more.
  void note_start(const ScriptPlan& plan, Start how);

 private:
  // The program that runs of a sandbox are forked from.
  struct Base {
    std::string mark{};
    bool stands = false;  // the last run was forked from it
    int asked = 0;        // for it, since then
  };

  // The base that its sandbox forks runs from, asked for if it was not; empty: none.
  std::string warm_base(const ScriptPlan& plan);
  void became_idle(Script& script);
  void reap(const std::string& job);
  void forget(const std::string& job);
  void end_of_run(LiveJob& job);

  Parts& parts_;
  std::map<std::string, std::unique_ptr<Script>> scripts_;           // by job
  std::map<std::pair<std::string, std::string>, std::string> gone_;  // by session and name: why
  std::map<std::string, Loop::Timer> idle_;                          // by job: when it is ended
  std::map<std::string, Base> bases_;                                // by space
  std::vector<std::unique_ptr<Script>> past_;                        // destroyed a moment later
  Later clearing_;
};

}  // namespace talaria
