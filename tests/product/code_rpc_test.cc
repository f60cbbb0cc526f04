// The calls of a program: from threads, forks and subprocesses, large, late, malformed and hostile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CodeRpcTest : public testing::Test {
 protected:
  std::string output(const std::string& source, JsonObject more = {}) {
    const JsonObject details = house_.run_code(source, std::move(more));
    EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
    return text_or(details, "output");
  }
  // f0 … f9, each with content of its own.
  void put_files() {
    for (int i = 0; i < 10; ++i) house_.put("f" + std::to_string(i), "content of " + std::to_string(i) + "\n");
  }
  void allow_calls(int count) { house_.configure("code_execution.max_tool_calls", std::to_string(count)); }

  CodeHouse house_;
};

// --- who gets which answer ---

TEST_F(CodeRpcTest, EveryThreadGetsItsOwnAnswers) {
  put_files();
  allow_calls(5000);
  const JsonObject details = house_.run_code(R"py(
import threading
from hermes_tools import read_file
wrong = []
def work(t):
    for i in range(500):
        n = (t + i) % 10
        got = read_file(f'f{n}')
        if got.get('content') != f'content of {n}\n' or got['path'] != f'f{n}': wrong.append(got)
threads = [threading.Thread(target=work, args=(t,)) for t in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(wrong)
)py");
  EXPECT_EQ(text_or(details, "output"), "[]\n") << write_json(details);
  EXPECT_EQ(integer_or(details, "tool_calls_made"), 4000);
}

TEST_F(CodeRpcTest, ForkedWorkersGetTheirOwnAnswers) {
  put_files();
  allow_calls(1000);
  EXPECT_EQ(output(R"py(
import multiprocessing
from hermes_tools import read_file
read_file('f0')
def work(n): return read_file(f'f{n}')['content'] == f'content of {n}\n'
with multiprocessing.get_context('fork').Pool(4) as pool:
    print(set(pool.map(work, [i % 10 for i in range(200)], chunksize=5)), read_file('f3')['content'])
)py"),
            "{True} content of 3\n\n");
}

TEST_F(CodeRpcTest, AForkInTheMiddleOfThreadsDisturbsNobody) {
  put_files();
  allow_calls(1000);
  EXPECT_EQ(output(R"py(
import os, threading
from hermes_tools import read_file
wrong = []
def work(n):
    for i in range(50):
        if read_file(f'f{n}').get('content') != f'content of {n}\n': wrong.append(n)
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
codes = []
for i in range(4):
    pid = os.fork()
    if pid == 0: os._exit(0 if read_file('f9')['content'] == 'content of 9\n' else 1)
    codes.append(os.waitpid(pid, 0)[1])
for t in threads: t.join()
print(wrong, codes)
)py",
                   {{"timeout", 20}}),
            "[] [0, 0, 0, 0]\n");
}

// In the child, an import that another thread of its parent had begun would never end.
TEST_F(CodeRpcTest, AForkWhileAnotherThreadMakesItsFirstCallDisturbsNobody) {
  put_files();
  EXPECT_EQ(output(R"py(
import os, sys, threading, time
import hermes_tools
hermes_tools.__dict__.pop('_channel', None)
for name in ('hermes_tools._channel', 'json'): sys.modules.pop(name, None)
importing = threading.Event()
class Slow:
    def find_spec(name, *_):
        if name == 'json':
            importing.set()
            time.sleep(0.2)
sys.meta_path.insert(0, Slow)
thread = threading.Thread(target=hermes_tools.read_file, args=('f1',))
thread.start()
importing.wait()
pid = os.fork()
if pid == 0: os._exit(0 if hermes_tools.read_file('f9')['content'] == 'content of 9\n' else 1)
print(os.waitpid(pid, 0)[1])
thread.join()
)py",
                   {{"timeout", 20}}),
            "0\n");
}

TEST_F(CodeRpcTest, ASubprocessIsToldHowToBeConnected) {
  put_files();
  const std::string child = R"py(
import subprocess, sys
child = "import hermes_tools; print(hermes_tools.read_file('f1')['content'], end='')"
)py";
  EXPECT_THAT(
      output(child + "print(subprocess.run([sys.executable, '-c', child], capture_output=True, text=True).stderr)"),
      AllOf(HasSubstr("ConnectionError: hermes_tools has no connection to the gateway in this process"),
            HasSubstr("pass_fds=(3,)")));
  EXPECT_EQ(output(child + "subprocess.run([sys.executable, '-c', child], pass_fds=(3,))"), "content of 1\n");
}

