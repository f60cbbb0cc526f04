// Programs are forked from a warm base of their session, and cannot tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "os/file.h"
#include "os/proc.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

class CodeWarmTest : public testing::Test {
 protected:
  std::string output(const std::string& source, JsonObject more = {}) {
    last_ = house_.run_code(source, std::move(more));
    EXPECT_EQ(text_or(last_, "status"), "success") << write_json(last_);
    return text_or(last_, "output");
  }
  bool was_warm() const {
    EXPECT_TRUE(last_.contains("warm_start")) << write_json(last_);
    return boolean_or(last_, "warm_start");
  }
  void await_warm() {
    await("a warm start", [&] { return output("pass").empty() && was_warm(); });
  }
  std::string warm_output(const std::string& source) {
    await_warm();
    std::string printed = output(source);
    EXPECT_TRUE(was_warm());
    return printed;
  }

  static std::string command_of(pid_t pid) {
    const Result<std::string> command = read_file("/proc/" + std::to_string(pid) + "/cmdline");
    return command ? *command : "";
  }
  // The bases that live: what is forked from one looks the same, but has one above it.
  std::vector<pid_t> bases() {
    std::vector<pid_t> found;
    for (const pid_t pid : descendants_of(house_.keeper_pid())) {
      if (state_of(pid).value_or('Z') == 'Z' || command_of(pid).find("/host/warm.py") == std::string::npos) continue;
      if (command_of(parent_of(pid).value_or(0)).find("/host/warm.py") == std::string::npos) found.push_back(pid);
    }
    return found;
  }
  pid_t base() {
    const std::vector<pid_t> all = bases();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? 0 : all.front();
  }
  static bool gone(pid_t pid) { return state_of(pid).value_or('Z') == 'Z'; }

  // A Python of its own below `folder`: a program and a way to the system's library.
  static std::string make_python(const std::string& folder) {
    const std::string real = *read_file("/usr/bin/python3");
    std::string version;
    const std::vector<std::string> names = *list_directory("/usr/lib");
    for (const std::string& name : names) {
      if (name.starts_with("python3.")) version = std::max(version, name);
    }
    EXPECT_TRUE(make_directories(folder + "/bin", 0755));
    EXPECT_TRUE(make_directories(folder + "/lib", 0755));
    EXPECT_TRUE(write_file_atomically(folder + "/bin/python3", real, 0755, Durable::no));
    EXPECT_EQ(::symlink(("/usr/lib/" + version).c_str(), (folder + "/lib/" + version).c_str()), 0);
    return folder + "/bin/python3";
  }
  void export_variable(const std::string& assignment) {
    const JsonObject result = house_.call("terminal", {{"command", "export " + assignment}});
    ASSERT_EQ(integer_or(details_of(result), "exit_code", -1), 0) << write_json(result);
  }

  CodeHouse house_;
  JsonObject last_;  // details of the last run
};

// All that a program may go by, but for its pid, the number of its socket, and which modules are loaded already.
constexpr const char* surroundings = R"py(
import gc, io, locale, logging, multiprocessing.spawn, os, resource, signal, site, subprocess, sys, threading, time
def say(name, value): print(name, value)
say('flags', sys.flags)
for name in '''argv orig_argv path executable _base_executable prefix exec_prefix base_prefix base_exec_prefix
               platlibdir warnoptions _xoptions dont_write_bytecode pycache_prefix ps1 flags.utf8_mode'''.split():
    say(name, getattr(sys, name, None))
say('encodings', [sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), sys.getdefaultencoding()])
for stream in (sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__):
    say('stream', [type(stream), stream.name, stream.encoding, stream.errors, stream.line_buffering, stream.isatty()])
