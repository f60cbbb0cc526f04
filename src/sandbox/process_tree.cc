#include "sandbox/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "os/fd.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t most_members = 4096;  // more than any limit; whoever has these many is over it
constexpr size_t most_fds = 100'000;   // looked at for memfds, at one time

// The number at the start of `text`, after blanks; 0 when there is none.
uint64_t number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The number in the line that starts with `name`.
uint64_t number_on_line(std::string_view text, std::string_view name) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size()) {
    if (at == 0 || text[at - 1] == '\n') return number_in(text.substr(at + name.size()));
  }
  return 0;
}

// A small file of /proc, or as much of it as fits; empty when it cannot be read.
template <size_t size>
std::string_view read_small(int folder, const char* name, char (&buffer)[size]) {
  const UniqueFd fd(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  const ssize_t count = fd ? ::read(fd.get(), buffer, size) : 0;
  return {buffer, static_cast<size_t>(std::max<ssize_t>(count, 0))};
}

UniqueFd open_process(pid_t pid) {
  return UniqueFd(::open(("/proc/" + std::to_string(pid)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Sizes are 0 of one that has ended, a zombie too.
void read_sizes(int folder, const char* statm, TreeMember& member) {
  static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  char buffer[128];
  const std::string_view text = read_small(folder, statm, buffer);
  member.mapped_bytes = number_in(text) * page;
  member.resident_bytes = number_in(text.substr(std::min(text.find(' '), text.size()))) * page;
}

// Its own and that of the children it has waited for: the 13th and 15th number after the name, which may hold anything.
Clock::duration system_time_of(int folder) {
  static const auto tick = Clock::duration(1s) / ::sysconf(_SC_CLK_TCK);
  char buffer[1024];
  std::string_view text = read_small(folder, "stat", buffer);
  text.remove_prefix(std::min(text.rfind(')') + 1, text.size()));
  uint64_t ticks = 0;
  for (int column = 1; column <= 15 && !text.empty(); ++column) {
    text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    if (column == 13 || column == 15) ticks += number_in(text);
  }
  return tick * ticks;
}

class TreeWalk {
 public:
  TreeWalk(pid_t root, WrittenLook look) : look_(look) {
    if (const UniqueFd folder = open_process(root)) {
      add_children(folder.get(), root, threads_of(folder.get(), root));
      if (look_ == WrittenLook::take) tree_.system_time = system_time_of(folder.get());
    }
    for (size_t i = 0; i < waiting_.size() && tree_.members.size() < most_members; ++i) add(waiting_[i]);
  }

  ProcessTree take() { return std::move(tree_); }

 private:
  void add(TreeMember member);
  static std::vector<pid_t> threads_of(int folder, pid_t pid);
  void add_children(int folder, pid_t pid, const std::vector<pid_t>& threads);

  WrittenLook look_;
  std::vector<TreeMember> waiting_;
  ProcessTree tree_;
};

std::vector<pid_t> TreeWalk::threads_of(int folder, pid_t pid) {
  struct stat info {};
  if (::fstatat(folder, "task", &info, 0) != 0) return {};
  if (info.st_nlink <= 3) return {pid};  // a directory's own two, and one for each thread
  Result<std::vector<std::string>> names = list_directory("/proc/" + std::to_string(pid) + "/task");
  std::vector<pid_t> threads;
  if (!names) return threads;
  for (const std::string& name : *names) threads.push_back(static_cast<pid_t>(number_in(name)));
  return threads;
}

// The kernel lists a child with the thread that made it.
void TreeWalk::add_children(int folder, pid_t pid, const std::vector<pid_t>& threads) {
  for (const pid_t thread : threads) {
    const UniqueFd fd(::openat(folder, ("task/" + std::to_string(thread) + "/children").c_str(), O_RDONLY | O_CLOEXEC));
    char buffer[4096];
    std::string numbers;
    for (ssize_t count; fd && (count = ::read(fd.get(), buffer, sizeof buffer)) > 0;) {
      numbers.append(buffer, static_cast<size_t>(count));
      if (static_cast<size_t>(count) < sizeof buffer / 2)
        break;  // the kernel gives less than asked for at the end only
    }
    for (std::string_view rest = numbers; !rest.empty();) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (const uint64_t child = number_in(rest.substr(0, end))) {
        waiting_.push_back({.pid = static_cast<pid_t>(child), .parent = pid});
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

void TreeWalk::add(TreeMember member) {
  const UniqueFd folder = open_process(member.pid);
  if (!folder) return;
  const std::vector<pid_t> threads = threads_of(folder.get(), member.pid);
  member.thread = member.pid;
  read_sizes(folder.get(), "statm", member);
  for (size_t i = 0; member.mapped_bytes == 0 && threads.size() > 1 && i < threads.size(); ++i) {
    member.thread = threads[i];
    read_sizes(folder.get(), ("task/" + std::to_string(threads[i]) + "/statm").c_str(), member);
  }
  if (member.mapped_bytes == 0) return;  // a zombie has no memory, and its children are others' already
  add_children(folder.get(), member.pid, threads);
  tree_.members.push_back(member);
  char buffer[512];
  if (look_ == WrittenLook::skip) return;
  tree_.written_bytes += number_on_line(read_small(folder.get(), "io", buffer), "write_bytes:");
  tree_.system_time += system_time_of(folder.get());
}

std::string proc_folder_of(const TreeMember& member) {
  return "/proc/" + std::to_string(member.pid) + "/task/" + std::to_string(member.thread);
}

// Returns how many fds it has looked at.
size_t add_memory_files(const TreeMember& member, size_t most, MemoryFiles& files) {
  const std::unique_ptr<DIR, int (*)(DIR*)> fds(::opendir((proc_folder_of(member) + "/fd").c_str()), ::closedir);
  size_t seen = 0;
  while (const dirent* entry = fds && seen < most ? ::readdir(fds.get()) : nullptr) {
    ++seen;
    // Asking what a link says cannot wait for a server, as asking for the file behind it could.
    constexpr std::string_view prefix = "/memfd:";
    char target[prefix.size()];
    const ssize_t count = ::readlinkat(::dirfd(fds.get()), entry->d_name, target, sizeof target);
    if (count != static_cast<ssize_t>(sizeof target) || std::string_view(target, sizeof target) != prefix) continue;
    struct stat info {};
    if (::fstatat(::dirfd(fds.get()), entry->d_name, &info, 0) != 0) continue;
    if (files.inodes.insert(info.st_ino).second) files.bytes += static_cast<uint64_t>(info.st_blocks) * 512;
  }
  return seen;
}

// One mapping of /proc/<pid>/smaps: "from-to permissions offset major:minor inode name".
struct Mapping {
  dev_t device = 0;
  ino_t inode = 0;
  std::string_view name;
};
std::optional<Mapping> mapping_on(std::string_view line) {
  std::string_view words[5];
  for (std::string_view& word : words) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
  }
  // The lines about a mapping begin with a name and a colon.
  if (words[0].find('-') == std::string_view::npos || words[0].ends_with(':')) return std::nullopt;
  unsigned major = 0, minor = 0;
  const size_t colon = std::min(words[3].find(':'), words[3].size());
  std::from_chars(words[3].data(), words[3].data() + colon, major, 16);
  if (colon < words[3].size()) std::from_chars(&words[3][colon + 1], words[3].data() + words[3].size(), minor, 16);
  return Mapping{makedev(major, minor), number_in(words[4]), trim(line)};
}

// A process's share of the memory files and of what its session holds, which are counted already.
uint64_t share_of(const MemoryFiles& files, const HeldMemory& held, const TreeMember& member) {
  Result<std::string> maps = read_file(proc_folder_of(member) + "/smaps");
  if (!maps) return 0;
  uint64_t bytes = 0;
  bool counted = false;
  for (std::string_view rest = *maps; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    constexpr std::string_view share = "Pss:";
    if (counted && line.starts_with(share)) bytes += number_in(line.substr(share.size())) * 1024;
    if (line.empty() || std::isupper(static_cast<unsigned char>(line.front()))) continue;
    const std::optional<Mapping> mapping = mapping_on(line);
    if (!mapping) continue;
    counted = held.devices.contains(mapping->device) || (held.segments && mapping->name.starts_with("/SYSV")) ||
              (mapping->name.starts_with("/memfd:") && files.inodes.contains(mapping->inode));
  }
  return bytes;
}

}  // namespace

ProcessTree look_at_tree(pid_t root, WrittenLook written) { return TreeWalk(root, written).take(); }

bool shares_memory_of_parent(const TreeMember& member, const std::vector<TreeMember>& members) {
  const auto parent = std::ranges::find(members, member.parent, &TreeMember::pid);
  if (parent == members.end() || parent->mapped_bytes != member.mapped_bytes) return false;
  const long compared = ::syscall(SYS_kcmp, member.pid, member.parent, KCMP_VM, 0, 0);
  return compared == 0 || (compared < 0 && parent->resident_bytes == member.resident_bytes);
}

MemoryFiles memory_files_of(const std::vector<TreeMember>& members) {
  MemoryFiles files;
  if (members.empty()) return files;
  // Another one is first each time, so that nobody hides behind those with the most fds.
  const auto start = static_cast<size_t>(Clock::now().time_since_epoch().count()) % members.size();
  for (size_t i = 0, left = most_fds; i < members.size() && left > 0; ++i) {
    left -= add_memory_files(members[(start + i) % members.size()], left, files);
  }
  return files;
}

uint64_t exact_memory(const TreeMember& member, const MemoryFiles& files, const HeldMemory& held) {
  const UniqueFd folder(::open(proc_folder_of(member).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  char buffer[2048];
  const std::string_view text = folder ? read_small(folder.get(), "smaps_rollup", buffer) : std::string_view();
  const uint64_t share = number_on_line(text, "Pss:");
  if (share == 0) return member.resident_bytes;
  const uint64_t bytes =
      (share - std::min(share, number_on_line(text, "Pss_File:")) + number_on_line(text, "SwapPss:")) * 1024;
  if ((files.inodes.empty() && held.bytes == 0) || number_on_line(text, "Pss_Shmem:") == 0) return bytes;
  return bytes - std::min(bytes, share_of(files, held, member));
}

uint64_t unseen_memory() {
  char buffer[4096];
  const std::string_view text = read_small(AT_FDCWD, "/proc/meminfo", buffer);
  const uint64_t swap = number_on_line(text, "SwapTotal:"), unused = number_on_line(text, "SwapFree:");
  return (number_on_line(text, "Shmem:") + swap - std::min(swap, unused)) * 1024;
}

}  // namespace talaria
