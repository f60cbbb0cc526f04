#pragma once
// For tests: a kernel's cgroup tree, made of plain files.
#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "os/file.h"
#include "sandbox/cgroup.h"

namespace talaria {

inline constexpr const char* own_pid = "100";  // the pid of who writes 0

inline std::vector<std::string> words_of(const std::string& path, char separator) {
  Result<std::string> text = read_file(path);
  std::vector<std::string> words = text ? split(trim(*text), separator) : std::vector<std::string>();
  std::erase(words, "");
  return words;
}

inline void set_text(const std::string& path, const std::string& text) {
  CHECK(write_file_atomically(path, text + "\n", 0600, Durable::no));
}

// Does over plain files what the kernel does over its own, as far as we rely on it. Failures can be ordered.
class FakeKernel : public CgroupFiles {
 public:
  // Everything below `root` is one tree.
  explicit FakeKernel(std::string root) : root_(std::move(root)) {}

  std::map<std::string, int> failures;  // the end of a path, and what using it gives
  bool marked = false;

  Result<std::string> read(const std::string& path) override {
    TRY(may(path));
    return CgroupFiles::read(path);
  }

  Result<> write(const std::string& path, std::string_view text) override {
    TRY(may(path));
    if (!exists(path)) return Error::from_number(ENOENT, "open " + path);
    const std::string folder = path.substr(0, path.rfind('/'));
    if (path.ends_with("/cgroup.procs")) return join(path, text == "0" ? own_pid : std::string(text));
    if (path.ends_with("/cgroup.subtree_control")) return hand_down(folder, std::string(text));
    set_text(path, std::string(text));
    return ok;
  }

  Result<UniqueFd> open_to_write(const std::string& path) override {
    TRY(may(path));
    return CgroupFiles::open_to_write(path);
  }

  Result<> make_group(const std::string& path) override {
    TRY(may(path));
    if (exists(path)) return ok;
    TRY(CgroupFiles::make_group(path));
    const std::vector<std::string> handed_down =
        words_of(path.substr(0, path.rfind('/')) + "/cgroup.subtree_control", ' ');
    set_text(path + "/cgroup.controllers", talaria::join(handed_down, " "));
    for (const char* name : {"/cgroup.procs", "/cgroup.subtree_control"}) set_text(path + name, "");
    for (const std::string& name : handed_down) {
      if (name == "memory") {
        for (const char* file : {"max", "swap.max"}) set_text(path + "/memory." + file, "max");
        for (const char* file : {"oom.group", "peak"}) set_text(path + "/memory." + file, "0");
        set_text(path + "/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0");
      } else if (name == "pids") {
        set_text(path + "/pids.max", "max");
        set_text(path + "/pids.peak", "0");
        set_text(path + "/pids.events", "max 0");
      } else if (name == "cpu") {
        set_text(path + "/cpu.weight", "1");
      }
    }
    return ok;
  }

  Result<> remove_group(const std::string& path) override {
    TRY(may(path));
    if (!exists(path)) return Error::from_number(ENOENT, "remove " + path);
    if (!words_of(path + "/cgroup.procs", '\n').empty() || !groups_in(path)->empty()) {
      return Error::from_number(EBUSY, "remove " + path);
    }
    return remove_tree(path);
  }

  Result<std::vector<std::string>> groups_in(const std::string& path) override {
    TRY(may(path));
    return CgroupFiles::groups_in(path);
  }

  bool marked_as_delegated(const std::string&) override { return marked; }

 private:
  Result<> may(const std::string& path) const {
    for (const auto& [end, number] : failures) {
      if (path.ends_with(end)) return Error::from_number(number, "use " + path);
    }
    return ok;
  }

  // One is in one group only.
  static void leave(const std::string& folder, const std::string& pid) {
    std::vector<std::string> members = words_of(folder + "/cgroup.procs", '\n');
    if (std::erase(members, pid) > 0) set_text(folder + "/cgroup.procs", talaria::join(members, "\n"));
    const Result<std::vector<std::string>> names = list_directory(folder);
    for (size_t i = 0; names && i < names->size(); ++i) leave(folder + "/" + (*names)[i], pid);
  }

  Result<> join(const std::string& path, const std::string& pid) {
    if (pid == "666") {  // one that ended after it was listed
      leave(root_, pid);
      return Error::from_number(ESRCH, "write " + path);
    }
    leave(root_, pid);
    std::vector<std::string> members = words_of(path, '\n');
    members.push_back(pid);
    set_text(path, talaria::join(members, "\n"));
    return ok;
  }

  static Result<> hand_down(const std::string& folder, const std::string& order) {
    if (!words_of(folder + "/cgroup.procs", '\n').empty()) return Error::from_number(EBUSY, "write " + folder);
    const std::vector<std::string> there = words_of(folder + "/cgroup.controllers", ' ');
    std::vector<std::string> names;
    for (const std::string& name : split(order, ' ')) {
      names.push_back(name.substr(1));
      if (std::ranges::find(there, names.back()) == there.end()) return Error::from_number(EINVAL, "write " + folder);
    }
    set_text(folder + "/cgroup.subtree_control", talaria::join(names, " "));
    return ok;
  }

  std::string root_;
};

}  // namespace talaria