say('same streams', [sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__, sys.stdin is sys.__stdin__])
say('hooks', [sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.gettrace()])
say('site', [site.ENABLE_USER_SITE, site.getusersitepackages(), site.getsitepackages(), site.PREFIXES])
environment = {name: value for name, value in os.environ.items() if name != 'TALARIA_RPC'}
say('environment', sorted(environment.items()))
say('for children', sorted(subprocess.check_output(['env', '-u', 'TALARIA_RPC'], text=True).splitlines()))
say('spawn', multiprocessing.spawn.get_command_line(tracker_fd=5, pipe_handle=6))
say('interpreter flags', subprocess._args_from_interpreter_flags())
say('builtins', [quit, exit, copyright, help, '_' in dir(__builtins__)])
say('main', sorted(vars(sys.modules['__main__'])) == sorted(globals()))
say('main file', [__file__, __name__, __package__, __spec__, __doc__])
say('signals', [(number, str(signal.getsignal(number))) for number in sorted(signal.valid_signals())])
say('mask', signal.pthread_sigmask(signal.SIG_BLOCK, []))
say('locale', [locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(), time.tzname])
say('threads', [threading.active_count(), threading.current_thread() is threading.main_thread(),
                threading.main_thread().ident == threading.get_ident(), threading.main_thread().native_id == os.getpid()])
say('process', [os.getcwd(), os.getuid(), os.getgid(), os.getgroups(), os.getsid(0) == os.getpid(),
                os.getpgrp() == os.getpid(), os.umask(0o22), os.nice(0), sorted(os.sched_getaffinity(0))])
say('limits', [resource.getrlimit(number) for number in range(16)])
status = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
say('status', [(name, status[name].split()) for name in status if name.startswith(('Cap', 'Sec', 'NoNew', 'Sig', 'Shd',
    'Uid', 'Gid', 'Groups', 'Threads', 'Umask', 'NSpid', 'PPid', 'Speculation')) and name != 'SigQ'])
say('own files', [os.stat('/proc/self/mem').st_uid == os.getuid(), len(os.listdir('/proc/self/fd')),
                  os.access('/proc/self/environ', os.R_OK), open('/proc/self/oom_score_adj').read()])
say('garbage', [gc.isenabled(), gc.get_threshold(), gc.get_debug()])
say('logging', [logging.root.handlers, logging.root.level, abs(time.time() - logging._startTime) < 5])
say('nothing raised', [sys.exc_info(), getattr(sys, 'last_value', None)])
say('recursion', sys.getrecursionlimit())
)py";

TEST_F(CodeWarmTest, TheFirstRunIsColdAndTheNextAreForked) {
  EXPECT_EQ(output("print('first')"), "first\n");
  EXPECT_FALSE(was_warm());
  EXPECT_EQ(warm_output("print('next')"), "next\n");
  const pid_t same = base();
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(output("import os; print(os.getppid())"), "1\n");
    EXPECT_TRUE(was_warm());
  }
  EXPECT_EQ(base(), same);
}

TEST_F(CodeWarmTest, AForkedProgramSeesWhatAColdOneSees) {
  const std::vector<std::string> cold = split(output(surroundings), '\n');
  ASSERT_FALSE(was_warm());
  const std::vector<std::string> warm = split(warm_output(surroundings), '\n');
  ASSERT_GT(cold.size(), 40U);
  EXPECT_EQ(warm.size(), cold.size());
  for (size_t i = 0; i < std::min(cold.size(), warm.size()); ++i) EXPECT_EQ(warm[i], cold[i]);
}

TEST_F(CodeWarmTest, AForkedProgramStartsProcessesAsAColdOneDoes) {
  const std::string source = R"py(
import multiprocessing, os, subprocess, sys
def double(x): return 2 * x
if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        with multiprocessing.get_context(method).Pool(2) as pool: print(method, pool.map(double, range(5)))
    print(subprocess.check_output([sys.executable, '-c', 'import sys; print(sys.flags.isolated, sys.flags.no_site)']))
    print(os.system('exit 3') >> 8)
)py";
  EXPECT_EQ(warm_output(source),
            "fork [0, 2, 4, 6, 8]\nspawn [0, 2, 4, 6, 8]\nforkserver [0, 2, 4, 6, 8]\nb'0 0\\n'\n3\n");
}

