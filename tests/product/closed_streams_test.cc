// Our programs, started without a stdin, stdout or stderr: what a command prints must not end up in a socket of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/file.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

class ClosedStreamsTest : public testing::Test {
 protected:
  // `streams` as a shell closes them: ">&-", "2>&- <&-".
  Running start(const std::string& streams, const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-c", "exec \"$0\" \"$@\" " + streams, program_path(program)});
    return house_.start_program("/bin/bash", std::move(arguments));
  }
  Ran run(const std::string& streams, std::vector<std::string> arguments) {
    Running running = start(streams, "talaria", std::move(arguments));
    running.close_input();
    return running.finish();
  }

  // What a person may ask the gateway for and a program in the sandbox may not.
  std::string request() const {
    const JsonObject arguments{{"command", "touch " + house_.path("escaped")}, {"host", "gateway"}};
    const JsonObject params{
        {"arguments", arguments}, {"client", "cli"}, {"session", JsonObject{{"cwd", house_.workspace()}}}};
    return write_json(JsonObject{{"jsonrpc", "2.0"}, {"id", 77}, {"method", "jobs/start"}, {"params", params}});
  }
  void expect_no_escape(const std::string& streams) {
    for (const JsonObject& job : house_.jobs()) {
      EXPECT_THAT(text_or(job, "command"), testing::Not(testing::StartsWith("touch"))) << streams;
    }
    EXPECT_FALSE(exists(house_.path("escaped"))) << streams;
  }

  CodeHouse house_;
};

const std::vector<std::string> every_way = {">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-"};

TEST_F(ClosedStreamsTest, WhatAProgramPrintsIsNoRequestToTheGateway) {
  house_.run_code("pass");  // so that a gateway is there
  const std::string request_text = "'''" + request() + "'''";
  const std::string program = "import sys\nfrom hermes_tools import progress, terminal\nprint(" + request_text +
                              ", flush=True)\nprogress(" + request_text + ")\nterminal('true')\nprint(" + request_text +
                              ", file=sys.stderr)\nsys.exit(3)";
  for (const std::string& streams : every_way) {
    EXPECT_EQ(run(streams, {"code", "-c", program}).code, 3) << streams;
    expect_no_escape(streams);
  }
}

TEST_F(ClosedStreamsTest, WhatACommandPrintsIsNoRequestToTheGateway) {
  house_.run_code("pass");
  const std::string quoted = shell_quote(request());
  for (const std::string& streams : every_way) {
    const Ran ran = run(streams, {"exec", "cat; echo " + quoted + "; echo " + quoted + " >&2; exit 3"});
    EXPECT_EQ(ran.code, 3) << streams << ran.err;
    expect_no_escape(streams);
  }
}

TEST_F(ClosedStreamsTest, AClosedStdinIsAnEmptyOne) {
  const Ran ran = run("<&-", {"exec", "cat; echo over"});
  EXPECT_EQ(ran.out, "over\n");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(run("<&-", {"exec", "cat"}).code, 0);
}

TEST_F(ClosedStreamsTest, AGatewayKeepsItsFilesFromWhatItPrints) {
  Running gateway = start("2>&-", "talaria-gateway", {});
  await("the gateway to answer", [&] { return house_.run({"serve", "--status"}).code == 0; });
  EXPECT_EQ(text_or(house_.run_code("print('fine')"), "output"), "fine\n");
  EXPECT_EQ(*read_file(house_.home().gateway_lock()), std::to_string(house_.gateway_pid()) + "\n");
  EXPECT_EQ(house_.run({"serve", "--stop"}).code, 0);
  EXPECT_EQ(gateway.finish().code, 0);
}

}  // namespace
}  // namespace talaria
