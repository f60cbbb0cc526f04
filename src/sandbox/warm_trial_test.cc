// What this test program does when it is started in a sandbox as a warm base, or as a command; and that a command is
// confined in the same way whether it was started or forked.
#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

#include "sandbox/warm_base.h"
#include "sandbox/warm_server.h"
#include "sandbox/warm_trial.h"

namespace talaria {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::string hooks_called;

// Lines of /proc/self/status that say what a process may do.
void tell_status(std::ostream& out) {
  const std::set<std::string> told = {"Uid:",    "Gid:",    "Groups:",     "CapInh:",  "CapPrm:",          "CapEff:",
                                      "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:", "Threads:",
                                      "SigBlk:", "SigIgn:", "NSpid:",      "NStgid:",  "Umask:",           "Name:"};
  std::istringstream lines(*read_file("/proc/self/status"));
  for (std::string line; std::getline(lines, line);) {
    if (told.contains(line.substr(0, line.find('\t')))) out << line << "\n";
  }
}

void tell_limits(std::ostream& out) {
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    out << "limit " << resource << ": " << limit.rlim_cur << " " << limit.rlim_max << "\n";
  }
}

void tell_process(std::ostream& out) {
  int death_signal = 0;
  ::prctl(PR_GET_PDEATHSIG, &death_signal);
  out << "pid " << ::getpid() << " parent " << ::getppid() << " session " << ::getsid(0) << " group " << ::getpgrp()
      << " dies with its parent by " << death_signal << " dumpable " << ::prctl(PR_GET_DUMPABLE) << " secure bits "
      << ::prctl(PR_GET_SECUREBITS) << "\n";
  for (const char* name : {"user", "net", "ipc", "uts", "cgroup"}) {
    char target[64] = {};
    (void)!::readlink(("/proc/self/ns/" + std::string(name)).c_str(), target, sizeof target - 1);
    out << target << " ";
  }
  out << "\ndescriptors:";
  for (int fd = 0; fd < 4096; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) out << " " << fd;
  }
  out << "\nhandled signals:";
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    const bool sanitizers = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
    if (!sanitizers && ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) out << " " << signal;
  }
  char cwd[4096];
  out << "\ncwd " << ::getcwd(cwd, sizeof cwd) << "\n";
}

