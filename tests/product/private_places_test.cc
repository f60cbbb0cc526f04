// Nothing vanishes silently: what is written to a place that goes with the sandbox is said.
#include <gmock/gmock.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class PrivatePlacesTest : public testing::Test {
 protected:
  std::string home() { return house_.environment().at("HOME"); }
  std::string written(const std::string& path) {
    return text_of(house_.call("write_file", {{"path", path}, {"content", "x\n"}}));
  }

  House house_;
};

TEST_F(PrivatePlacesTest, FileToolsSayWhereAFileWent) {
  const std::string note =
      " is in the sandbox's private home, not in the person's, and goes with the session; what should "
      "stay belongs in the workspace)\n";
  EXPECT_THAT(written("~/report.md"), EndsWith("(~/report.md" + note));
  EXPECT_FALSE(exists(home() + "/report.md"));
  EXPECT_THAT(written("/tmp/x.txt"), HasSubstr("is in the sandbox's private /tmp and goes with the session"));
  EXPECT_THAT(written("notes.md"), Not(HasSubstr("private")));
  EXPECT_TRUE(exists(house_.workspace() + "/notes.md"));
  const JsonObject patched = house_.call("patch", {{"path", "~/report.md"}, {"old_string", "x"}, {"new_string", "y"}});
  EXPECT_THAT(text_of(patched), HasSubstr("(~/report.md" + note));
  const JsonObject made = house_.call(
      "patch", {{"mode", "patch"}, {"patch", "*** Begin Patch\n*** Add File: /tmp/second.md\n+x\n*** End Patch\n"}});
  EXPECT_THAT(text_of(made), HasSubstr("(/tmp/second.md is in the sandbox's private /tmp"));
}

TEST_F(PrivatePlacesTest, ACommandSaysWhichFilesItMadeThere) {
  const JsonObject made = house_.exec("echo a > ~/r.txt; echo b > ~/.cache-file; echo c > /tmp/out.txt; mkdir ~/tool");
  std::vector<std::string> files = {home() + "/r.txt", "/tmp/out.txt"};
  std::ranges::sort(files);
  EXPECT_THAT(text_of(made),
              AllOf(HasSubstr("(Made in the sandbox's private home or /tmp, which go with the session: " + files[0] +
                              ", " + files[1] + ". What should stay belongs in the workspace.)"),
                    Not(HasSubstr("cache-file"))));
  EXPECT_EQ(details_of(made).at("private_files"), (JsonArray{files[0], files[1]}));
  EXPECT_EQ(text_of(house_.exec("cat ~/r.txt; echo d > /tmp/more.txt")), "a\n");  // both are known by now
  EXPECT_THAT(text_of(house_.call("terminal", {{"command", "echo e > ~/e.txt"}})), HasSubstr("/e.txt"));
  const JsonObject run = house_.call("execute_code", {{"code", "open('" + home() + "/f.txt', 'w').write('x')"}});
  EXPECT_THAT(text_of(run), HasSubstr("/f.txt"));
}

TEST_F(PrivatePlacesTest, WhatAFileToolWroteIsNotTheCommandsDoing) {
  (void)written("~/report.md");
  EXPECT_EQ(text_of(house_.exec("echo hi")), "hi\n");
}

TEST_F(PrivatePlacesTest, APersonIsToldToo) {
  const Ran ran = house_.run({"exec", "echo x > ~/r.txt"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err,
              HasSubstr("made in the sandbox's private home or /tmp, which go with the session: " + home() + "/r.txt"));
}

TEST_F(PrivatePlacesTest, AWorkspaceThatIsTheHomeIsSaidWithEveryResult) {
  RpcClient client = house_.connect();
  for (int round = 0; round < 2; ++round) {
    const Result<JsonObject> result = client.call_object(
        "tools/call",
        {{"name", "exec"}, {"arguments", JsonObject{{"command", "pwd"}}}, {"session", JsonObject{{"cwd", home()}}}});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_THAT(text_of(*result), HasSubstr("is or holds a home directory, which stays hidden"));
    EXPECT_EQ(text_or(details_of(*result).at("workspace").as_object(), "reason"), "hidden");
  }
  const Result<JsonObject> file =
      client.call_object("tools/call", {{"name", "write_file"},
                                        {"arguments", JsonObject{{"path", "r.md"}, {"content", "x"}}},
                                        {"session", JsonObject{{"cwd", home()}}}});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_THAT(text_of(*file), AllOf(HasSubstr("(r.md is in the sandbox's private home"),
                                    HasSubstr("start the session in a project directory")));
}

}  // namespace
}  // namespace talaria
