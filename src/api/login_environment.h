#pragma once
#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/jobs.h"
#include "api/later.h"
#include "gate/gate.h"
#include "json/json.h"
#include "process/environment.h"

namespace talaria {

// What a variable is set to; empty when it is not.
std::string value_in(const Environment& environment, const std::string& name);

// What tells one state of the user's shell start-up files from another, without reading them.
struct StartupFile {
  std::string path;
  int64_t size = -1;  // -1: not there
  int64_t modified_ns = 0;
  bool operator==(const StartupFile&) const = default;
};

// What a login shell adds to the environment it is started with, as remembered on disk.
struct ShellAdditions {
  std::string shell;
  std::string base_path;  // the PATH it was started with
  std::vector<StartupFile> files;
  Environment variables;
  bool operator==(const ShellAdditions&) const = default;
};
JsonObject to_json(const ShellAdditions& additions);
std::optional<ShellAdditions> shell_additions_from(const JsonObject& object);

// The environment that an errand printed between two markers; whatever start-up files print around them is no matter.
Result<Environment> environment_between(std::string_view marker, std::string_view output);
// What `shell` has that `base` has not or has differently, without what every shell sets for itself.
Environment added_by_shell(const Environment& base, const Environment& shell);

// The environment commands inherit: ours, with what the user's login shell makes of it. Asking the shell takes long
// (rc files may do anything), so it is done once, kept on disk, and again only when its start-up files change. Commands
// wait for that a moment; then they go on with the one from before, which also stays when the shell does not answer.
class LoginEnvironment {
 public:
  LoginEnvironment(Loop& loop, Jobs& jobs, const Gate& gate, const Home& home, Environment own);

  // For host commands, without what they must not inherit. Null while it is not known: then ask when_known.
  SharedEnvironment known();
  // Called once, from the loop, when it is. Drop the handle and it is not called.
  using Waiter = std::shared_ptr<std::function<void()>>;
  [[nodiscard]] Waiter when_known(std::function<void()> call);

  // The secrets in the last one that was known: what must not reach a model's eyes.
  SharedEnvironment secrets() const { return secrets_; }
  // The shell commands run in, as found on the PATH of the last one; empty when there is none.
  const std::string& shell() const { return shell_; }
  // Ours, before any shell: variables that are meant for us.
  const Environment& own() const { return own_; }
  // Why commands get less than they should, or empty.
  const std::string& trouble() const { return trouble_; }

 private:
  std::vector<StartupFile> look() const;
  std::string user_shell() const;
  void load_cached();
  void ask_shell(Gate::Interactive interactive);
  void take_answer(Gate::Interactive interactive, const std::string& marker, Result<std::string> output);
  void become_known(Environment additions);
  void tell_waiters();

  Loop& loop_;
  Jobs& jobs_;
  const Gate& gate_;
  std::string cache_path_;
  Environment own_;
  std::vector<StartupFile> files_;   // as they were when `known_` was made
  std::vector<StartupFile> asking_;  // as they were when the shell was started
  SharedEnvironment known_;
  SharedEnvironment secrets_;
  std::string shell_;
  std::string trouble_;
  Clock::time_point retry_at_{};  // after trouble
  bool asking_shell_ = false;
  bool from_shell_ = false;       // what is known came from a shell
  Clock::time_point asked_at_{};  // for the first time since its last answer
  Loop::Timer overdue_;           // running while someone waits who could have the one from before
  std::vector<std::weak_ptr<std::function<void()>>> waiters_;
  Later refusal_;
};

}  // namespace talaria
