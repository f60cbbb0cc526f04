// What a program of execute_code can learn: what was passed to it by name, and of the gateway, the keeper, the person
// and of earlier programs nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/id.h"
#include "base/text.h"
#include "os/file.h"
#include "os/random.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

// Looks wherever a program can look for what has the form of the secrets below, and says where it was: what is found
// is printed backwards, for values that are known to be secret are masked in the output. The pattern does not match
// itself.
constexpr const char* hunt = R"py(
import ctypes, errno, glob, os, re, socket, stat
needle = re.compile(rb'ts[k]-[0-9a-z]{8}')
found, reached, seen = set(), set(), 0

def look(where, data):
    for match in needle.findall(data):
        found.add(where + ' ' + match[::-1].decode())

def look_in(where, path, most=4 << 20):
    global seen
    try:
        if os.path.isdir(path) or stat.S_ISFIFO(os.stat(path).st_mode): return
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try: look(where, os.read(fd, most))
        finally: os.close(fd)
        seen += 1
    except OSError: pass

def look_in_memory(where, pid):
    try:
        spans = [line.split()[0:2] for line in open(f'/proc/{pid}/maps') if '[v' not in line]
        with open(f'/proc/{pid}/mem', 'rb', 0) as memory:
            for span, rights in spans:
                begin, end = (int(number, 16) for number in span.split('-'))
                if 'r' not in rights or end - begin > 64 << 20: continue
                try:
                    memory.seek(begin)
                    look(where, memory.read(end - begin))
                except OSError: pass
    except OSError: return
    if pid != os.getpid(): reached.add('memory of ' + where)

for name, value in os.environb.items(): look('os.environ', value)

me, libc = os.getpid(), ctypes.CDLL(None, use_errno=True)
def system_call(number, *arguments):
    result = libc.syscall(number, *(ctypes.c_long(one) for one in arguments))
    return result, ctypes.get_errno() if result < 0 else 0

def take_hold_of(pid):
    if libc.ptrace(16, pid, None, None) == 0: reached.add(f'ptrace {pid}')
    room = ctypes.create_string_buffer(8)
    ours = (ctypes.c_long * 2)(ctypes.addressof(room), 8)
    theirs = (ctypes.c_long * 2)(4096, 8)
    _, error = system_call(310, pid, ctypes.addressof(ours), 1, ctypes.addressof(theirs), 1, 0)
    if error == errno.EFAULT: reached.add(f'process_vm_readv {pid}')
    fd, _ = system_call(434, pid, 0)
    if fd >= 0:
        for number in range(4):
            if system_call(438, fd, number, 0)[0] >= 0: reached.add(f'pidfd_getfd {pid}')

for pid in sorted({int(name) for name in os.listdir('/proc') if name.isdigit()} | {os.getppid()}):
    if pid == 0: continue
    where = 'self' if pid == me else f'process {pid}'
    for name in ('environ', 'cmdline', 'auxv', 'stack', 'syscall', 'comm', 'mountinfo', 'cgroup', 'status'):
        look_in(f'{where} {name}', f'/proc/{pid}/{name}')
    for path in glob.glob(f'/proc/{pid}/fd/*') + glob.glob(f'/proc/{pid}/root/*'): look_in(where + ' fd', path)
    look_in_memory(where, pid)
    if pid != me: take_hold_of(pid)

for root in (HOME, os.environ.get('HOME', '/'), os.environ.get('TALARIA_HOME', '/nowhere'), '/root', '/home', '/tmp',
             '/dev/shm', '/dev/mqueue', '/run', '/var/tmp', '/var/lib/systemd/coredump', '/var/crash', '/etc/shadow'):
    look_in('file ' + root, root)
    for folder, _, names in os.walk(root):
        for name in names[:500]: look_in('file in ' + folder, os.path.join(folder, name), 1 << 20)
        if seen > 20000: break

