#include "sandbox/view.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "base/unseen.h"
#include "sandbox/offline_lookup.h"

namespace talaria {
namespace {

constexpr uint64_t shared_memory_bytes = 64 << 20;
constexpr uint64_t run_folder_bytes = 16 << 20;

// Where other people's and other programs' things live. Not all machines have all of them.
constexpr std::array hidden_folders = {"/home",
                                       "/root",
                                       "/run",
                                       "/var/run",
                                       "/mnt",
                                       "/media",
                                       "/var/lib/docker",
                                       "/var/lib/containerd",
                                       "/var/lib/containers",
                                       "/var/lib/kubelet",
                                       "/var/lib/lxc",
                                       "/var/lib/lxd",
                                       "/var/lib/libvirt",
                                       "/var/lib/machines",
                                       "/var/lib/rancher",
                                       "/var/snap/docker",
                                       "/sys/firmware",
                                       "/sys/kernel/debug",
                                       "/sys/kernel/tracing",
                                       "/sys/kernel/security"};

// Writable as a workspace, or covered as a home, these would open or break the whole machine.
constexpr std::array system_folders = {"/bin",   "/boot",   "/dev", "/etc", "/home",    "/lib",     "/lib32", "/lib64",
                                       "/media", "/libx32", "/mnt", "/opt", "/proc",    "/run",     "/sbin",  "/srv",
                                       "/sys",   "/tmp",    "/usr", "/var", "/var/lib", "/var/tmp", "/root"};

// What only root may read. Root without capabilities still owns it.
constexpr std::array roots_secrets = {"/etc/shadow",
                                      "/etc/shadow-",
                                      "/etc/gshadow",
                                      "/etc/gshadow-",
                                      "/etc/sudoers",
                                      "/etc/sudoers.d",
                                      "/etc/ssl/private",
                                      "/etc/ssh/ssh_host_rsa_key",
                                      "/etc/ssh/ssh_host_ecdsa_key",
                                      "/etc/ssh/ssh_host_ed25519_key"};

// Directly below a folder that is covered and sealed, so that nothing above it can be moved aside.
constexpr const char* library_place = "/run/talaria/lib";

constexpr std::array device_names = {"null", "zero", "full", "random", "urandom", "tty"};

bool is_one_of(std::string_view path, std::span<const char* const> list) {
  return std::ranges::any_of(list, [&](const char* entry) { return path == entry; });
}

// Puts the steps of one view together; each function is one layer of it.
class Planner {
 public:
  Planner(const Profile& profile, const ViewFacts& facts) : profile_(profile), facts_(facts) {}

  Result<View> confined();
  View full();

 private:
  struct Shown {
    std::string target;
    std::string source;
    bool writable;
    bool optional;
  };

  void hide_others();
  void private_devices();
  void private_folders();
  void account();
  void resolver();
  void git_settings();
  void judge_workspace();
  void collect_shown();
  void show(std::string path, bool writable, bool optional) { shown_.push_back({path, path, writable, optional}); }
  bool is_listed(const std::string& path) const;
  bool shows(const Shown& outer, const Shown& one) const;
  void bind_shown();
  void protect_names();
  void hide_sockets();
  Result<> guard_ourselves();
  void hide_ourselves();
  void show_library(std::string place);
  void proc();
  void set_environment();

  MountStep& add(MountKind kind, std::string target, std::string source = {});
  void add_tmpfs(std::string target, uint64_t bytes, uint64_t inodes, uint32_t mode);
  std::string private_home() const {
    const std::string& home = facts_.home;
    return home == "/root" || (home != "/" && !is_one_of(home, system_folders)) ? home : "/tmp/home";
  }
  Owners owners(bool writable) const {
    if (!facts_.mapped_owners) return Owners::as_they_are;
    return writable ? Owners::mapped : Owners::mapped_if_possible;
  }

