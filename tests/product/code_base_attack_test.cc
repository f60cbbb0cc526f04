// Programs that want what the warm base of their session has: its powers, its files, its memory, its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

class CodeBaseAttackTest : public testing::Test {
 protected:
  std::string output(const std::string& source, JsonObject more = {}) {
    last_ = house_.run_code(source, std::move(more));
    EXPECT_EQ(text_or(last_, "status"), "success") << write_json(last_);
    return text_or(last_, "output");
  }
  bool was_warm() const { return boolean_or(last_, "warm_start"); }
  void await_warm() {
    await("a warm start", [&] { return output("pass").empty() && was_warm(); });
  }
  void run_command(const std::string& command) {
    const JsonObject result = house_.call("terminal", {{"command", command}});
    ASSERT_EQ(integer_or(details_of(result), "exit_code", -1), 0) << write_json(result);
  }

  CodeHouse house_;
  JsonObject last_;
};

// It says that it is a base, in words that do not look like itself, and notes the powers it is run with.
TEST_F(CodeBaseAttackTest, AnInterpreterThatLiesAboutItselfNeverHasTheBasesPowers) {
  const std::string own = house_.path(".venv/bin/python3");
  for (const std::string& claim : {"/" + own, "/usr/bin/../.." + own, "/." + own, "/proc/1/root" + own}) {
    house_.put(".venv/bin/python3", "#!/bin/bash\ngrep CapEff /proc/self/status >> " + house_.path("powers") +
                                        "\ncase \"$*\" in *-c*) /usr/bin/python3 \"$@\" | sed 's#\"base\": \"[^\"]*\"#"
                                        "\"base\": \"" +
                                        claim + "\"#' ;; *) exec /usr/bin/python3 \"$@\" ;; esac\n");
    ASSERT_EQ(::chmod(own.c_str(), 0755), 0);
    for (int run = 0; run < 4; ++run) {
      output("pass");
      EXPECT_FALSE(was_warm()) << claim;
    }
  }
  EXPECT_THAT(house_.get("powers"), HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_THAT(house_.get("powers"), Not(HasSubstr("CapEff:\t0000000000200100")));
}

// The same through a private place of the sandbox's that has two names on most machines.
TEST_F(CodeBaseAttackTest, AnInterpreterInAPrivatePlaceIsNoBaseUnderAnyName) {
  const std::string own = house_.path(".venv/bin/python3");
  house_.put(".venv/bin/python3",
             "#!/bin/bash\ngrep CapEff /proc/self/status >> " + house_.path("powers") +
                 "\ncp $0 $XDG_RUNTIME_DIR/python3 2>/dev/null\ncase \"$*\" in *-c*) /usr/bin/python3 \"$@\" | "
                 "sed \"s#\\\"base\\\": \\\"[^\\\"]*\\\"#\\\"base\\\": \\\"/var/run/user/$(id -u)/python3\\\"#\" ;; "
                 "*) exec /usr/bin/python3 \"$@\" ;; esac\n");
  ASSERT_EQ(::chmod(own.c_str(), 0755), 0);
  for (int run = 0; run < 4; ++run) {
    output("pass");
    EXPECT_FALSE(was_warm());
  }
  EXPECT_THAT(house_.get("powers"), Not(HasSubstr("CapEff:\t0000000000200100")));
}

TEST_F(CodeBaseAttackTest, OurOwnFilesCannotBeMovedAside) {
  const std::string attempt = R"py(
import os, sys, hermes_tools
place = os.path.dirname(os.path.dirname(os.path.dirname(hermes_tools.__file__)))
print(place)
while place != '/':
    for change in (lambda: os.rename(place, place + '-aside'), lambda: os.symlink('/tmp', place + '/new'),
                   lambda: os.rmdir(place), lambda: os.chmod(place, 0o777)):
        try: change()
        except OSError: continue
        print('changed', place)
    place = os.path.dirname(place)
)py";
  EXPECT_EQ(output(attempt), "/run/talaria/lib\n");
  await_warm();
  EXPECT_EQ(output(attempt), "/run/talaria/lib\n");
  EXPECT_EQ(output(attempt, {{"mode", "strict"}}), "/run/talaria/lib\n");
  EXPECT_EQ(output("print(open('/proc/self/mountinfo').read().count(' /run/talaria/lib ro,'))"), "1\n");
}