lobby = socket.socket(fileno=os.dup(3))
try: look('lobby', lobby.recv(65536, socket.MSG_PEEK | socket.MSG_DONTWAIT))
except OSError: pass
for line in open('/proc/net/unix').read().splitlines()[1:]:
    path = (line.split() + [''])[7] if len(line.split()) > 7 else ''
    if path: SOCKETS.append('\0' + path[1:] if path[0] == '@' else path)
for path in SOCKETS:
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(path)
            reached.add('socket ' + path)
        except OSError: pass
for line in sorted(found): print('found', line)
for line in sorted(reached): print('reached', line)
print('looked at everything')
)py";

class CodeSecretsTest : public testing::Test {
 protected:
  CodeSecretsTest() {
    for (const char* name : {"OPENAI_API_KEY", "MY_TOKEN", "DB_PASSWORD", "UNLISTED", "XDG_SESSION_KEY"}) {
      house_.environment()[name] = secret();
    }
    for (const char* name : {".ssh/id_ed25519", ".aws/credentials", ".netrc", "notes.txt", ".bash_history"}) {
      put_outside("/" + std::string(name), secret() + "\n");
    }
    put_outside("/h/.env", "ANTHROPIC_API_KEY=" + secret() + "\nSTORED_TOKEN=" + secret() + "\n");
    put_outside("/h/config.yaml", "# " + secret() + "\nterminal:\n  env_passthrough: [PASSED_TOKEN]\n");
    EXPECT_EQ(::chmod(house_.root().c_str(), 0700), 0);
    house_.environment()["PASSED_TOKEN"] = passed_ = secret();
  }
  static std::string secret() { return "tsk-" + id_from(random_u64()); }
  static std::string backwards(std::string text) {
    std::ranges::reverse(text);
    return text;
  }
  std::string home() { return house_.environment()["HOME"]; }
  void put_outside(const std::string& name, const std::string& content) {
    const std::string path = home() + name;
    EXPECT_TRUE(make_directories(path.substr(0, path.rfind('/'))));
    EXPECT_TRUE(write_file_atomically(path, content, 0600, Durable::no));
  }
  void store_variables(const std::string& lines) { put_outside("/h/.env", lines); }

