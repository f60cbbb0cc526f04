#include "sandbox/space_confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/securebits.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "os/file.h"
#include "sandbox/landlock.h"
#include "sandbox/seccomp.h"
#include "sandbox/space_command.h"

namespace talaria {
namespace {

// Each step returns 0 when it is done, else why not.
int failed(bool worked) { return worked ? 0 : errno; }

int take_streams(const ConfineView& view) {
  // The given fds are above 2 (0, 1 and 2 are on /dev/null), so none is overwritten before its turn.
  for (int fd = 0; fd < 3; ++fd) {
    if (::dup2(view.streams[fd], fd) < 0) return errno;
  }
  if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return errno;
  return place(view.further.data(), view.further.size());
}

int clean_up(const ConfineView& view) {
  ::umask(022);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  if (!view.keeps_capabilities) {
    if (const int number = drop_capabilities()) return number;
  }
  if (!view.no_new_privileges) return 0;
  return failed(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
}

// The name that exec would give it.
void take_name(const char* program) {
  const char* slash = std::strrchr(program, '/');
  ::prctl(PR_SET_NAME, slash ? slash + 1 : program);
}

ConfineFailure take_place(const ConfineView& view) {
  if (::setsid() < 0) return {SpaceStep::session, errno};
  if (view.terminal && ::ioctl(view.streams[0], TIOCSCTTY, 0) != 0) return {SpaceStep::terminal, errno};
  if (const int number = take_streams(view)) return {SpaceStep::streams, number};
  return confine(view);
}

}  // namespace

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

int default_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);  // SIGKILL and SIGSTOP refuse: as they are
  sigset_t none;
  sigemptyset(&none);
  return failed(::sigprocmask(SIG_SETMASK, &none, nullptr) == 0);
}

int drop_capabilities() {
  constexpr unsigned long locked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                   SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                   SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (::prctl(PR_SET_SECUREBITS, locked) != 0) return errno;
  for (int capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break;  // the last one the kernel knows was the one before
    return errno;
  }
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return errno;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return failed(::syscall(SYS_capset, &header, none) == 0);
}

Result<UniqueFd> make_order_ruleset(const CommandOrder& order) {
  if (!order.landlock) return UniqueFd();
  LandlockRules rules = *order.landlock;
  std::erase_if(rules.paths, [](const LandlockRule& rule) { return !exists(rule.path); });
  return make_ruleset(rules);
}

ConfineView confinement_of(const CommandOrder& order, const UniqueFd& ruleset) {
  ConfineView view;
  view.cwd = order.cwd.c_str();
  view.keeps_capabilities = order.keeps_capabilities;
  view.no_new_privileges = order.no_new_privileges;
  view.limits = order.limits ? &*order.limits : nullptr;
  view.ruleset = ruleset.get();
  view.filter = order.filter;
  return view;
}

ConfineFailure confine(const ConfineView& view) {
  if (const int number = view.limits ? apply_limits(*view.limits) : 0) return {SpaceStep::limits, number};
  if (const int number = default_signals()) return {SpaceStep::signals, number};
  if (const int number = clean_up(view)) return {SpaceStep::hygiene, number};
  // Only now: what the command could not enter, it must not start in.
  if (::chdir(view.cwd) != 0) return {SpaceStep::cwd, errno};
  if (const int number = view.ruleset >= 0 ? restrict_self(view.ruleset) : 0) return {SpaceStep::landlock, number};
  if (const int number = view.filter.empty() ? 0 : load_filter(view.filter)) return {SpaceStep::seccomp, number};
  return {SpaceStep::seccomp, 0};
}

ConfineFailure become_confined_fork(const ConfineView& view) {
  if (const ConfineFailure failure = take_place(view); failure.number != 0) return failure;
  // The base it comes from is not dumpable, because it may do more; this one may not.
  if (::prctl(PR_SET_DUMPABLE, 1) != 0) return {SpaceStep::hygiene, errno};
  take_name(view.argv[0]);
  return {SpaceStep::exec, 0};
}

ConfineFailure become_confined(const ConfineView& view) {
  if (const ConfineFailure failure = take_place(view); failure.number != 0) return failure;
  ::execve(view.argv[0], view.argv, view.environment);
  return {SpaceStep::exec, errno};
}

}  // namespace talaria