TEST_F(CodeRpcTest, ALateAnswerIsNotTakenForTheNext) {
  put_files();
  // The first call is given up while its command runs.
  EXPECT_EQ(output(R"py(
import os, signal, threading, time
from hermes_tools import read_file, terminal
class GivenUp(Exception): pass
def give_up(*_): raise GivenUp
signal.signal(signal.SIGUSR1, give_up)
def watch():
    while not os.path.exists('begun'): time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGUSR1)
threading.Thread(target=watch).start()
try: terminal("touch begun; sleep 0.3; echo late")
except GivenUp: print('given up')
for i in range(5): print(terminal(f'echo right {i}')['output'], end='')
print(read_file('f2')['content'], end='')
)py"),
            "given up\nright 0\nright 1\nright 2\nright 3\nright 4\ncontent of 2\n");
}

TEST_F(CodeRpcTest, AnswersCarryTheNumberOfTheirCall) {
  put_files();
  EXPECT_EQ(output(raw_channel() + R"py(
c = channel()
send(c, b'{"id": 70, "tool": "terminal", "args": {"command": "until [ -e go ]; do sleep 0.01; done; echo slow"}}')
send(c, b'{"id": 71, "tool": "read_file", "args": {"path": "f7"}}')
first = receive(c)
open('go', 'w')
second = receive(c)
print(first['id'], first['result']['content'], second['id'], second['result']['output'])
)py"),
            "71 content of 7\n 70 slow\n\n");
}

TEST_F(CodeRpcTest, RunsHelpersInParallelAndInOrder) {
  put_files();
  EXPECT_EQ(output(R"py(
from hermes_tools import *
print(parallel_map(lambda n: read_file(f'f{n}')['content'].strip()[-1], range(10)))
print(parallel([lambda: terminal('echo a')['output'], lambda: shell_quote("a b'c"), lambda: json_parse('{"a": [1]}')]))
attempts = []
def shaky():
    attempts.append(1)
    if len(attempts) < 3: raise OSError('not yet')
    return len(attempts)
print(retry(shaky, delay=0.01))
)py"),
            "['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']\n['a\\n', '\\'a b\\'\"\\'\"\\'c\\'', {'a': [1]}]\n3\n");
}

// --- large ---

TEST_F(CodeRpcTest, CarriesResultsOfTenMegabytes) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::string(99'999, static_cast<char>('A' + i % 26)) + "\n";
  house_.put("big", text);
  EXPECT_EQ(output("from hermes_tools import read_file\nr = read_file('big')\n"
                   "print(r['content'] == open('big').read(), len(r['content']), r['truncated'])"),
            "True 10000000 False\n");
  EXPECT_EQ(output("from hermes_tools import write_file\n"
                   "print(write_file('copy', open('big').read(8_000_000))['bytes_written'])"),
            "8000000\n");
  EXPECT_TRUE(house_.get("copy") == text.substr(0, 8'000'000));
}

TEST_F(CodeRpcTest, RefusesAFrameOfTwentyMebibytesWithAnErrorResult) {
  put_files();
  EXPECT_THAT(output("from hermes_tools import write_file\nprint(write_file('a', 'x' * (20 << 20)))"),
              AllOf(HasSubstr("'error'"), HasSubstr("16")));
  EXPECT_FALSE(exists(house_.path("a")));
  const std::string raw = output(raw_channel() + R"py(
c = channel()
send(c, b'x' * (20 << 20))
answer = receive(c)
print(answer['id'], answer['error'])
send(c, b'{"id": 1, "tool": "read_file", "args": {"path": "f1"}}')
print(receive(c)['result']['content'], end='')
)py");
  EXPECT_THAT(raw, AllOf(StartsWith("None "), HasSubstr("20,971,520"), EndsWith("content of 1\n")));
}

TEST_F(CodeRpcTest, ReadsWhatIsLongerThanAnAnswerMayBePageByPage) {
  std::string text;  // each quote takes two bytes in an answer
  for (int i = 0; i < 18; ++i) text += std::string(999'999, i % 2 ? '"' : 'x') + "\n";
  ASSERT_TRUE(write_file_atomically(house_.path("big"), text, 0644, Durable::no));
  EXPECT_EQ(output(R"py(
from hermes_tools import read_file
pages, offset = [], 1
while offset:
    page = read_file('big', offset=offset)
    pages.append(page['content'])
    offset = page.get('next_offset')
print(''.join(pages) == open('big').read(), 1 < len(pages) < 5)
)py"),
            "True True\n");
}

// --- malformed and hostile ---

TEST_F(CodeRpcTest, AMalformedFrameEndsThatRunWithAnErrorThatNamesIt) {
  put_files();
  RpcClient other = house_.start_code(R"py(
import os, time
from hermes_tools import read_file
open('waiting', 'w')
while not os.path.exists('go'):
    assert read_file('f1')['content'] == 'content of 1\n'
    time.sleep(0.02)
print('undisturbed')
)py",
                                      {{"max_tool_calls", 100000}});
  await("the other program to begin", [&] { return exists(house_.path("waiting")); });
  for (const std::string frame : {"not json at all", "[1, 2]", R"({"id": "one", "tool": "read_file", "args": {}})",
                                  R"({"id": 1, "tool": "read_file", "args": []})", R"({"id": 1})", ""}) {
    const JsonObject details = house_.run_code(raw_channel() + "import time\nprint('before')\nsend(channel(), " +
                                               write_json(Json(frame)) + ".encode())\ntime.sleep(60)");
    EXPECT_EQ(text_or(details, "status"), "error") << write_json(details);
    EXPECT_THAT(text_or(details, "error"), HasSubstr("malformed frame")) << frame;
    EXPECT_THAT(text_or(details, "output"), AllOf(StartsWith("before\n"), HasSubstr("malformed frame")));
  }
  house_.put("go", "");
  EXPECT_EQ(text_or(details_of(house_.finish_code(other)), "output"), "undisturbed\n");
}

