#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/limit_stop.h"
#include "sandbox/profile.h"

namespace talaria {

// The few things one does with a tree of cgroups; virtual, so that a test can be the kernel.
class CgroupFiles {
 public:
  virtual ~CgroupFiles() = default;
  virtual Result<std::string> read(const std::string& path);
  virtual Result<> write(const std::string& path, std::string_view text);
  virtual Result<UniqueFd> open_to_write(const std::string& path);
  virtual Result<> make_group(const std::string& path);
  virtual Result<> remove_group(const std::string& path);
  virtual Result<std::vector<std::string>> groups_in(const std::string& path);
  // Whether the service manager marked it as given away with all that lives in it.
  virtual bool marked_as_delegated(const std::string& path);
};

// The group of one command. The kernel holds it to its session's limits.
struct CommandGroup {
  std::string session;
  std::string path;
  UniqueFd procs;  // what its init writes "0" to, to join
  // How often the session's other commands had met a limit before this one began.
  uint64_t earlier_kills = 0;
  uint64_t earlier_refusals = 0;
};

// The part of the cgroup v2 tree that was delegated to the keeper: in it the keeper's own leaf, and one group for each
// session with a leaf for each command.
class Cgroups {
 public:
  // Moves the calling process into its leaf, as a group that hands controllers down may have no processes itself, and
  // removes what an earlier keeper left. The error says why there is nothing to be had; then all is as it was.
  static Result<Cgroups> find(const std::string& root = "/sys/fs/cgroup", const std::string& own = "/proc/self/cgroup",
                              std::unique_ptr<CgroupFiles> files = std::make_unique<CgroupFiles>());

  const std::string& path() const { return path_; }

  // All commands of a session together get its memory and processes. Again with other limits: these hold from now on.
  Result<> make_session(const std::string& session, const Limits& limits);
  Result<CommandGroup> make_command(const std::string& session, const std::string& job);

  // The limit that ended a command. A refused fork kills nobody: ask only about a command that failed.
  std::optional<LimitStop> stopped_by(const CommandGroup& group);

  // Processes may take a moment to leave after their end is known: what is not empty yet is removed on a later
  // occasion, and retry_removals is one.
  void remove_command(CommandGroup group);
  void remove_session(const std::string& session);
  void retry_removals();
  size_t waiting_removals() const { return removals_.size(); }

 private:
  Cgroups(std::unique_ptr<CgroupFiles> files, std::string path) : files_(std::move(files)), path_(std::move(path)) {}
  Result<> settle();
  Result<> enable_controllers(std::string_view wanted);
  Result<> move_everyone_into_leaf();
  void sweep();
  std::string folder_of(const std::string& session) const;
  Result<> set_limits(const std::string& folder, const Limits& limits);
  uint64_t counted(const std::string& path, std::string_view name);
  std::optional<LimitStop> stop_of(const char* name, const std::string& controller, const std::string& session);
  void remove_later(std::string path);

  std::unique_ptr<CgroupFiles> files_;
  std::string path_;
  std::vector<std::string> removals_;  // still to be done, leaves before their session
};

}  // namespace talaria
