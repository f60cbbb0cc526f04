// Bytes that are no text, and numbers that are none: carried where the protocol can, refused by name elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "os/file.h"
#include "os/socket.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliTextTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(house_.workspace() + "/" + name, text, 0644, Durable::no));
  }

  PlainHouse house_;
};

TEST_F(CliTextTest, AnArgumentThatIsNoUtf8IsNamed) {
  const std::vector<std::vector<std::string>> commands = {
      {"exec", "echo \xff"},
      {"exec", "-e", "X=\xff", "true"},
      {"exec", "-w", "d\xe9", "true"},
      {"read", "caf\xe9.txt"},
      {"grep", "\xff"},
      {"patch", "a", "--old", "\xff", "--new", "b"},
      {"log", "\xff"},
      {"kill", "\xff"},
      {"skills", "view", "\xff"},
      {"skills", "check", "\xff"},
      {"config", "get", "\xff"},
      {"tool", "exec", "{\"command\":\"\xff\"}"},
      {"fetch", "http://a/\xff"},
      {"code", "-c", "print('\xff')"},
      {"keys", "x", "--literal", "\xff"},
  };
  for (const std::vector<std::string>& words : commands) {
    const Ran ran = house_.run(words);
    EXPECT_NE(ran.code, 0) << words[0];
    EXPECT_THAT(ran.err, AllOf(HasSubstr("argument "), HasSubstr(" is not valid UTF-8 (byte "), Not(HasSubstr("JSON"))))
        << words[0];
    EXPECT_TRUE(is_utf8(ran.err)) << words[0];
  }
  EXPECT_THAT(house_.run({"exec", "true", "a\xe9z"}).err,
              HasSubstr("exec: argument 2 is not valid UTF-8 (byte 2): a\\xe9z. Talaria takes text only. Write "));
}

TEST_F(CliTextTest, WhatIsWrittenToAJobIsCarriedByteForByte) {
  const std::string id = id_of(house_.exec("head -c 3 | od -An -tx1", {{"background", true}}));
  EXPECT_EQ(house_.run({"write", id, "--no-newline", "\xff\x80z"}).code, 0);
  EXPECT_EQ(house_.run({"wait", id}).code, 0);
  EXPECT_THAT(house_.run({"log", id}).out, HasSubstr("ff 80 7a"));
}

TEST_F(CliTextTest, ADirectoryWhoseNameIsNoTextIsNamed) {
  const std::string directory = house_.workspace() + "/d\xff";
  ASSERT_TRUE(make_directories(directory));
  const Ran ran =
      house_.start_program("/bin/sh", {"-c", "cd d* && exec \"$0\" exec true", program_path("talaria")}).finish();
  EXPECT_EQ(ran.code, 125);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("the current directory has a name that is not valid UTF-8"), HasSubstr("/d\\xff")));
}

TEST_F(CliTextTest, AHomeWhoseNameIsNoTextIsNamed) {
  const std::string home = house_.environment()["TALARIA_HOME"];
  house_.environment()["TALARIA_HOME"] = home + "\xff";
  const Ran ran = house_.run({"exec", "true"});
  house_.environment()["TALARIA_HOME"] = home;
  EXPECT_EQ(ran.code, 125);
  EXPECT_THAT(ran.err, HasSubstr("home has a name that is not valid UTF-8"));
  EXPECT_FALSE(exists(home + "\xff"));
}

TEST_F(CliTextTest, NamesOfFilesThatAreNoTextAreShownAsText) {
  put("na\xefme.txt", "needle\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"grep", "needle"}, {"grep", "needle", "--json"}, {"read", "name.txt"}, {"read", "name.txt", "--json"}}) {
    const Ran ran = house_.run(words);
    EXPECT_THAT(ran.out + ran.err, HasSubstr("na\xef\xbf\xbdme.txt")) << words[0];
  }
}

TEST_F(CliTextTest, AVariableThatIsNoTextReachesACommand) {
  house_.environment()["ODD_VARIABLE"] = "a\xff";
  EXPECT_THAT(house_.run({"exec", "--host", "gateway", "printf %s \"$ODD_VARIABLE\" | od -An -tx1"}).out,
              HasSubstr("61 ff"));
}

TEST_F(CliTextTest, ANumberOfSecondsIsOne) {
  for (const char* number : {"nan", "NAN", "-nan", "inf", "-inf", "infinity", "1e400", "0x10", "-5", "", "1s"}) {
    const std::string timeout = std::string("--timeout=") + number;
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"exec", timeout, "true"},
                                               {"poll", timeout, "x"},
                                               {"wait", timeout, "x"},
                                               {"code", timeout, "-c", "1"},
                                               {"sandbox", "run", timeout, "true"}}) {
      const Ran ran = house_.run(words);
      EXPECT_NE(ran.code, 0) << words[0] << number;
      EXPECT_THAT(ran.err, AllOf(HasSubstr("--timeout"), Not(HasSubstr("JSON")))) << words[0] << number;
    }
  }
  EXPECT_EQ(house_.run({"exec", "--timeout", "-0", "true"}).code, 0);
  EXPECT_EQ(house_.run({"exec", "--timeout", "1e2", "true"}).code, 0);
  EXPECT_THAT(house_.run({"read", "-o", "0x10", "a"}).err, HasSubstr("--offset must be a whole number, got \"0x10\""));
}

TEST_F(CliTextTest, ARequestThatIsNoUtf8IsAnsweredUnderItsOwnNumber) {
  (void)house_.connect();
  const UniqueFd socket = *connect_unix(house_.home().gateway_socket());
  ASSERT_TRUE(write_all(socket.get(),
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{\"a\":\"\xff\"}}\n"));
  std::string answer;
  char byte = 0;
  while (!answer.ends_with('\n') && ::read(socket.get(), &byte, 1) == 1) answer += byte;
  EXPECT_THAT(answer, AllOf(HasSubstr("\"id\":7"), HasSubstr("not valid UTF-8 at byte 62 of the message")));
}

}  // namespace
}  // namespace talaria
