#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "json/json.h"
#include "sandbox/own_places.h"
#include "sandbox/profile.h"
#include "sandbox/protected_names.h"

namespace talaria {

enum class MountKind {
  bind,       // `source` of the host
  device,     // the device `source` of the host
  tmpfs,      // a new one
  mirror,     // `source` of the view once more: on itself it makes something read-only, or pins it in its place
  hide,       // whatever is there is covered: a directory by an empty one, a file by /dev/null
  file,       // a new file that holds `source`
  link,       // a symbolic link that says `source`
  terminals,  // a devpts of its own
  processes,  // /proc
};
std::string_view name_of(MountKind kind);

// Whether a bind shows the sandbox's user as the owner of what its owner owns outside.
enum class Owners {
  as_they_are,
  mapped_if_possible,  // for what is only read
  mapped,              // or the sandbox is refused
};

// What becomes of mounts inside of what a writable bind shows. A bind that the person listed means all that is in it;
// the workspace means its own files, and not another disk that somebody mounted there.
enum class InnerMounts { as_the_bind, read_only };

// One step of building a view. Steps are taken in order, each on top of what the earlier ones built.
struct MountStep {
  MountKind kind = MountKind::bind;
  std::string target;
  std::string source;
  bool writable = false;
  bool optional = false;  // skipped when the source or the target is not there, or /proc cannot be mounted
  bool sealed = false;    // tmpfs: read-only once the view is complete
  Owners owners = Owners::as_they_are;
  InnerMounts inner = InnerMounts::as_the_bind;
  uint64_t bytes = 0;   // tmpfs
  uint64_t inodes = 0;  // tmpfs
  uint32_t mode = 0755;
  bool operator==(const MountStep&) const = default;
};

// A whole view, as plain data: the host's root, read-only or not, and what is laid over it.
struct MountPlan {
  bool read_only_root = true;
  std::vector<MountStep> steps;
  bool operator==(const MountPlan&) const = default;
};

// What one needs to know of the machine and the session to plan a view. Paths are absolute and free of symbolic links.
struct ViewFacts {
  std::string workspace;
  std::string home;                // of the person
  std::vector<std::string> homes;  // everybody's
  std::string own_home;            // Talaria's
  std::string own_runtime;
  std::vector<OwnPlace> own_places;                 // these and our programs, and all that leads to them
  std::map<std::string, std::string> toolchains;    // where it is looked for → the real place; shown read-only
  std::vector<std::string> credentials;             // covered again inside those
  std::map<std::string, std::string> git_settings;  // name in the home → the text it has inside
  std::map<std::string, std::string> git_ignores;   // where git looks for it → the real file
  std::optional<std::string> git_directory;         // of a workspace that is a linked worktree of it
  std::vector<std::string> inner_mounts;            // what is mounted in the workspace and in that git directory
  ProtectedPaths protected_paths;
  std::string library;               // of our programs: what commands load of ours; see View::library
  std::vector<std::string> shown;    // read-only from the first moment on, also inside our own home
  std::vector<std::string> closed;   // directories on the way to something shown that the sandbox's user cannot enter
  std::vector<std::string> sockets;  // of servers on the host, by path: no mount keeps one from talking to them
  std::string resolver_file;         // where /etc/resolv.conf leads; empty: nowhere
  std::string name_switch;           // /etc/nsswitch.conf of the machine
  uint32_t uid = 0;                  // inside
  bool mapped_owners = false;        // the user inside is nobody the machine knows
  std::string passwd;                // /etc/passwd and /etc/group of the machine, when mapped
  std::string group;
};

struct View {
  MountPlan mounts;
  std::map<std::string, std::string> environment;  // variables that must fit the view: HOME, TMPDIR, XDG_…
  std::vector<std::string> writable;               // what can be written to, for the layers above
  std::string library;  // where ours is: a place that nobody inside can exchange, if there is one
  std::string cwd;      // where commands start: the workspace, or the private home when that is hidden
  bool workspace_shown = true;
  bool workspace_writable = false;
  std::vector<std::string> closed_mounts;  // inside the workspace, and read-only although it is writable
  std::vector<std::string> notes;          // sentences for the person
  bool operator==(const View&) const = default;
};

// A file system of the session's own that its commands may fill.
inline bool is_place_in_memory(const MountStep& step) { return step.kind == MountKind::tmpfs && step.writable; }

// Pure. Fails when the workspace cannot be shown without showing what must stay hidden.
Result<View> plan_view(const Profile& profile, const ViewFacts& facts);

JsonObject to_json(const MountPlan& plan);
Result<MountPlan> mount_plan_from_json(const JsonObject& object);

// Whether it is one of those that make up a machine, such as /etc, /home and /tmp: nothing in it is meant, but all.
bool is_system_folder(std::string_view path);

}  // namespace talaria