// What is mounted where, and how.
void tell_view(std::ostream& out) {
  std::istringstream lines(*read_file("/proc/self/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string skipped, root, place, options;
    fields >> skipped >> skipped >> skipped >> root >> place >> options;
    out << "mount " << root << " " << place << " " << options << "\n";
  }
  out << "processes:";
  const std::vector<std::string> names = *list_directory("/proc");
  for (const std::string& name : names) {
    if (std::isdigit(static_cast<unsigned char>(name[0]))) out << " " << name;
  }
  out << "\n";
}

void tell_attempts(std::ostream& out) {
  const auto write_to = [](const char* path) {
    const UniqueFd file(::open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return file ? 0 : errno;
  };
  // All inside the trial's own folder, for profile full means what it says.
  out << "write: " << write_to("here") << " " << write_to("../there") << " " << write_to("/dev/null") << "\n";
  const auto outcome_of = [](long result) { return result < 0 ? errno : 0; };
  out << "unshare: " << outcome_of(::unshare(CLONE_NEWUSER));
  out << " mount: " << outcome_of(::mount("none", "/tmp", "tmpfs", 0, nullptr));
  out << " signal the init: " << outcome_of(::kill(1, 0)) << "\n";
}

int report() {
  std::ostringstream out;
  tell_status(out);
  tell_limits(out);
  tell_process(out);
  tell_view(out);
  tell_attempts(out);
  return write_all(1, out.str()) ? 0 : 1;
}

// Says that it is there, and ends when it is told how.
int talk() {
  char code = 0;
  return write_all(3, "!") && ::read(3, &code, 1) == 1 ? code : 1;
}

int do_task(const std::string& name) {
  if (name == "report") return report();
  if (name == "talk") return talk();
  if (name == "wait") return ::pause();
  if (name == "kill all") return ::kill(-1, SIGKILL) != 0 && errno == ESRCH ? 0 : 1;
  if (name == "hooks") return write_all(1, hooks_called) ? 0 : 1;
  return 0;
}

std::string task_in(const std::vector<std::string>& environment) {
  const std::string name = "TALARIA_TRIAL_TASK=";
  for (const std::string& entry : environment) {
    if (entry.starts_with(name)) return entry.substr(name.size());
  }
  return "";
}

[[noreturn]] void be_a_base(const std::string& kind) {
  std::thread other;
  if (kind == "threads") other = std::thread([] { ::pause(); });
  if (kind == "mute") ::pause();
  if (kind == "stuck" || kind == "dying") {
    (void)write_all(3, {&WarmRequest::ready, 1});
    char byte;
    if (kind == "dying") (void)!::read(3, &byte, 1);
    else ::pause();
    ::_exit(1);
  }
  const ForkHooks hooks{[] { hooks_called += "before "; }, [] { hooks_called += "parent "; },
                        [] { hooks_called += "child "; }};
  const Result<CommandOrder> order = serve_as_warm_base(UniqueFd(3), hooks);
  ::_exit(order ? do_task(task_in(order->environment)) : 1);
}

__attribute__((constructor)) void be_someone_else() {
  if (const char* kind = std::getenv("TALARIA_TRIAL_BASE")) be_a_base(kind);
  if (const char* name = std::getenv("TALARIA_TRIAL_TASK")) ::_exit(do_task(name));
}

void expect_the_same(WarmTrial& trial) {
  trial.keep_warm("a", "serving");
  ASSERT_TRUE(trial.becomes_warm("a"));
  CommandOrder order = trial.task("report", "");
  // Only Landlock keeps it from its own workspace then.
  if (order.landlock) {
    std::erase_if(order.landlock->paths, [](const LandlockRule& rule) { return rule.access == PathAccess::write; });
  }
  const auto run = [&](const std::string& warm) {
    order.warm = warm;
    std::vector<NumberedFd> further;
    further.push_back({3, *open_file("/dev/null", O_RDONLY)});
    further.push_back({63, *open_file("/dev/null", O_RDONLY)});
    return trial.run_task(order, std::move(further));
  };
  const WarmOutcome cold = run(""), warm = run("a");
  EXPECT_FALSE(cold.warm);
  EXPECT_TRUE(warm.warm);
  EXPECT_EQ(cold.outcome.status, 0);
  EXPECT_EQ(warm.outcome, cold.outcome);
  EXPECT_THAT(cold.outcome.output, HasSubstr("\ndescriptors: 0 1 2 3 63\n"));
  EXPECT_THAT(cold.outcome.output, AnyOf(HasSubstr("\nprocesses: 2\n"), HasSubstr("\nprocesses: 1 2\n")));
  if (order.landlock) {
    EXPECT_THAT(cold.outcome.output, AnyOf(HasSubstr("\nwrite: 13 13 0\n"), HasSubstr("\nwrite: 30 13 0\n")));
  }
}

SPACE_TEST(WarmConfineTest, AForkedCommandGivesUpWhatAStartedOneDoes) {
  WarmTrial trial;
  expect_the_same(trial);
}

SPACE_TEST(WarmConfineTest, AForkedCommandUnderReadOnlyToo) {
  WarmTrial trial(ProfileKind::read_only);
  expect_the_same(trial);
}

SPACE_TEST(WarmConfineTest, AForkedCommandUnderFullHasWhatAStartedOneHas) {
  WarmTrial trial(ProfileKind::full);
  if (::geteuid() == 0) return expect_the_same(trial);
  // An ordinary user's may write everything, and has no powers that a base could not have taken from it.
  ASSERT_EQ(trial.prepare(), "");
  EXPECT_TRUE(trial.refuses({"a", {trial.program()}, {"TALARIA_TRIAL_BASE=serving"}}));
}

SPACE_TEST(WarmConfineTest, AForkedCommandOfRootWithoutCapabilitiesToo) {
  WarmTrial trial;
  trial.root_identity = RootIdentity::same;
  expect_the_same(trial);
}

}  // namespace
}  // namespace talaria