  // From here on programs are forked from the session's base.
  void await_warm() {
    await("a warm start", [&] { return boolean_or(house_.run_code("pass"), "warm_start"); });
  }
  // The lines it printed.
  std::vector<std::string> lines_of(const JsonObject& details) {
    EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
    std::vector<std::string> lines = split(text_or(details, "output"), '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
  }
  // What a hunt found must be what was passed, and that must have been found, or it was no hunt.
  void expect_nothing_found(const JsonObject& details, const std::string& which) {
    const std::vector<std::string> lines = lines_of(details);
    ASSERT_THAT(lines, Contains("looked at everything")) << which;
    std::set<std::string> told;
    for (const std::string& line : lines) {
      if (line == "looked at everything") continue;
      if (line.ends_with(backwards(passed_))) told.insert(line.substr(0, line.find(' ', 6)));
      else ADD_FAILURE() << which << ": " << line;
    }
    EXPECT_THAT(told, IsSupersetOf({"found os.environ", "found self"})) << which;
  }
  std::string hunting() {
    return "HOME = '" + home() + "'\nSOCKETS = ['" + house_.home().gateway_socket() + "', '" +
           house_.home().keeper_socket() + "']\n" + hunt;
  }

  // The variables of these names as a program gets them, each backwards; "-" for none.
  std::vector<std::string> variables(const std::string& names, const JsonObject& environment = {}) {
    return lines_of(run_with(environment,
                             "import os\nfor name in '" + names + "'.split(): print(os.environ.get(name, '-')[::-1])"));
  }
  JsonObject run_with(const JsonObject& environment, const std::string& source) {
    return details_of(call_with(environment, "execute_code", {{"code", source}, {"yieldMs", 0}}));
  }
  JsonObject call_with(const JsonObject& environment, const std::string& tool, JsonObject arguments) {
    JsonObject params = {{"name", tool},
                         {"arguments", std::move(arguments)},
                         {"client", "cli"},
                         {"session", JsonObject{{"cwd", house_.workspace()}}}};
    if (!environment.empty()) params["environment"] = environment;
    const Result<JsonObject> result = house_.connect().call_object("tools/call", std::move(params));
    if (!result) return {{"refused", result.error().message()}};
    return *result;
  }
  static std::vector<std::string> notes_of(const JsonObject& details) {
    std::vector<std::string> notes;
    const Json* list = details.if_contains("notes");
    for (const Json& note : list ? list->as_array() : JsonArray()) notes.emplace_back(note.as_string());
    return notes;
  }

  CodeHouse house_;
  std::string passed_;
};

// --- looking for secrets ---

TEST_F(CodeSecretsTest, AFirstProgramAndThoseAfterItFindNothing) {
  house_.exec("echo " + secret() + " > /dev/null");  // known to the database and to the session's log
  expect_nothing_found(house_.run_code(hunting()), "the first");
  await_warm();
  const JsonObject forked = house_.run_code(hunting());
  EXPECT_TRUE(boolean_or(forked, "warm_start"));
  expect_nothing_found(forked, "one that was forked");
}

TEST_F(CodeSecretsTest, WhatEarlierAndOtherProgramsHoldIsNotFound) {
  const std::string hold =
      "held = ['tsk' + '-' + text for text in ('aaaabbbb', 'ccccdddd')]\n"
      "import os; os.environ['LEFT'] = held[0]; print('holds')";
  await_warm();
  EXPECT_THAT(lines_of(house_.run_code(hold)), ElementsAre("holds"));
  EXPECT_THAT(lines_of(house_.run_code(hold, {{"session", "other"}})), ElementsAre("holds"));
  expect_nothing_found(house_.run_code(hunting()), "beside a kept one");
  expect_nothing_found(house_.run_code(hunting(), {{"session", "mine"}}), "kept itself");
}

TEST_F(CodeSecretsTest, StrictFindsNothingEither) {
  expect_nothing_found(house_.run_code(hunting(), {{"mode", "strict"}}), "strict");
}

TEST_F(CodeSecretsTest, NothingIsOpenButItsStreamsTheLobbyAndAChannel) {
  const std::string listing =
      "import os\nfds = os.listdir('/proc/self/fd')\nfor fd in sorted(fds, key=int):\n"
      "    try: print(fd, os.readlink('/proc/self/fd/' + fd).split(':')[0])\n    except OSError: pass";
  const auto expected = ElementsAre("0 /dev/null", "1 pipe", "2 pipe", "3 socket", "4 socket");
  EXPECT_THAT(lines_of(house_.run_code(listing)), expected);
  await_warm();
  EXPECT_THAT(lines_of(house_.run_code(listing)), expected);
  for (int run = 0; run < 2; ++run) {
    EXPECT_THAT(lines_of(house_.run_code(listing, {{"session", "kept"}})), expected) << run;
  }
  EXPECT_THAT(lines_of(house_.run_code(listing, {{"mode", "strict"}})), expected);
}

TEST_F(CodeSecretsTest, ACrashLeavesNoCoreDump) {
  const JsonObject crashed = house_.run_code("import os; os.environ['X'] = 'y'; os.abort()");
  EXPECT_EQ(text_or(crashed, "status"), "error");
  EXPECT_THAT(*list_directory(house_.workspace()), IsEmpty());
  EXPECT_THAT(lines_of(house_.run_code("import glob, resource\nprint(resource.getrlimit(resource.RLIMIT_CORE)[0])\n"
                                       "print(glob.glob('/tmp/core*') + glob.glob('/core*'))")),
              ElementsAre("0", "[]"));
}

// --- variables ---

TEST_F(CodeSecretsTest, OnlyWhatIsListedOrUsualArrives) {
  house_.environment()["LC_TIME"] = "C";
  house_.environment()["TZ"] = "UTC";
  house_.environment()["CI"] = "yes";
  const std::vector<std::string> lines =
      lines_of(house_.run_code("import os\nfor name in sorted(os.environ): print(name)"));
  const std::vector<std::string> usual = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TERM", "TZ", "TMPDIR", "SHELL",
                                          "PYTHONPATH", "TALARIA_RPC", "PASSED_TOKEN", "TALARIA_HOME", "LSAN_OPTIONS",
                                          // Where the network is off, nobody should try again.
                                          "CARGO_NET_RETRY", "PIP_RETRIES", "npm_config_fetch_retries"};
  for (const std::string& name : lines) {
    const bool known = std::ranges::find(usual, name) != usual.end() || name.starts_with("LC_") ||
                       (name.starts_with("XDG_") && name != "XDG_SESSION_KEY");
    EXPECT_TRUE(known) << name;
  }
  EXPECT_THAT(lines, IsSupersetOf({"PATH", "HOME", "LANG", "LC_TIME", "TZ", "PYTHONPATH", "PASSED_TOKEN"}));
}

