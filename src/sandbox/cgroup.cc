#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr std::string_view leaf = "/keeper";
constexpr std::string_view session_prefix = "session-";
constexpr std::string_view job_prefix = "job-";
constexpr int most_moves = 10;  // rounds in which newly forked processes may slip through

bool has_word(std::string_view text, std::string_view word) {
  const std::vector<std::string> words = split(trim(text), ' ');
  return std::ranges::find(words, word) != words.end();
}

// Where this process is in the v2 tree.
Result<std::string> own_group(std::string_view cgroup_file, const std::string& own) {
  for (const std::string& line : split(cgroup_file, '\n')) {
    if (!line.starts_with("0::/")) continue;
    std::string path = line.substr(3);
    if (path.starts_with("/..")) {
      return Error(ErrorCode::unavailable, "our own cgroup lies outside of the tree that we can see");
    }
    while (path.ends_with('/')) path.pop_back();
    return path;
  }
  return Error(ErrorCode::unavailable, own + " names no cgroup of version 2");
}

std::string amount(uint64_t limit) { return limit == 0 ? "max" : std::to_string(limit); }

Result<> check_name(const std::string& name) {
  if (!name.empty() && name.find('/') == std::string::npos) return ok;
  return invalid("make a cgroup: \"" + name + "\" cannot be part of its name");
}

bool is_gone(const Result<>& result) { return result || result.error().number() == ENOENT; }

// A file that only some kernels or controllers have.
Result<> where_there(Result<> result) {
  if (is_gone(result)) return ok;
  return result;
}

}  // namespace

Result<std::string> CgroupFiles::read(const std::string& path) { return read_file(path, 1 << 20); }

// One write, to a file that is there: the kernel takes each as one order.
Result<> CgroupFiles::write(const std::string& path, std::string_view text) {
  const UniqueFd file = TRY(open_to_write(path));
  if (::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return ok;
  return Error::from_errno("write " + std::string(text) + " to " + path);
}

Result<UniqueFd> CgroupFiles::open_to_write(const std::string& path) { return open_file(path, O_WRONLY); }

Result<> CgroupFiles::make_group(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return ok;
  return Error::from_errno("make the cgroup " + path);
}

Result<> CgroupFiles::remove_group(const std::string& path) {
  if (::rmdir(path.c_str()) == 0) return ok;
  return Error::from_errno("remove the cgroup " + path);
}

Result<std::vector<std::string>> CgroupFiles::groups_in(const std::string& path) {
  std::vector<std::string> groups = TRY(list_directory(path));
  std::erase_if(groups, [&path](const std::string& name) {
    struct stat info {};
    return ::lstat((path + "/" + name).c_str(), &info) != 0 || !S_ISDIR(info.st_mode);
  });
  return groups;
}

bool CgroupFiles::marked_as_delegated(const std::string& path) {
  return std::ranges::any_of(std::array{"user.delegate", "trusted.delegate"}, [&path](const char* name) {
    char value = 0;
    return ::getxattr(path.c_str(), name, &value, 1) == 1 && value == '1';
  });
}

Result<Cgroups> Cgroups::find(const std::string& root, const std::string& own, std::unique_ptr<CgroupFiles> files) {
  std::string tree = root;
  if (!files->read(tree + "/cgroup.controllers")) tree += "/unified";
  if (!files->read(tree + "/cgroup.controllers")) {
    return Error(ErrorCode::unavailable, "there is no cgroup v2 tree in " + root);
  }
  const std::string where = TRY(own_group(TRY(files->read(own)), own));
  std::string path = tree + where;
  // One started by a process that an earlier keeper has moved is in the leaf already.
  bool in_leaf = false;
  if (where.ends_with(leaf)) {
    const std::string above = path.substr(0, path.size() - leaf.size());
    const Result<std::string> handed_down = files->read(above + "/cgroup.subtree_control");
    in_leaf = handed_down && has_word(*handed_down, "memory") && has_word(*handed_down, "pids");
    if (in_leaf) path = above;
  }
  Cgroups found(std::move(files), std::move(path));
  if (!in_leaf) TRY(found.settle());
  found.sweep();
  return found;
}

Result<> Cgroups::settle() {
  const std::string home = path_ + std::string(leaf);
  const std::string there = TRY(files_->read(path_ + "/cgroup.controllers"));
  std::vector<std::string> absent;
  for (const char* name : {"memory", "pids"}) {
    if (!has_word(there, name)) absent.push_back(name);
  }
  if (!absent.empty()) {
    return Error(ErrorCode::unavailable, path_ + " has no controller for " + join(absent, " and "));
  }
  Result<> settled = files_->make_group(home);
  if (!settled) return std::move(settled).error().within(path_ + " is not delegated to us");
  settled = files_->write(home + "/cgroup.procs", "0");
  if (settled) settled = enable_controllers(has_word(there, "cpu") ? "+memory +pids +cpu" : "+memory +pids");
  if (settled) return ok;
  (void)files_->write(path_ + "/cgroup.procs", "0");
  (void)files_->remove_group(home);
  return std::move(settled).error().within(path_ + " is not delegated to us");
}

Result<> Cgroups::enable_controllers(std::string_view wanted) {
  for (int round = 0;; ++round) {
    Result<> enabled = files_->write(path_ + "/cgroup.subtree_control", wanted);
    if (enabled || enabled.error().number() != EBUSY || round == most_moves) return enabled;
    // Others live here. They are ours to move only where the whole group is.
    if (!files_->marked_as_delegated(path_)) {
      return Error(ErrorCode::unavailable, "other processes live in it, too");
    }
    TRY(move_everyone_into_leaf());
  }
}

Result<> Cgroups::move_everyone_into_leaf() {
  const std::string procs = TRY(files_->read(path_ + "/cgroup.procs"));
  for (const std::string& pid : split(procs, '\n')) {
    if (pid.empty()) continue;
    Result<> moved = files_->write(path_ + std::string(leaf) + "/cgroup.procs", pid);
    if (!moved && moved.error().number() != ESRCH) return moved;  // that one has ended
  }
  return ok;
}

// Of an earlier keeper: its sandboxes ended with it. What is not empty belongs to another one that lives.
void Cgroups::sweep() {
  const Result<std::vector<std::string>> sessions = files_->groups_in(path_);
  if (!sessions) return;
  for (const std::string& session : *sessions) {
    if (!session.starts_with(session_prefix)) continue;
    const std::string folder = path_ + "/" + session;
    const Result<std::vector<std::string>> jobs = files_->groups_in(folder);
    for (size_t i = 0; jobs && i < jobs->size(); ++i) {
      if ((*jobs)[i].starts_with(job_prefix)) (void)files_->remove_group(folder + "/" + (*jobs)[i]);
    }
    (void)files_->remove_group(folder);
  }
}

std::string Cgroups::folder_of(const std::string& session) const {
  return path_ + "/" + std::string(session_prefix) + session;
}

Result<> Cgroups::make_session(const std::string& session, const Limits& limits) {
  TRY(check_name(session));
  const std::string folder = folder_of(session);
  std::erase(removals_, folder);
  retry_removals();
  TRY(files_->make_group(folder));
  Result<> set = set_limits(folder, limits);
  if (!set) remove_later(folder);
  return set;
}

Result<> Cgroups::set_limits(const std::string& folder, const Limits& limits) {
  TRY(files_->write(folder + "/memory.max", amount(limits.memory_bytes)));
  TRY(where_there(files_->write(folder + "/memory.swap.max", limits.memory_bytes == 0 ? "max" : "0")));
  TRY(files_->write(folder + "/pids.max", amount(limits.processes)));
  TRY(where_there(files_->write(folder + "/cpu.weight", "100")));
  return files_->write(folder + "/cgroup.subtree_control", "+memory +pids");
}

Result<CommandGroup> Cgroups::make_command(const std::string& session, const std::string& job) {
  TRY(check_name(session));
  TRY(check_name(job));
  CommandGroup group;
  group.session = folder_of(session);
  group.path = group.session + "/" + std::string(job_prefix) + job;
  std::erase(removals_, group.path);
  retry_removals();
  TRY(files_->make_group(group.path));
  const auto prepare = [&]() -> Result<> {
    TRY(files_->write(group.path + "/memory.oom.group", "1"));
    group.procs = TRY(files_->open_to_write(group.path + "/cgroup.procs"));
    // So that the leaf counts its own refusals: newer kernels count them only where the limit stands.
    return files_->write(group.path + "/pids.max", std::string(trim(TRY(files_->read(group.session + "/pids.max")))));
  };
  if (Result<> prepared = prepare(); !prepared) {
    remove_later(group.path);
    return std::move(prepared).error();
  }
  group.earlier_kills = counted(group.session + "/memory.events", "oom");
  group.earlier_refusals = counted(group.session + "/pids.events", "max");
  return group;
}

// The number after `name` in a file of "name number" lines; 0 when it does not say.
uint64_t Cgroups::counted(const std::string& path, std::string_view name) {
  const Result<std::string> text = files_->read(path);
  if (!text) return 0;
  for (const std::string& line : split(*text, '\n')) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ' ') continue;
    uint64_t number = 0;
    std::from_chars(line.data() + name.size() + 1, line.data() + line.size(), number);
    return number;
  }
  return 0;
}