TEST_F(CodeWarmTest, EveryRunHasItsOwnRandomness) {
  await_warm();
  const std::string draw =
      "import os, random, secrets, tempfile, uuid\nprint(random.random(), random.SystemRandom().random())\n"
      "print(uuid.uuid4(), uuid.uuid1())\nprint(secrets.token_hex(8))\nprint(os.path.basename(tempfile.mkdtemp()))\n"
      "print(random.Random().random())";
  std::set<std::string> drawn;
  constexpr size_t runs = 4, kinds = 5;
  for (size_t run = 0; run < runs; ++run) {
    for (const std::string& line : split(output(draw), '\n')) drawn.insert(line);
    EXPECT_TRUE(was_warm());
  }
  EXPECT_EQ(drawn.size(), runs * kinds + 1);  // and what is after the last line end
}

TEST_F(CodeWarmTest, NothingOfAnEarlierRunIsReachable) {
  const std::string leave = R"py(
import builtins, gc, json, os, random, sys, threading
class LeftBehind: pass
one = LeftBehind()
builtins.left = json.left = sys.left = os.left = one
sys.modules['left'] = one
sys.path.append('/left'); os.environ['LEFT'] = '1'; os.chdir('/'); os.umask(0)
json.loads = random.random = print
gc.disable(); sys.setrecursionlimit(5000); threading.Thread(target=threading.Event().wait, daemon=True).start()
)py";
  const std::string look = R"py(
import builtins, gc, json, os, random, sys, threading
print([o for o in gc.get_objects() if type(o).__name__ == 'LeftBehind'],
      [m.__name__ for m in (builtins, json, sys, os) if hasattr(m, 'left')], 'left' in sys.modules, '/left' in sys.path,
      'LEFT' in os.environ, os.getcwd() == '/', os.umask(18), json.loads('1'), random.random() < 1, gc.isenabled(),
      sys.getrecursionlimit(), threading.active_count(), [n for n in globals() if 'eft' in n])
)py";
  const std::string clean = "[] [] False False False False 18 1 True True 1000 1 []\n";
  EXPECT_EQ(warm_output(look), clean);
  output(leave);
  EXPECT_TRUE(was_warm());
  EXPECT_EQ(output(look), clean);
  EXPECT_TRUE(was_warm());
}

TEST_F(CodeWarmTest, TwentyProgramsAtOnceAreTwentyProcesses) {
  await_warm();
  house_.put("a.txt", "content\n");
  std::vector<RpcClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(house_.start_code("from hermes_tools import read_file\nmine = " + std::to_string(i) +
                                        "\nprint(mine, read_file('a.txt')['content'], end='')"));
  }
  for (int i = 0; i < 20; ++i) {
    const JsonObject result = house_.finish_code(clients[static_cast<size_t>(i)]);
    EXPECT_EQ(text_of(result), std::to_string(i) + " content\n") << write_json(result);
  }
  await_warm();
}

// --- the base ---

TEST_F(CodeWarmTest, AKilledBaseIsNotMissedAndComesBack) {
  await_warm();
  const pid_t first = base();
  ::kill(first, SIGKILL);
  await("the base to die", [&] { return gone(first); });
  EXPECT_EQ(output("print('goes on')"), "goes on\n");
  await_warm();
  EXPECT_NE(base(), first);
}

TEST_F(CodeWarmTest, AKilledBaseTakesNoRunningProgramWithIt) {
  await_warm();
  RpcClient running = house_.start_code(holding("held") + "while not os.path.exists('go'): time.sleep(0.01)\nprint(1)");
  house_.await_held("held");
  const pid_t first = base();
  ::kill(first, SIGKILL);
  await("the base to die", [&] { return gone(first); });
  house_.put("go", "");
  EXPECT_EQ(text_of(house_.finish_code(running)), "1\n");
}

TEST_F(CodeWarmTest, AStoppedBaseDelaysNobodyForLong) {
  await_warm();
  const pid_t first = base();
  ::kill(first, SIGSTOP);
  EXPECT_EQ(output("print('goes on')"), "goes on\n");
  await_warm();
  EXPECT_NE(base(), first);
  EXPECT_TRUE(gone(first));
}