TEST_F(CodeSecretsTest, WhatLooksLikeASecretArrivesOnlyWhenListed) {
  EXPECT_THAT(variables("MY_TOKEN DB_PASSWORD UNLISTED XDG_SESSION_KEY"), Each("-"));
  house_.configure("terminal.env_passthrough", "[MY_TOKEN, UNLISTED, XDG_SESSION_KEY]");
  EXPECT_THAT(variables("MY_TOKEN DB_PASSWORD UNLISTED XDG_SESSION_KEY"),
              ElementsAre(backwards(house_.environment()["MY_TOKEN"]), "-", backwards(house_.environment()["UNLISTED"]),
                          backwards(house_.environment()["XDG_SESSION_KEY"])));
}

TEST_F(CodeSecretsTest, ListedValuesComeFromTheFileBeforeTheEnvironmentAndAreMaskedInTheOutput) {
  store_variables("MY_TOKEN=stored-in-the-file\nSTORED_TOKEN='only there'\nDB_PASSWORD=not listed\n");
  house_.configure("terminal.env_passthrough", "[MY_TOKEN, STORED_TOKEN, MISSING_TOKEN]");
  EXPECT_THAT(variables("MY_TOKEN STORED_TOKEN DB_PASSWORD MISSING_TOKEN"),
              ElementsAre(backwards("stored-in-the-file"), backwards("only there"), "-", "-"));
  const JsonObject shown = house_.run_code("import os; print(os.environ['STORED_TOKEN'], os.environ['MY_TOKEN'])");
  EXPECT_EQ(text_or(shown, "output"), "[masked STORED_TOKEN] [masked MY_TOKEN]\n");
  EXPECT_THAT(notes_of(shown), Not(Contains(HasSubstr("MISSING_TOKEN"))));  // it is set nowhere: no news
}

TEST_F(CodeSecretsTest, AnAgentsProviderKeysNeverArrive) {
  store_variables("ANTHROPIC_API_KEY=stored-key\nGEMINI_API_KEY=stored-key\n");
  house_.configure("terminal.env_passthrough",
                   "[OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY]");
  const std::string names = "OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY";
  EXPECT_THAT(variables(names), Each("-"));
  EXPECT_THAT(variables(names, {{"OPENROUTER_API_KEY", "of the client"}}), Each("-"));
  const std::vector<std::string> notes = notes_of(house_.run_code("pass"));
  for (const std::string& name : split(names, ' ')) {
    EXPECT_THAT(notes, Contains(AllOf(HasSubstr(name), HasSubstr("model provider"))));
  }
}

TEST_F(CodeSecretsTest, WhatInjectsCodeNeverArrives) {
  const std::string names =
      "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT PYTHONSTARTUP PYTHONHOME PYTHONINSPECT BASH_ENV ENV "
      "NODE_OPTIONS PERL5OPT GIT_SSH_COMMAND";
  house_.put("start.py", "print('started')\n");
  JsonObject client;
  for (const std::string& name : split(names, ' ')) client[name] = house_.path("start.py");
  for (const char* name : {"PYTHONSTARTUP", "PYTHONHOME", "BASH_ENV"}) {
    house_.environment()[name] = house_.path("start.py");
  }
  EXPECT_THAT(variables(names), Each("-"));
  EXPECT_THAT(variables(names, client), Each("-"));
  house_.configure("terminal.env_passthrough", "[LD_PRELOAD, PYTHONSTARTUP, PYTHONHOME, BASH_ENV]");
  EXPECT_THAT(variables(names, client), Each("-"));
  EXPECT_THAT(notes_of(house_.run_code("pass")), Contains(AllOf(HasSubstr("LD_PRELOAD"), HasSubstr("injects code"))));
}