std::optional<LimitStop> Cgroups::stop_of(const char* name, const std::string& controller, const std::string& session) {
  const auto number_in = [this](const std::string& path) {
    uint64_t number = 0;
    if (const Result<std::string> text = files_->read(path)) {
      std::from_chars(text->data(), text->data() + text->size(), number);  // "max" leaves 0
    }
    return number;
  };
  const uint64_t max = number_in(session + "/" + controller + ".max");
  if (max == 0) return std::nullopt;
  return LimitStop{name, max,
                   std::max(max, number_in(session + "/" + controller + ".peak"))};  // older kernels: no peak
}

std::optional<LimitStop> Cgroups::stopped_by(const CommandGroup& group) {
  // A machine out of memory kills too; only a session that met its limit has counted an "oom" of its own.
  const uint64_t killed =
      counted(group.path + "/memory.events", "oom_kill") + counted(group.path + "/memory.events", "oom_group_kill");
  if (killed > 0 && counted(group.session + "/memory.events", "oom") > group.earlier_kills) {
    return stop_of("memory", "memory", group.session);
  }
  if (counted(group.path + "/pids.events", "max") > 0 ||
      counted(group.session + "/pids.events", "max") > group.earlier_refusals) {
    return stop_of("processes", "pids", group.session);
  }
  return std::nullopt;
}

void Cgroups::remove_command(CommandGroup group) {
  group.procs.reset();
  remove_later(std::move(group.path));
}

void Cgroups::remove_session(const std::string& session) {
  if (check_name(session)) remove_later(folder_of(session));
}

void Cgroups::remove_later(std::string path) {
  std::erase(removals_, path);
  removals_.push_back(std::move(path));
  retry_removals();
}

// Only what is busy is worth another try.
void Cgroups::retry_removals() {
  std::erase_if(removals_, [this](const std::string& path) {
    const Result<> removed = files_->remove_group(path);
    return removed || removed.error().number() != EBUSY;
  });
}

}  // namespace talaria
