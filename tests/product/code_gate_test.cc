// The tools of a program: all of them, gated as for the agent itself, with results that programs can rely on.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Answers every request on loopback: searches with one hit, all else with a short text.
class WebSite {
 public:
  WebSite() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 16), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    thread_ = std::thread([this] { serve(); });
  }
  ~WebSite() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
  }
  const std::string& url() const { return url_; }

 private:
  void serve() {
    while (true) {
      const UniqueFd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      char buffer[8192];
      const ssize_t count = ::read(client.get(), buffer, sizeof buffer);
      if (count <= 0) continue;
      const bool search = std::string_view(buffer, static_cast<size_t>(count)).find("/search") != std::string::npos;
      const std::string body =
          search ? R"({"results": [{"title": "A hit", "url": ")" + url_ + R"(a", "content": "About it"}]})" : "a page";
      (void)write_all(client.get(),
                      "HTTP/1.1 200 OK\r\nContent-Type: " + std::string(search ? "application/json" : "text/plain") +
                          "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
                          body);
    }
  }

  UniqueFd socket_;
  std::string url_;
  std::thread thread_;
};

class CodeGateTest : public testing::Test {
 protected:
  std::string output(const std::string& source, JsonObject more = {}) {
    const JsonObject details =
        house_.run_code("from hermes_tools import *\nimport hermes_tools\n" + source, std::move(more));
    EXPECT_EQ(text_or(details, "status"), "success") << write_json(details);
    return text_or(details, "output");
  }

  CodeHouse house_;
};

TEST_F(CodeGateTest, AProgramCanCallAllSevenTools) {
  WebSite site;
  house_.configure("web.allow_private_hosts", "[127.0.0.1]");
  house_.configure("web.search.provider", "searxng");
  house_.configure("web.search.url", site.url());
  const JsonObject details = house_.run_code(R"py(
from hermes_tools import *
hit = web_search('anything')['data']['web'][0]
print(hit['title'], web_extract([hit['url']])['results'][0]['content'])
print(write_file('src/a.py', 'old_call(1)\nold_call(2)\n')['created'])
found = search_files('old_call', path='src', file_glob='*.py')
print(found['total_count'], [m['line'] for m in found['matches']])
changed = patch(path='src/a.py', old_string='old_call(', new_string='new_call(', replace_all=True)
print('error' in str(changed), changed['replacements'])
print(repr(read_file('src/a.py')['content']))
print(terminal('wc -l < src/a.py')['output'].strip(), terminal('exit 4')['exit_code'])
)py");
  EXPECT_EQ(text_or(details, "output"), "A hit a page\nTrue\n2 [1, 2]\nFalse 2\n'new_call(1)\\nnew_call(2)\\n'\n2 4\n")
      << write_json(details);
  EXPECT_EQ(integer_or(details, "tool_calls_made"), 8);
}

TEST_F(CodeGateTest, WhatTheOwnerDeniesIsDeniedToPrograms) {
  house_.put("private/a.txt", "mine\n");
  house_.put(".env", "KEY=1\n");
  house_.configure("files.read.deny", "['private/*']");
  house_.configure("files.write.deny", "['*.lock']");
  house_.configure("web.hosts.deny", "[example.org]");
  EXPECT_THAT(output("print(read_file('private/a.txt'))"), AllOf(HasSubstr("files.read.deny"), Not(HasSubstr("mine"))));
  EXPECT_THAT(output("print(read_file('.env'))"), AllOf(HasSubstr("'error'"), Not(HasSubstr("KEY"))));
  EXPECT_THAT(output("print(search_files('mine', path='private/a.txt'))"), Not(HasSubstr("'mine'")));
  EXPECT_THAT(output("print(write_file('a.lock', 'x'))"), HasSubstr("files.write.deny"));
  EXPECT_THAT(output("print(patch(path='private/a.txt', old_string='mine', new_string='ours'))"), HasSubstr("'error'"));
  EXPECT_THAT(output("print(web_extract(['http://example.org/'])['results'][0])"), HasSubstr("web.hosts.deny"));
  EXPECT_THAT(output("print(web_extract(['http://127.0.0.1:1/'])['results'][0])"), HasSubstr("private"));
  EXPECT_EQ(house_.get("private/a.txt"), "mine\n");
  EXPECT_FALSE(exists(house_.path("a.lock")));
}

TEST_F(CodeGateTest, WhatTheOwnerDeniesAProgramIsRefusedAsACommandIs) {
  house_.configure("exec.sandbox.security", "deny");
  const JsonObject details = house_.run_code("open('ran', 'w')");
  EXPECT_EQ(text_or(details, "status"), "error");
  EXPECT_THAT(text_or(details, "error"), HasSubstr("security=deny"));
  EXPECT_FALSE(exists(house_.path("ran")));
}