TEST_F(CodeRpcTest, GarbageOnTheSocketEndsThatRunOnly) {
  put_files();
  const pid_t gateway = house_.gateway_pid();
  for (const std::string garbage : {"lobby.send(b'garbage')", "lobby.send(b'[]')", "lobby.send(b'{\"channel\": true}')",
                                    "lobby.send(b'{\"ended\": \"x\"}')", "lobby.send(b'\\xff' * 60000)",
                                    "socket.send_fds(lobby, [b'{\"channel\": true}'], [os.open('f1', os.O_RDONLY)])",
                                    "socket.send_fds(lobby, [b'{\"channel\": true}'], [1, 2])"}) {
    const JsonObject details =
        house_.run_code(raw_channel() + "import time\nprint('before')\n" + garbage + "\ntime.sleep(60)");
    EXPECT_EQ(text_or(details, "status"), "error") << garbage << write_json(details);
    EXPECT_THAT(text_or(details, "error"), AnyOf(HasSubstr("malformed packet"), HasSubstr("offered a channel")))
        << garbage;
    EXPECT_THAT(text_or(details, "output"), StartsWith("before\n"));
  }
  EXPECT_EQ(house_.gateway_pid(), gateway);
}

TEST_F(CodeRpcTest, OneThatFloodsOrAbusesItsSocketHarmsOnlyItself) {
  put_files();
  const pid_t gateway = house_.gateway_pid();
  for (const std::string abuse : {
           "for i in range(500):\n  c = channel(); kept = globals().setdefault('kept', []); kept.append(c)",
           "for i in range(300): channel().close()",
           "c = channel(); c.sendall(b'\\xff\\xff\\xff\\xff' + b'x' * 1000)",
           "c = channel()\nfor i in range(200): send(c, b'{\"progress\": {\"message\": \"' + b'm' * 1000 + b'\"}}')",
           "c = channel(); c.setblocking(False)\ntry:\n  while True: c.send(b'\\x02\\0\\0\\0{}'[:3])\nexcept OSError: "
           "pass",
           "lobby.shutdown(socket.SHUT_RDWR)",
           "lobby.send(b'{\"ended\": 5, \"how\": \"ok\", \"exit_code\": 0}')",
           "lobby.send(b'{\"hello\": 5}')",
       }) {
    const JsonObject details = house_.run_code(raw_channel() + abuse + "\nprint('done')", {{"timeout", 20}});
    EXPECT_THAT(text_or(details, "status"), AnyOf("success", "error")) << abuse << write_json(details);
  }
  EXPECT_EQ(house_.gateway_pid(), gateway);
  EXPECT_EQ(output("from hermes_tools import read_file\nprint(read_file('f5')['content'], end='')"), "content of 5\n");
}

TEST_F(CodeRpcTest, AProgramThatNeverReadsItsAnswersEndsAsAnyOther) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += std::string(999'999, 'x') + "\n";
  house_.put("big", text);
  const JsonObject details = house_.run_code(raw_channel() + R"py(
channels = [channel() for i in range(8)]
for n, c in enumerate(channels): send(c, b'{"id": %d, "tool": "read_file", "args": {"path": "big"}}' % n)
while receive(channels[0])['id'] != 0: pass
print('enough')
)py",
                                             {{"timeout", 30}});
  EXPECT_EQ(text_or(details, "output"), "enough\n") << write_json(details);
}

TEST_F(CodeRpcTest, ALoneSurrogateInAnArgumentIsAnErrorResult) {
  const std::string said = output(R"py(
from hermes_tools import write_file, read_file
r = write_file('a', 'x\ud800y')
print('error' in r, r)
r = read_file('\udcff')
print('error' in r)
)py");
  EXPECT_THAT(said, AllOf(StartsWith("True "), HasSubstr("content"), EndsWith("True\n")));
}

}  // namespace
}  // namespace talaria