TEST_F(CodeBaseAttackTest, TheSecretsOfOneRunAreNotInTheMemoryOfTheNext) {
  const std::string look = R"py(
import re
found = 0
memory = open('/proc/self/mem', 'rb', 0)
for line in open('/proc/self/maps'):
    begin, end = (int(part, 16) for part in line.split()[0].split('-'))
    if 'r' not in line.split()[1] or '[v' in line: continue
    memory.seek(begin)
    try: found += len(re.findall(b'token-of-run-[0-9]{12}', memory.read(end - begin)))
    except OSError: pass
print(found > 0)
)py";
  // So many that an order of the usual length does not happen to cover them all.
  for (int i = 0; i < 2000; ++i) house_.environment()["RUN_NOTE"] += "token-of-run-314159265358 ";
  house_.configure("terminal.env_passthrough", "[RUN_NOTE]");
  await_warm();
  EXPECT_EQ(output(look), "True\n");  // its own
  EXPECT_TRUE(was_warm());
  house_.configure("terminal.env_passthrough", "[]");
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(output(look), "False\n");
    EXPECT_TRUE(was_warm());
  }
}

TEST_F(CodeBaseAttackTest, WhatTheBaseIsStartedWithIsNotTheRuns) {
  await_warm();
  EXPECT_EQ(output("import os, subprocess\nprint('OPENSSL_CONF' in os.environ, "
                   "b'OPENSSL_CONF' in subprocess.check_output('env'), b'OPENSSL_CONF' in open('/proc/self/environ', "
                   "'rb').read() "
                   "and os.getenv('OPENSSL_CONF'))"),
            "False False None\n");
  EXPECT_TRUE(was_warm());
}

// The kernel counts descriptors on their way for each user, and one program has as many on their way as it can. That is
// few here: others of this user, outside this house, are not to notice.
class DescriptorHoarderTest : public CodeBaseAttackTest {
 protected:
  DescriptorHoarderTest() {
    const std::string start = "ulimit -n 1600 && exec \"$0\" exec true";
    const Ran ran = house_.start_program("/bin/sh", {"-c", start, program_path("talaria")}).finish();
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  RpcClient start_hoarder() {
    RpcClient hoarder = house_.start_code(R"py(
import array, errno, os, resource, socket, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
null, pairs, reason = os.open('/dev/null', os.O_RDONLY), [], None
while reason is None:
    pairs.append(socket.socketpair())
    pairs[-1][0].setblocking(False)
    try:
        while True: socket.send_fds(pairs[-1][0], [b'x'], [null] * 50)
    except BlockingIOError: pass
    except OSError as why: reason = errno.errorcode[why.errno]
)py" + holding("held") + "while not os.path.exists('go'): time.sleep(0.01)\nprint(most, reason)");
    house_.await_held("held");
    return hoarder;
  }
  void end(RpcClient& hoarder) {
    house_.put("go", "");
    EXPECT_EQ(text_of(house_.finish_code(hoarder)), "800 ETOOMANYREFS\n");
  }
};

TEST_F(DescriptorHoarderTest, StopsNobodyElse) {
  RpcClient hoarder = start_hoarder();
  house_.put("a.txt", "text\n");
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(output("from hermes_tools import read_file, terminal\n"
                     "print(read_file('a.txt')['content'], terminal('echo done')['output'])"),
              "text\n done\n\n");
  }
  const JsonObject read = house_.call("read_file", {{"path", "a.txt"}});
  EXPECT_EQ(text_or(details_of(read), "content"), "1|text") << write_json(read);
  run_command("true");
  end(hoarder);
}

TEST_F(DescriptorHoarderTest, IsNamedToThreadsThatCannotConnect) {
  RpcClient hoarder = start_hoarder();
  const std::string threads = R"py(
import threading
from hermes_tools import terminal
def work():
    try: print(terminal('echo in a thread')['output'].strip())
    except ConnectionError as why: print(why)
work()
thread = threading.Thread(target=work)
thread.start()
thread.join()
)py";
  EXPECT_EQ(
      output(threads),
      "in a thread\nhermes_tools cannot connect this thread or process: a program of the same user holds too many "
      "file descriptors on their way through sockets, and the kernel passes no more. Call from the main thread, or "
      "try again when that program has ended.\n");
  end(hoarder);
  // The kernel collects what nobody can receive any more in its own time.
  await("threads to connect again", [&] { return output(threads) == "in a thread\nin a thread\n"; });
}

}  // namespace
}  // namespace talaria
