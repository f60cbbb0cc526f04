#include "sandbox/command_proc.h"

#include <fcntl.h>

#include <array>

#include "os/file.h"
#include "sandbox/mounts.h"

namespace talaria {
namespace {

constexpr std::array read_only_parts = {"sys", "irq", "bus", "fs"};
constexpr std::array covered_parts = {"sysrq-trigger", "kcore",       "keys",        "key-users",
                                      "timer_list",    "kmsg",        "kpagecount",  "kpageflags",
                                      "kpagecgroup",   "sched_debug", "vmallocinfo", "latency_stats"};

Result<> hide(int place) {
  const UniqueFd nothing = TRY(new_tmpfs({.bytes = 1 << 20, .inodes = 1024, .mode = 0755}));
  TRY(attach_mount(nothing.get(), place));
  return restrict_mount(nothing.get(), {.read_only = true}, Reach::itself);
}

Result<> make_read_only(int proc) {
  for (const char* part : read_only_parts) {
    const UniqueFd folder(::openat(proc, part, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) continue;
    const UniqueFd copy = TRY(clone_mount(folder.get(), Reach::itself));
    TRY(restrict_mount(copy.get(), {.read_only = true}, Reach::itself));
    TRY(attach_mount(copy.get(), folder.get()));
  }
  return ok;
}

Result<> cover(int proc, int null) {
  for (const char* part : covered_parts) {
    const UniqueFd file(::openat(proc, part, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!file) continue;
    const UniqueFd copy = TRY(clone_mount(null, Reach::itself));
    TRY(attach_mount(copy.get(), file.get()));
  }
  return ok;
}

}  // namespace

Result<> build_command_proc() {
  const UniqueFd root = TRY(open_file("/", O_PATH | O_DIRECTORY));
  const UniqueFd place = TRY(open_inside(root.get(), "/proc"));
  const Result<UniqueFd> proc = new_proc();
  if (!proc) return hide(place.get());
  TRY(attach_mount(proc->get(), place.get()));
  TRY(make_read_only(proc->get()));
  const UniqueFd null = TRY(open_inside(root.get(), "/dev/null"));
  return cover(proc->get(), null.get());
}

}  // namespace talaria