TEST_F(CodeGateTest, TheToolsetsOfTheSessionHoldInPrograms) {
  house_.put("a.txt", "content\n");
  ASSERT_EQ(house_.run({"tools", "--toolsets", "file,code"}).code, 0);
  EXPECT_THAT(output("print(read_file('a.txt')['content'])\nprint(terminal('echo hi'))"),
              AllOf(StartsWith("content\n"), HasSubstr("Tool 'terminal' is not available in execute_code. Available: "),
                    HasSubstr("read_file")));
  ASSERT_EQ(house_.run({"tools", "--toolsets", "code"}).code, 0);
  const JsonObject none = house_.run_code("open('ran', 'w')");
  EXPECT_EQ(text_or(none, "status"), "error");
  EXPECT_THAT(text_or(none, "error"), AllOf(HasSubstr("no tool"), HasSubstr("toolsets")));
  EXPECT_FALSE(exists(house_.path("ran")));
  ASSERT_EQ(house_.run({"tools", "--toolsets", "file"}).code, 0);
  const Result<JsonObject> refused =
      house_.connect().call_object("tools/call", {{"name", "execute_code"},
                                                  {"arguments", JsonObject{{"code", "print(1)"}}},
                                                  {"client", "cli"},
                                                  {"session", JsonObject{{"cwd", house_.workspace()}}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("not enabled for this session"));
}

TEST_F(CodeGateTest, ACallCanLeaveToolsOut) {
  house_.put("a.txt", "content\n");
  const JsonObject details = house_.run_code(
      "from hermes_tools import *\nprint(read_file('a.txt')['content'], end='')\nprint(write_file('b', 'x'))",
      {{"tools", JsonArray{"read_file", "search_files"}}});
  EXPECT_THAT(text_or(details, "output"),
              AllOf(StartsWith("content\n"), HasSubstr("Tool 'write_file' is not available in execute_code. "
                                                       "Available: read_file, search_files")));
  EXPECT_EQ(integer_or(details, "tool_calls_made"), 1);
  EXPECT_FALSE(exists(house_.path("b")));
  EXPECT_THAT(text_or(house_.run_code("pass", {{"tools", JsonArray{"execute_code"}}}), "error"),
              HasSubstr("\"execute_code\""));
  EXPECT_THAT(text_or(house_.run_code("pass", {{"tools", JsonArray{}}}), "error"), HasSubstr("\"tools\" is empty"));
}

TEST_F(CodeGateTest, OtherToolsAreNotThere) {
  EXPECT_THAT(
      output(raw_channel() + R"py(
c = channel()
for n, tool in enumerate(['execute_code', 'exec', 'process', 'nonsense']):
    send(c, json.dumps({'id': n, 'tool': tool, 'args': {'command': 'touch ran', 'code': 'open("ran", "w")'}}).encode())
    print(receive(c)['error'])
)py"),
      AllOf(StartsWith("Tool 'execute_code' is not available in execute_code. Available: "),
            HasSubstr("Tool 'exec' is not"), HasSubstr("Tool 'process' is not"), HasSubstr("Tool 'nonsense' is")));
  EXPECT_FALSE(exists(house_.path("ran")));
  const JsonObject details = house_.run_code("from hermes_tools import execute_code");
  EXPECT_THAT(text_or(details, "error"), AllOf(StartsWith("ImportError"), HasSubstr("execute_code")));
}

// --- results ---

TEST_F(CodeGateTest, WhatAProgramPrintsOfTerminalHasNothingForMachines) {
  const std::string printed = output("print(terminal('echo hi'))\nprint(terminal('true', workdir='/no/such'))\n");
  EXPECT_THAT(printed, HasSubstr("'output': 'hi\\n'"));
  for (const char* word : {"'sandbox'", "tier", "cgroup"}) EXPECT_THAT(printed, Not(HasSubstr(word)));
}

TEST_F(CodeGateTest, AProgramThatRaisedIsAResultAndARefusalIsNot) {
  for (const char* source : {"raise ValueError('bad')", "import sys; sys.exit(3)", "1 +"}) {
    const JsonObject result = house_.call_code(source);
    EXPECT_FALSE(boolean_or(result, "isError")) << source;
    EXPECT_EQ(status_of(result), "error") << source;
    EXPECT_NE(text_or(details_of(result), "error"), "") << source;
  }
  EXPECT_TRUE(boolean_or(house_.call_code(""), "isError"));
}

TEST_F(CodeGateTest, ResultsHaveTheSameKeysEveryTime) {
  house_.put("a.txt", "one\ntwo\n");
  EXPECT_EQ(output(R"py(
def keys(r): return sorted(k for k in r if k != 'note')
print(keys(read_file('a.txt')))
print(keys(read_file('a.txt')) == keys(read_file('a.txt', offset=2)))
print(keys(write_file('b.txt', 'x\n')))
print(keys(write_file('b.txt', 'y\n')))
print(keys(terminal('true')), keys(terminal('false')) == keys(terminal('true')))
print(keys(search_files('one')) == keys(search_files('t')))
)py"),
            "['content', 'encoding', 'file_size', 'lines_returned', 'offset', 'path', 'total_lines', 'truncated']\n"
            "True\n['bytes_written', 'created', 'path', 'sha256']\n['bytes_written', 'created', 'path', 'sha256']\n"
            "['cwd', 'duration_seconds', 'exit_code', 'output', 'truncated'] True\nTrue\n");
}

TEST_F(CodeGateTest, ReadingTwiceGivesTheContentTwice) {
  house_.put("a.txt", "one\ntwo\n");
  EXPECT_EQ(output("a, b, c = (read_file('a.txt') for i in range(3))\nprint(a == b == c, repr(c['content']))"),
            "True 'one\\ntwo\\n'\n");
  EXPECT_EQ(output("print(repr(read_file('a.txt')['content']))"), "'one\\ntwo\\n'\n");
}

TEST_F(CodeGateTest, ManyMatchesAreStillAList) {
  for (const int count : {0, 1, 5, 60}) {
    std::string text = "straw\n";
    for (int i = 0; i < count; ++i) text += "needle " + std::to_string(i) + "\n";
    house_.put("hay.txt", text);
    EXPECT_EQ(output("r = search_files('needle', limit=100)\nprint(r['total_count'], len(r['matches']))\n"
                     "for m in r['matches'][:1]: print(m)"),
              std::to_string(count) + " " + std::to_string(count) + "\n" +
                  (count ? "{'path': 'hay.txt', 'line': 2, 'column': 1, 'content': 'needle 0'}\n" : ""));
  }
}

TEST_F(CodeGateTest, DataIsNotMaskedAndOutputIs) {
  const std::string secret = "s3cr3t-value-of-a-token";
  house_.environment()["SERVICE_TOKEN"] = secret;
  house_.configure("terminal.env_passthrough", "[SERVICE_TOKEN]");
  house_.put("settings.txt", "token = " + secret + "\n");
  const JsonObject details = house_.run_code(R"py(
import os
from hermes_tools import *
text = read_file('settings.txt')['content']
write_file('copy.txt', text)
print(text == open('settings.txt').read(), os.environ['SERVICE_TOKEN'] in text)
print(os.environ['SERVICE_TOKEN'])
)py");
  EXPECT_EQ(text_or(details, "output"), "True True\n[masked SERVICE_TOKEN]\n") << write_json(details);
  EXPECT_EQ(house_.get("copy.txt"), "token = " + secret + "\n");
  EXPECT_THAT(write_json(details), Not(HasSubstr(secret)));
  const JsonObject failed = house_.run_code("import os\nraise ValueError(os.environ['SERVICE_TOKEN'])");
  EXPECT_THAT(write_json(failed), AllOf(HasSubstr("ValueError: [masked SERVICE_TOKEN]"), Not(HasSubstr(secret))));
}

TEST_F(CodeGateTest, AFailedCallIsADictOrAnExceptionAsTheProgramWishes) {
  EXPECT_THAT(output("r = read_file('missing.txt')\nprint(type(r).__name__, 'error' in r)"), "dict True\n");
  EXPECT_THAT(output(R"py(
hermes_tools.strict = True
try: read_file('missing.txt')
except ToolError as error: print('no such file' in str(error), error.result['error'] == str(error))
)py"),
              "True True\n");
  const JsonObject details =
      house_.run_code("import hermes_tools\nhermes_tools.strict = True\nhermes_tools.read_file('missing.txt')");
  EXPECT_EQ(text_or(details, "status"), "error");
  EXPECT_THAT(text_or(details, "error"), HasSubstr("ToolError"));
  EXPECT_THAT(output("print(read_file(5))"), AllOf(HasSubstr("'error'"), HasSubstr("path")));
}

TEST_F(CodeGateTest, TheTerminalOfAProgramIsTheSessionsShell) {
  EXPECT_EQ(output(R"py(
terminal('mkdir -p sub; cd sub; export NAME=value')
print(terminal('pwd; echo $NAME')['output'], end='')
print(read_file('a.txt').get('error', '') != '', write_file('a.txt', 'here\n')['created'])
)py"),
            house_.workspace() + "/sub\nvalue\nTrue True\n");
  EXPECT_EQ(house_.get("sub/a.txt"), "here\n");
  EXPECT_EQ(text_or(details_of(house_.call("terminal", {{"command", "pwd"}})), "output"),
            house_.workspace() + "/sub\n");
}

TEST_F(CodeGateTest, TheTimeOfATerminalCallIsItsOwn) {
  EXPECT_EQ(output("r = terminal('echo begun; sleep 60', timeout=0.3)\n"
                   "print(r['output'], r['exit_code'], r['timed_out'], 'timed out' in r['error'])"),
            "begun\n 124 True True\n");
}

}  // namespace
}  // namespace talaria