TEST_F(CodeWarmTest, TheBaseEndsWithTheKeeper) {
  await_warm();
  const pid_t first = base();
  house_.kill_keeper();
  await("the base to end", [&] { return gone(first); });
  await_warm();
  EXPECT_NE(base(), first);
}

TEST_F(CodeWarmTest, AnotherGatewayUsesTheBaseThatIsThere) {
  await_warm();
  const pid_t first = base();
  house_.kill_gateway();
  await_warm();
  EXPECT_EQ(base(), first);
}

TEST_F(CodeWarmTest, SessionsHaveBasesOfTheirOwn) {
  await_warm();
  await("a warm start in the other session", [&] {
    const JsonObject result = house_.call_as("other", "execute_code", {{"code", "print(1)"}, {"yieldMs", 0}});
    EXPECT_EQ(text_of(result), "1\n");
    return boolean_or(details_of(result), "warm_start");
  });
  EXPECT_EQ(bases().size(), 2U);
}

// --- what is never forked ---

TEST_F(CodeWarmTest, AVariableOfPythonsOwnStartsCold) {
  house_.environment()["PYTHONHASHSEED"] = "7";
  house_.environment()["PYTHONUNBUFFERED"] = "1";
  house_.configure("terminal.env_passthrough", "[PYTHONHASHSEED]");
  const std::string expected = house_.start_program("/usr/bin/python3", {"-c", "print(hash('a'))"}).finish().out;
  for (int run = 0; run < 4; ++run) {
    EXPECT_EQ(output("print(hash('a'))"), expected);
    EXPECT_FALSE(was_warm());
  }
  house_.configure("terminal.env_passthrough", "[]");
  await_warm();
}

TEST_F(CodeWarmTest, AForkedProgramHasItsPythonPath) {
  house_.put("lib/project_module.py", "x = 'imported'\n");
  export_variable("PYTHONPATH=" + house_.path("lib") + ":/nowhere");
  EXPECT_EQ(warm_output("import project_module, sys; print(project_module.x, '/nowhere' in sys.path)"),
            "imported True\n");
}

TEST_F(CodeWarmTest, AnInterpreterThatTheSandboxCanWriteIsNeverABase) {
  const std::string program = make_python(house_.path("own"));
  export_variable("CONDA_PREFIX=" + house_.path("own"));
  for (int run = 0; run < 4; ++run) {
    EXPECT_EQ(output("import sys; print(sys.executable, sys.prefix)"), program + " " + house_.path("own") + "\n");
    EXPECT_FALSE(was_warm());
  }
  EXPECT_THAT(bases(), ElementsAre());
}

// A home that nothing inside can move aside: neither it nor a folder above it lies in one that can be written.
struct FixedHome {
  FixedHome() {
    char name[] = "/tmp/talaria-home.XXXXXX";
    EXPECT_TRUE(::mkdtemp(name));
    path = name;
  }
  ~FixedHome() { EXPECT_TRUE(remove_tree(path)); }
  std::string path;
};

// One outside of the sandbox's reach is a base, until it changes.
TEST_F(CodeWarmTest, AnInterpreterThatChangesGetsANewBase) {
  const FixedHome home;
  house_.environment()["HOME"] = home.path;
  const std::string root = home.path + "/.pyenv";
  const std::string program = make_python(root + "/versions/own");
  house_.environment()["PYENV_ROOT"] = root;
  export_variable("PATH=" + root + "/versions/own/bin:$PATH");
  EXPECT_EQ(warm_output("import sys; print(sys.executable)"), program + "\n");
  const pid_t first = base();
  EXPECT_THAT(command_of(first), StartsWith(program));
  ASSERT_TRUE(write_file_atomically(program, *read_file(program), 0755, Durable::no));
  EXPECT_EQ(output("import sys; print(sys.executable)"), program + "\n");
  EXPECT_FALSE(was_warm());
  EXPECT_EQ(warm_output("import sys; print(sys.executable)"), program + "\n");
  EXPECT_TRUE(gone(first));
  EXPECT_NE(base(), first);
}

}  // namespace
}  // namespace talaria