  const Profile& profile_;
  const ViewFacts& facts_;
  std::vector<Shown> shown_;
  View view_;
};

MountStep& Planner::add(MountKind kind, std::string target, std::string source) {
  MountStep step;
  step.kind = kind;
  step.target = std::move(target);
  step.source = std::move(source);
  view_.mounts.steps.push_back(std::move(step));
  return view_.mounts.steps.back();
}

void Planner::add_tmpfs(std::string target, uint64_t bytes, uint64_t inodes, uint32_t mode) {
  view_.writable.push_back(target);
  MountStep& step = add(MountKind::tmpfs, std::move(target));
  step.writable = true;
  step.bytes = bytes;
  step.inodes = inodes;
  step.mode = mode;
}

void Planner::hide_others() {
  std::vector<std::string> folders(hidden_folders.begin(), hidden_folders.end());
  folders.insert(folders.end(), facts_.homes.begin(), facts_.homes.end());
  folders.insert(folders.end(), facts_.closed.begin(), facts_.closed.end());
  std::ranges::sort(folders);
  std::vector<std::string> done;
  for (const std::string& folder : folders) {
    const auto covers = [&](const std::string& outer) { return is_within(folder, outer); };
    if (folder == "/" || std::ranges::any_of(done, covers)) continue;
    done.push_back(folder);
    if (folder == private_home()) continue;  // the private home covers it
    add(MountKind::hide, folder).optional = true;
  }
  if (facts_.uid != 0) return;
  for (const char* path : roots_secrets) add(MountKind::hide, path).optional = true;
}

void Planner::private_devices() {
  MountStep& dev = add(MountKind::tmpfs, "/dev");
  dev.bytes = 64 << 10;
  dev.inodes = 64;
  dev.sealed = true;
  for (const char* name : device_names) {
    add(MountKind::device, std::string("/dev/") + name, std::string("/dev/") + name).writable = true;
  }
  add(MountKind::terminals, "/dev/pts").writable = true;
  add(MountKind::link, "/dev/ptmx", "pts/ptmx");
  add(MountKind::link, "/dev/fd", "/proc/self/fd");
  add(MountKind::link, "/dev/stdin", "/proc/self/fd/0");
  add(MountKind::link, "/dev/stdout", "/proc/self/fd/1");
  add(MountKind::link, "/dev/stderr", "/proc/self/fd/2");
  add_tmpfs("/dev/shm", shared_memory_bytes, 16'384, 01777);
}

void Planner::private_folders() {
  add_tmpfs("/tmp", profile_.limits.tmp_bytes, profile_.limits.tmp_inodes, 01777);
  // One place under two names: programs that clean up one must not find the other full.
  MountStep& var_tmp = add(MountKind::mirror, "/var/tmp", "/tmp");
  var_tmp.writable = true;
  var_tmp.optional = true;
  view_.writable.push_back("/var/tmp");
  add_tmpfs(private_home(), profile_.limits.tmp_bytes, profile_.limits.tmp_inodes, 0700);
  add_tmpfs("/run/user/" + std::to_string(facts_.uid), run_folder_bytes, 4096, 0700);
}

// A user the machine does not know gets a line in the account files, or every program that asks for its name fails.
void Planner::account() {
  if (!facts_.mapped_owners || facts_.passwd.empty()) return;
  const std::string id = std::to_string(facts_.uid);
  add(MountKind::file, "/run/accounts/passwd",
      facts_.passwd + "sandbox:x:" + id + ":" + id + "::" + private_home() + ":/bin/sh\n");
  add(MountKind::file, "/run/accounts/group", facts_.group + "sandbox:x:" + id + ":\n");
  add(MountKind::mirror, "/etc/passwd", "/run/accounts/passwd").optional = true;
  add(MountKind::mirror, "/etc/group", "/run/accounts/group").optional = true;
}

void Planner::resolver() {
  if (profile_.network == NetworkMode::on) return;
  std::vector<MountStep> steps = offline_lookup(facts_, view_.mounts);
  std::ranges::move(steps, std::back_inserter(view_.mounts.steps));
}

// Not the person's own files, which may hold tokens and name programs.
void Planner::git_settings() {
  for (const auto& [name, text] : facts_.git_settings) {
    add(MountKind::file, private_home() + name, text);
    add(MountKind::mirror, private_home() + name, private_home() + name);
  }
}

void Planner::judge_workspace() {
  const std::string& workspace = facts_.workspace;
  view_.cwd = workspace;
  view_.workspace_shown = true;
  view_.workspace_writable = profile_.kind != ProfileKind::read_only;
  if (workspace == "/") {
    view_.workspace_shown = false;
    view_.workspace_writable = false;
    view_.notes.push_back("The workspace is /, so it is read-only. Start the session in a project directory.");
  } else if (is_within(facts_.home, workspace) || std::ranges::any_of(facts_.homes, [&](const std::string& home) {
               return home != "/" && is_within(home, workspace);
             })) {
    view_.cwd = private_home();
    view_.workspace_shown = false;
    view_.workspace_writable = false;
    view_.notes.push_back("The workspace " + shown_line(workspace) +
                          " is or holds a home directory, which stays hidden: commands see an empty private home. "
                          "Start the session in a project directory.");
  } else if (is_one_of(workspace, system_folders)) {
    view_.workspace_shown = false;
    view_.workspace_writable = false;
    view_.notes.push_back(
        "The workspace " + shown_line(workspace) +
        " belongs to the system and is not opened for writing. Start the session in a project directory.");
  }
}

void Planner::collect_shown() {
  for (const auto& [target, source] : facts_.toolchains) shown_.push_back({target, source, false, true});
  for (const auto& [target, source] : facts_.git_ignores) shown_.push_back({target, source, false, true});
  const std::string& names = facts_.resolver_file;
  if (is_within(names, "/run") && profile_.network == NetworkMode::on) {
    show(names.substr(0, names.rfind('/')), false, true);
  }
  for (const std::string& path : profile_.readable) show(path, false, true);
  if (view_.workspace_shown) show(facts_.workspace, view_.workspace_writable, false);
  if (view_.workspace_shown && facts_.git_directory) show(*facts_.git_directory, view_.workspace_writable, true);
  for (const std::string& path : profile_.writable) show(path, profile_.kind != ProfileKind::read_only, false);
}

// Whether the person named it, or something around it, as writable: then all that is mounted there is meant, too.
bool Planner::is_listed(const std::string& path) const {
  return std::ranges::any_of(profile_.writable, [&](const std::string& listed) { return is_within(path, listed); });
}

// Whether what was asked for is there already, as it should be.
bool Planner::shows(const Shown& outer, const Shown& one) const {
  const bool in_place = outer.target == outer.source && one.target == one.source;
  if (!in_place || !is_within(one.target, outer.target) || (one.writable && !outer.writable)) return false;
  if (!outer.writable || is_listed(outer.target)) return true;
  return std::ranges::none_of(facts_.inner_mounts, [&](const std::string& mount) {
    return is_within(one.target, mount) && is_within(mount, outer.target);
  });
}

// Outer ones first, so that none covers another; what is only read needs no second mount inside what is shown already.
void Planner::bind_shown() {
  std::ranges::stable_sort(shown_, [](const Shown& a, const Shown& b) {
    return a.target != b.target ? a.target < b.target : a.writable && !b.writable;
  });
  std::vector<Shown> done;
  for (const Shown& one : shown_) {
    if (std::ranges::any_of(done, [&](const Shown& outer) { return shows(outer, one); })) continue;
    MountStep& step = add(MountKind::bind, one.target, one.source);
    step.writable = one.writable;
    step.optional = one.optional;
    step.owners = owners(one.writable);
    if (one.writable && !is_listed(one.target)) step.inner = InnerMounts::read_only;
    if (one.writable) view_.writable.push_back(one.target);
    done.push_back(one);
  }
  if (view_.workspace_writable) {
    std::ranges::copy_if(facts_.inner_mounts, std::back_inserter(view_.closed_mounts),
                         [this](const std::string& mount) { return !is_listed(mount); });
  }
  for (const std::string& path : facts_.credentials) add(MountKind::hide, path).optional = true;
}

void Planner::protect_names() {
  if (!view_.workspace_writable) return;
  const auto mirror_on_itself = [this](const std::string& path, bool writable) {
    MountStep& step = add(MountKind::mirror, path, path);
    step.writable = writable;
    step.optional = true;
  };
  for (const std::string& path : facts_.protected_paths.pinned) mirror_on_itself(path, true);
  for (const std::string& path : facts_.protected_paths.read_only) mirror_on_itself(path, false);
}

// Those in hidden places are not there any more.
void Planner::hide_sockets() {
  for (const std::string& path : facts_.sockets) add(MountKind::hide, path).optional = true;
}

// A directory of ours that a command could move aside, and a file it could change, would be believed by the next one.
Result<> Planner::guard_ourselves() {
  std::vector<std::string> opened;
  for (const Shown& one : shown_) {
    if (one.writable) opened.push_back(one.target);
  }
  for (MountStep& step : TRY(guard_own_places(facts_.own_places, opened))) {
    const bool hidden_anyway = step.target == facts_.own_home || step.target == facts_.own_runtime;
    if (!hidden_anyway) view_.mounts.steps.push_back(std::move(step));
  }
  return ok;
}

void Planner::hide_ourselves() {
  for (const std::string& path : {facts_.own_home, facts_.own_runtime}) {
    if (!path.empty()) add(MountKind::hide, path).optional = true;
  }
  for (const std::string& path : facts_.shown) {
    MountStep& step = add(MountKind::bind, path, path);
    step.optional = true;
    step.owners = owners(false);
  }
}

void Planner::show_library(std::string place) {
  if (facts_.library.empty()) return;
  MountStep& step = add(MountKind::bind, place, facts_.library);
  step.optional = true;
  step.owners = owners(false);
  view_.library = std::move(place);
}

void Planner::proc() {
  MountStep& step = add(MountKind::processes, "/proc");
  step.writable = true;
  step.optional = true;
}

void Planner::set_environment() {
  const std::string home = private_home();
  view_.environment = {{"HOME", home},
                       {"TMPDIR", "/tmp"},
                       {"XDG_RUNTIME_DIR", "/run/user/" + std::to_string(facts_.uid)},
                       {"XDG_CONFIG_HOME", home + "/.config"},
                       {"XDG_CACHE_HOME", home + "/.cache"},
                       {"XDG_DATA_HOME", home + "/.local/share"},
                       {"XDG_STATE_HOME", home + "/.local/state"},
                       // The leak checker needs ptrace, and without it a sanitized program fails at its very end.
                       {"LSAN_OPTIONS", "detect_leaks=0"}};
}

Result<View> Planner::confined() {
  for (const std::string& own : {facts_.own_home, facts_.own_runtime}) {
    if (own.empty() || !is_within(facts_.workspace, own)) continue;
    return Error(ErrorCode::denied, "the workspace " + shown_line(facts_.workspace) + " lies inside " +
                                        shown_line(own) +
                                        ", which no sandbox shows; start the session in another directory");
  }
  for (const char* kernel : {"/proc", "/sys", "/dev"}) {
    if (!is_within(facts_.workspace, kernel)) continue;
    return Error(ErrorCode::denied, "the workspace " + shown_line(facts_.workspace) +
                                        " is not on a disk; start the session in "
                                        "another directory");
  }
  judge_workspace();
  hide_others();
  private_devices();
  private_folders();
  account();
  resolver();
  git_settings();
  collect_shown();
  bind_shown();
  protect_names();
  hide_sockets();
  TRY(guard_ourselves());
  hide_ourselves();
  // A folder of the person's that is shown in its place is not ours to make directories in.
  const bool taken = std::ranges::any_of(shown_, [](const Shown& one) { return is_within(library_place, one.target); });
  show_library(taken ? facts_.library : library_place);
  proc();
  set_environment();
  return std::move(view_);
}

View Planner::full() {
  view_.cwd = facts_.workspace;
  view_.mounts.read_only_root = false;
  view_.workspace_writable = true;
  view_.writable.push_back("/");
  hide_ourselves();
  show_library(facts_.library);
  proc();
  return std::move(view_);
}

}  // namespace

bool is_system_folder(std::string_view path) { return is_one_of(path, system_folders); }

Result<View> plan_view(const Profile& profile, const ViewFacts& facts) {
  Planner planner(profile, facts);
  if (profile.kind == ProfileKind::full) return planner.full();
  return planner.confined();
}

}  // namespace talaria