TEST_F(CodeSecretsTest, AClientsVariablesFollowTheSameRulesAndComeFirst) {
  store_variables("MY_TOKEN=of the file\n");
  house_.configure("terminal.env_passthrough", "[MY_TOKEN]");
  const JsonObject client{{"MY_TOKEN", "of the client"}, {"OTHER_TOKEN", "x"},
                          {"OPENAI_API_KEY", "x"},       {"UNLISTED", "x"},
                          {"LC_NUMERIC", "C.UTF-8"},     {"TALARIA_RPC", "9:9"}};
  EXPECT_THAT(variables("MY_TOKEN OTHER_TOKEN OPENAI_API_KEY UNLISTED LC_NUMERIC", client),
              ElementsAre(backwards("of the client"), "-", "-", "-", backwards("C.UTF-8")));
  EXPECT_THAT(variables("TALARIA_RPC", client), Each(Not("9:9")));
  EXPECT_THAT(variables("MY_TOKEN LC_NUMERIC"), ElementsAre(backwards("of the file"), "-"));  // of one call only
}

TEST_F(CodeSecretsTest, OnlyExecuteCodeTakesAClientsVariables) {
  house_.configure("terminal.env_passthrough", "[MY_TOKEN]");
  for (const char* tool : {"exec", "terminal"}) {
    const JsonObject result =
        call_with({{"MY_TOKEN", "of the client"}, {"LC_TIME", "of the client"}}, tool, {{"command", "env | rev"}});
    EXPECT_THAT(text_of(result), Not(HasSubstr(backwards("of the client")))) << tool;
  }
}

TEST_F(CodeSecretsTest, WhatASkillWasGrantedArrives) {
  store_variables("SKILL_TOKEN=granted-value\nOTHER_TOKEN=not granted\n");
  const std::string folder = house_.home().root + "/skills/one";
  ASSERT_TRUE(make_directories(folder));
  ASSERT_TRUE(write_file_atomically(
      folder + "/SKILL.md", "---\nname: one\ndescription: d\nrequired_environment_variables: [SKILL_TOKEN]\n---\n"));
  house_.call("skill_view", {{"name", "one"}});
  EXPECT_THAT(variables("SKILL_TOKEN OTHER_TOKEN"), ElementsAre(backwards("granted-value"), "-"));
}

// --- modules ---

TEST_F(CodeSecretsTest, NothingOfOursCanBeImportedButTheTools) {
  const std::string look = R"py(
import importlib, os, sys, hermes_tools
ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(hermes_tools.__file__))))
names = {n for n, m in sys.modules.items() if (getattr(m, '__file__', None) or '').startswith(ours)}
print(sorted(n for n in names if n.split('.')[0] != 'hermes_tools'))
print([p for p in sys.path if p.startswith(ours)] == [ours + '/python'], sorted(os.listdir(ours + '/python')))
for name in 'boot warm host talaria python libtalaria hermes_host _boot sandbox keeper'.split():
    try: print(importlib.import_module(name))
    except ImportError: pass
main = sys.modules['__main__']
print(main.__name__, [n for n in vars(main) if n.startswith('_') and not n.startswith('__')])
print([n for n in sys.modules if n in ('boot', 'warm', 'host')])
)py";
  const auto expected = ElementsAre("[]", "True ['hermes_tools']", "__main__ []", "[]");
  EXPECT_THAT(lines_of(house_.run_code(look)), expected);
  await_warm();
  EXPECT_THAT(lines_of(house_.run_code(look)), expected);
  EXPECT_THAT(lines_of(house_.run_code(look, {{"session", "kept"}})), expected);
}

}  // namespace
}  // namespace talaria
