// The streams of a command in the sandbox, opened once more by their names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class SandboxStreamsTest : public testing::Test {
 protected:
  House house_;
};

TEST_F(SandboxStreamsTest, ACommandOpensItsOutputOnceMore) {
  EXPECT_EQ(text_of(house_.exec("echo one > /dev/stdout; echo two | tee /dev/stderr; echo three >> /proc/self/fd/2")),
            "one\ntwo\ntwo\nthree\n");
}

TEST_F(SandboxStreamsTest, SoDoesOneInTheBackgroundWithItsInput) {
  const JsonObject started = house_.exec("head -n 1 /dev/stdin > /dev/stdout", {{"background", true}});
  (void)house_.process("write", id_of(started), {{"data", "a line\n"}});
  const JsonObject ended = house_.process("wait", id_of(started), {{"timeout", 30}});
  EXPECT_THAT(text_of(ended) + text_of(house_.process("log", id_of(started))), HasSubstr("a line\n"));
}

TEST_F(SandboxStreamsTest, SoDoesOneThatIsGivenItsInput) {
  const Ran ran = house_.run({"sandbox", "run", "cat /dev/stdin > /dev/stdout"}, "typed\n");
  EXPECT_EQ(ran.out, "typed\n") << ran.err;
}

TEST_F(SandboxStreamsTest, SoDoesOneInATerminal) {
  EXPECT_THAT(text_of(house_.exec("echo seen > /dev/stdout; echo also > /dev/tty", {{"pty", true}})),
              testing::AllOf(HasSubstr("seen"), HasSubstr("also")));
}

TEST_F(SandboxStreamsTest, SoDoesAProgram) {
  const std::string program =
      "import subprocess\n"
      "open('/dev/stdout', 'w').write('out of it\\n')\n"
      "subprocess.run('echo below > /dev/stdout; echo wrong > /dev/stderr', shell=True)\n"
      "open('/dev/stderr', 'w').write('more wrong\\n')\n"
      "raise SystemExit(3)\n";
  const std::string text = write_json(house_.call("execute_code", {{"code", program}}));
  for (const char* words : {"out of it", "below", "wrong", "more wrong"}) EXPECT_THAT(text, HasSubstr(words));
}

}  // namespace
}  // namespace talaria
