// read_file, write_file, search_files and patch, as an agent and a person meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "base/text.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FileToolsTest : public testing::Test {
 protected:
  std::string path(const std::string& name) { return house_.workspace() + "/" + name; }
  void put(const std::string& name, const std::string& content) {
    ASSERT_TRUE(make_directories(path(name).substr(0, path(name).rfind('/')), 0755));
    ASSERT_TRUE(write_file_atomically(path(name), content, 0644, Durable::no));
  }
  std::string get(const std::string& name) {
    const Result<std::string> text = read_file(path(name));
    return text ? *text : "(" + text.error().message() + ")";
  }
  JsonObject read(const std::string& name, JsonObject more = {}) {
    more["path"] = name;
    return house_.call("read_file", std::move(more));
  }
  // As a program calls it: only the details.
  JsonObject by_program(const std::string& tool, JsonObject arguments) {
    RpcClient client = house_.connect();
    const Result<JsonObject> result =
        client.call_object("tools/call", {{"name", tool},
                                          {"arguments", std::move(arguments)},
                                          {"client", "cli"},
                                          {"session", JsonObject{{"cwd", house_.workspace()}}},
                                          {"audience", "program"}});
    EXPECT_TRUE(result) << result.error().message();
    if (!result) return {};
    EXPECT_EQ(text_of(*result), "");
    return details_of(*result);
  }
  static std::vector<std::string> texts(const JsonObject& details, std::string_view name) {
    std::vector<std::string> all;
    for (const Json& text : details.at(name).as_array()) all.emplace_back(text.as_string());
    return all;
  }

  House house_;
};

// --- paths ---

TEST_F(FileToolsTest, AnErrorSaysWhereARelativePathWasLookedFor) {
  const std::string here = " (looked for in " + house_.workspace() + ")";
  put("file", "x\n");
  EXPECT_EQ(text_of(read("sub/none")), "read sub/none: no such file" + here);
  EXPECT_EQ(text_of(read("file/none")), "read file/none: Not a directory" + here);
  EXPECT_EQ(text_of(read(path("none"))), "read " + path("none") + ": no such file");
  const auto said = [&](const std::string& tool, JsonObject arguments) {
    return text_of(house_.call(tool, std::move(arguments)));
  };
  EXPECT_EQ(said("write_file", {{"path", "file/none"}, {"content", ""}}), "write file/none: Not a directory" + here);
  EXPECT_EQ(said("search_files", {{"pattern", "x"}, {"path", "none"}}),
            "search in none: No such file or directory" + here);
  EXPECT_EQ(said("patch", {{"path", "none"}, {"old_string", "a"}, {"new_string", "b"}}),
            "patch none: no such file" + here);
  EXPECT_THAT(said("patch",
                   {{"mode", "patch"}, {"patch", "*** Begin Patch\n*** Update File: none\n@@\n-a\n+b\n*** End Patch"}}),
              HasSubstr("there is no such file" + here));
  // cd of the terminal moves where relative paths begin.
  house_.call("terminal", {{"command", "mkdir -p sub && cd sub"}});
  EXPECT_EQ(text_of(read("none")), "read none: no such file (looked for in " + path("sub") + ")");
}

// --- reading ---

TEST_F(FileToolsTest, AnAgentReadsNumberedLinesAndAProgramTheText) {
  put("a.txt", "one\ntwo\nthree\n");
  const JsonObject result = read("a.txt", {{"limit", 2}});
  EXPECT_EQ(text_of(result), "1|one\n2|two\n(lines 1 to 2 of 3; go on with offset=3)\n");
  EXPECT_EQ(integer_or(details_of(result), "next_offset"), 3);
  JsonObject plain = by_program("read_file", {{"path", "a.txt"}, {"offset", 2}});
  plain.erase("agentSession");
  EXPECT_EQ(plain, (JsonObject{{"path", "a.txt"},
                               {"total_lines", 3},
                               {"file_size", 14},
                               {"offset", 2},
                               {"lines_returned", 2},
                               {"truncated", false},
                               {"encoding", "utf-8"},
                               {"content", "two\nthree\n"}}));
}

TEST_F(FileToolsTest, SeesTheSameFilesAsACommandOfTheSession) {
  ASSERT_EQ(text_of(house_.exec("echo private > /tmp/x; pwd > here")), "(no output)");
  EXPECT_EQ(text_of(read("/tmp/x")), "1|private");
  EXPECT_EQ(text_of(read(path("here"))), "1|" + house_.workspace());
  house_.call("write_file", {{"path", "/tmp/y"}, {"content", "from the tool\n"}});
  EXPECT_EQ(text_of(house_.exec("cat /tmp/y")), "from the tool\n");
  EXPECT_FALSE(exists("/tmp/y"));
}

TEST_F(FileToolsTest, DoesNotShowWhatTheSandboxHides) {
  const std::string secret = house_.environment()["HOME"] + "/notes.txt";
  ASSERT_TRUE(write_file_atomically(secret, "mine\n", 0600, Durable::no));
  const JsonObject result = read(secret);
  EXPECT_TRUE(boolean_or(result, "isError"));
  EXPECT_THAT(text_of(result), Not(HasSubstr("mine")));
}

TEST_F(FileToolsTest, RefusesCredentialsUnlessTheOwnerAllowsThem) {
  put(".env", "KEY=1\n");
  ASSERT_EQ(::symlink(".env", path("innocent.txt").c_str()), 0);
  for (const char* name : {".env", "./.env", "innocent.txt", "../workspace/.env"}) {
    const JsonObject result = read(name);
    EXPECT_TRUE(boolean_or(result, "isError")) << name;
    EXPECT_THAT(text_of(result), Not(HasSubstr("KEY"))) << name;
  }
  EXPECT_THAT(text_of(read(".env")), HasSubstr("files.read.allow"));
  EXPECT_THAT(text_of(house_.call("search_files", {{"pattern", "KEY"}, {"path", "innocent.txt"}})),
              Not(HasSubstr("=1")));
  EXPECT_THAT(text_of(house_.call("patch", {{"path", ".env"}, {"old_string", "1"}, {"new_string", "2"}})),
              HasSubstr("credential"));
  ASSERT_EQ(house_.run({"config", "set", "files.read.allow", "[.env]"}).code, 0);
  EXPECT_EQ(text_of(read("innocent.txt")), "1|KEY=1");
}

TEST_F(FileToolsTest, FollowsTheOwnersRules) {
  put("src/a.lock", "x\n");
  put("src/b.c", "x\n");
  ASSERT_EQ(house_.run({"config", "set", "files.write.deny", "['*.lock']"}).code, 0);
  ASSERT_EQ(house_.run({"config", "set", "files.read.ask", "['b.c']"}).code, 0);
  EXPECT_THAT(text_of(house_.call("write_file", {{"path", "src/a.lock"}, {"content", "y"}})),
              HasSubstr("files.write.deny: *.lock"));
  EXPECT_EQ(get("src/a.lock"), "x\n");
  EXPECT_THAT(text_of(read("src/b.c")), HasSubstr("cannot ask"));
}

TEST_F(FileToolsTest, NamesWhatIsNearAMissingFile) {
  put("src/main.cc", "x\n");
  const JsonObject result = read("src/mian.cc");
  EXPECT_TRUE(boolean_or(result, "isError"));
  EXPECT_THAT(texts(details_of(result), "similar_files"), ElementsAre("src/main.cc"));
  EXPECT_THAT(text_of(result), HasSubstr("Similar files: src/main.cc"));
}

TEST_F(FileToolsTest, ReadsTheOutputOfItsOwnJobsOnly) {
  const JsonObject big = house_.exec("seq 100000");
  const std::string file = text_or(details_of(big), "outputFile");
  ASSERT_FALSE(file.empty());
  EXPECT_EQ(text_of(read(file, {{"offset", 99999}})), "99999|99999\n100000|100000");
  RpcClient client = house_.connect();
  const Result<JsonObject> other =
      client.call_object("tools/call", {{"name", "read_file"},
                                        {"arguments", JsonObject{{"path", file}}},
                                        {"client", "cli"},
                                        {"session", JsonObject{{"cwd", house_.workspace()}, {"name", "other"}}}});
  ASSERT_TRUE(other);
  EXPECT_TRUE(boolean_or(*other, "isError"));
  EXPECT_TRUE(boolean_or(read(house_.root() + "/talaria.db"), "isError"));
}

TEST_F(FileToolsTest, WorksOnThePlainHostWhereTheOwnerSaysSo) {
  ASSERT_EQ(house_.run({"config", "set", "exec.host", "gateway"}).code, 0);
  const std::string note = house_.environment()["HOME"] + "/notes.txt";
  ASSERT_TRUE(write_file_atomically(note, "mine\n", 0600, Durable::no));
  EXPECT_EQ(text_of(read("~/notes.txt")), "1|mine");
  EXPECT_THAT(text_of(read("~/.ssh/id_rsa")), AnyOf(HasSubstr("credential"), HasSubstr("no such file")));
  EXPECT_THAT(text_of(house_.call("write_file", {{"path", "/etc/talaria-test"}, {"content", "x"}})),
              HasSubstr("belongs to the system"));
}

// --- writing ---

TEST_F(FileToolsTest, WritesWholeFilesAndMakesTheirDirectories) {
  const JsonObject result = house_.call("write_file", {{"path", "a/b/c.txt"}, {"content", "héllo\n"}});
  EXPECT_EQ(text_of(result), "Created a/b/c.txt (7 bytes).");
  EXPECT_EQ(get("a/b/c.txt"), "héllo\n");
  EXPECT_TRUE(boolean_or(details_of(result), "created"));
  EXPECT_EQ(text_or(details_of(result), "sha256").size(), 64U);
}

TEST_F(FileToolsTest, RefusesToOverwriteWhatChangedSinceItWasRead) {
  put("a.txt", "old\n");
  read("a.txt");
  put("a.txt", "changed behind the agent's back\n");
  JsonObject result = house_.call("write_file", {{"path", "a.txt"}, {"content", "new\n"}});
  EXPECT_TRUE(boolean_or(details_of(result), "stale"));
  EXPECT_THAT(text_of(result), HasSubstr("changed since it was read"));
  EXPECT_EQ(get("a.txt"), "changed behind the agent's back\n");
  result = house_.call("write_file", {{"path", "a.txt"}, {"content", "new\n"}, {"force", true}});
  EXPECT_EQ(get("a.txt"), "new\n");
  house_.call("write_file", {{"path", "a.txt"}, {"content", "newer\n"}});  // its own write is no surprise
  EXPECT_EQ(get("a.txt"), "newer\n");
}

TEST_F(FileToolsTest, KeepsTheProtectedFilesOfTheWorkspace) {
  put(".git/config", "[core]\n");
  const JsonObject result = house_.call("write_file", {{"path", ".git/config"}, {"content", "[evil]\n"}});
  EXPECT_TRUE(boolean_or(result, "isError"));
  EXPECT_EQ(get(".git/config"), "[core]\n");
}

TEST_F(FileToolsTest, FiftyWritersAtOnceLeaveOneOfTheirFiles) {
  std::vector<RpcClient> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(house_.connect());
  for (size_t i = 0; i < clients.size(); ++i) {
    const std::string content(100'000, static_cast<char>('A' + i));
    ASSERT_TRUE(clients[i].send("tools/call", {{"name", "write_file"},
                                               {"arguments", JsonObject{{"path", "shared"}, {"content", content}}},
                                               {"client", "cli"},
                                               {"session", JsonObject{{"cwd", house_.workspace()}}}}));
  }
  for (RpcClient& client : clients) ASSERT_TRUE(client.wait());
  const std::string content = get("shared");
  EXPECT_EQ(content, std::string(100'000, content[0]));
  EXPECT_THAT(*list_directory(house_.workspace()), ElementsAre("shared"));
}

TEST_F(FileToolsTest, AGatewayKilledWhileItWritesLeavesTheOldFileOrTheNew) {
  const std::string old_text(3 << 20, 'o'), new_text(3 << 20, 'n');
  for (int round = 0; round < 5; ++round) {
    put("a", old_text);
    RpcClient client = house_.connect();
    ASSERT_TRUE(client.send("tools/call", {{"name", "write_file"},
                                           {"arguments", JsonObject{{"path", "a"}, {"content", new_text}}},
                                           {"client", "cli"},
                                           {"session", JsonObject{{"cwd", house_.workspace()}}}}));
    std::this_thread::yield();
    house_.kill_gateway();
    EXPECT_THAT(get("a"), AnyOf(old_text, new_text));
  }
}

// --- searching ---

TEST_F(FileToolsTest, AnswersInOneShapeWhateverTheNumberOfMatches) {
  for (const int count : {0, 1, 4, 5, 500}) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "needle " + std::to_string(i) + "\n";
    put("hay/stack.txt", text + "straw\n");
    const JsonObject found = by_program("search_files", {{"pattern", "needle"}, {"path", "hay"}, {"limit", 20}});
    EXPECT_EQ(integer_or(found, "total_count", -1), count);
    EXPECT_EQ(found.at("matches").as_array().size(), static_cast<size_t>(std::min(count, 20)));
    EXPECT_EQ(found.at("truncated").as_bool(), count > 20);
    if (count == 0) continue;
    EXPECT_EQ(found.at("matches").as_array()[0],
              Json(JsonObject{{"path", "hay/stack.txt"}, {"line", 1}, {"column", 1}, {"content", "needle 0"}}));
  }
}

TEST_F(FileToolsTest, SearchesAsRipgrepDoes) {
  for (int i = 0; i < 40; ++i) {
    put("tree/d" + std::to_string(i % 7) + "/f" + std::to_string(i) + (i % 3 ? ".py" : ".txt"),
        "import os\nx = " + std::to_string(i) + "\nprint(os)\n");
  }
  const Running rg = house_.start_program("/usr/bin/rg", {"--sort=path", "-n", "--no-heading", "os|x = 1", "tree"});
  std::string expected = const_cast<Running&>(rg).finish().out;
  const Ran ours = house_.run({"grep", "os|x = 1", "tree"});
  std::vector<std::string> want = split(expected, '\n'), got = split(ours.out, '\n');
  std::sort(want.begin(), want.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, want);
  EXPECT_THAT(split(house_.run({"grep", "--files", "d3/*.py", "tree"}).out, '\n'),
              testing::Each(AnyOf("", StartsWith("tree/d3/"))));
}

TEST_F(FileToolsTest, SaysWhereARegularExpressionIsWrong) {
  const JsonObject result = house_.call("search_files", {{"pattern", "a(b"}});
  EXPECT_TRUE(boolean_or(result, "isError"));
  EXPECT_THAT(text_of(result), HasSubstr("unclosed group"));
}

TEST_F(FileToolsTest, FindsNothingAndSaysWhatWouldBeFound) {
  put("a.txt", "Needle\n");
  const JsonObject result = house_.call("search_files", {{"pattern", "needle"}});
  EXPECT_FALSE(boolean_or(result, "isError"));
  EXPECT_EQ(integer_or(details_of(result), "total_count", -1), 0);
  EXPECT_THAT(text_of(result), HasSubstr("case"));
}

TEST_F(FileToolsTest, ComesToAnEndWithAHundredThousandMatches) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "match " + std::to_string(i) + "\n";
  put("many.txt", text);
  const JsonObject found = by_program("search_files", {{"pattern", "match"}, {"limit", 3}, {"offset", 99'998}});
  EXPECT_EQ(integer_or(found, "total_count"), 100'000);
  EXPECT_EQ(found.at("matches").as_array().size(), 2U);
  EXPECT_FALSE(boolean_or(found, "truncated"));
}

// --- patching ---

TEST_F(FileToolsTest, ChangesAPassageAndShowsTheDifferenceToAgentsOnly) {
  put("a.py", "def f():\n    return old_api_call(1)\n");
  const JsonObject change{
      {"path", "a.py"}, {"old_string", "old_api_call("}, {"new_string", "new_api_call("}, {"replace_all", true}};
  const JsonObject told = house_.call("patch", change);
  EXPECT_THAT(text_of(told), AllOf(HasSubstr("-    return old_api_call(1)"), HasSubstr("+    return new_api_call(1)")));
  put("a.py", "def f():\n    return old_api_call(1)\n");
  const JsonObject plain = by_program("patch", change);
  EXPECT_THAT(write_json(plain), Not(HasSubstr("error")));
  EXPECT_TRUE(boolean_or(plain, "success"));
  EXPECT_EQ(text_or(plain, "strategy"), "exact");
  EXPECT_EQ(integer_or(plain, "replacements"), 1);
  EXPECT_THAT(texts(plain, "files_modified"), ElementsAre("a.py"));
  const JsonObject again = by_program("patch", change);
  EXPECT_TRUE(boolean_or(again, "no_change")) << write_json(again);
}

TEST_F(FileToolsTest, AppliesAPatchWholeOrNotAtAll) {
  put("a.txt", "one\ntwo\n");
  put("b.txt", "three\n");
  const std::string bad =
      "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n two\n*** Update File: b.txt\n@@\n-four\n+FOUR\n*** "
      "End "
      "Patch\n";
  const Ran refused = house_.run({"patch"}, bad);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("b.txt"));
  EXPECT_EQ(get("a.txt"), "one\ntwo\n");
  const std::string good =
      "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n two\n*** Add File: c.txt\n+new\n*** Delete File: "
      "b.txt\n*** End Patch\n";
  const Ran done = house_.run({"patch"}, good);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(get("a.txt"), "ONE\ntwo\n");
  EXPECT_EQ(get("c.txt"), "new\n");
  EXPECT_FALSE(exists(path("b.txt")));
}

TEST_F(FileToolsTest, LosesNoneOfManyPatchesOfOneFile) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "value" + std::to_string(i) + "=old;\n";
  put("a.txt", text);
  std::vector<RpcClient> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(house_.connect());
  for (size_t i = 0; i < clients.size(); ++i) {
    const std::string name = "value" + std::to_string(i);
    ASSERT_TRUE(clients[i].send(
        "tools/call",
        {{"name", "patch"},
         {"arguments", JsonObject{{"path", "a.txt"}, {"old_string", name + "=old;"}, {"new_string", name + "=new;"}}},
         {"client", "cli"},
         {"session", JsonObject{{"cwd", house_.workspace()}}}}));
  }
  for (RpcClient& client : clients) ASSERT_TRUE(client.wait());
  EXPECT_THAT(get("a.txt"), Not(HasSubstr("old")));
}

// --- what may go wrong around it ---

TEST_F(FileToolsTest, GoesOnWhenTheFileServerOrTheKeeperWasKilled) {
  put("a.txt", "x\n");
  EXPECT_EQ(text_of(read("a.txt")), "1|x");
  house_.kill_keeper();
  EXPECT_EQ(text_of(read("a.txt")), "1|x");
  house_.kill_gateway();
  EXPECT_EQ(text_of(read("a.txt")), "1|x");
}

TEST_F(FileToolsTest, NamesTheParameterThatIsWrong) {
  EXPECT_EQ(text_of(house_.call("read_file", {{"path", 5}})),
            "read_file parameter \"path\" must be a string, got a number");
  EXPECT_THAT(text_of(house_.call("patch", {{"path", "a"}, {"old_string", "x"}})),
              HasSubstr("\"new_string\" is missing"));
  EXPECT_THAT(text_of(house_.call("patch", {{"mode", "patch"}})), HasSubstr("\"patch\" is missing"));
  EXPECT_THAT(text_of(house_.call("search_files", {{"pattern", "x"}, {"limit", 0}})), HasSubstr("\"limit\""));
  EXPECT_THAT(text_of(house_.call("write_file", {{"path", std::string("a\0b", 3)}, {"content", "x"}})), HasSubstr("a"));
}

TEST_F(FileToolsTest, ThePersonReadsAndSearchesFromTheCommandLine) {
  put("src/a.txt", "one\ntwo\n");
  EXPECT_EQ(house_.run({"read", "src/a.txt"}).out, "one\ntwo\n");
  EXPECT_EQ(house_.run({"read", "-n", "--offset", "2", "src/a.txt"}).out, "2|two\n");
  const Ran missing = house_.run({"read", "src/b.txt"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("no such file"), HasSubstr("src/a.txt")));
  EXPECT_EQ(house_.run({"grep", "tw", "src"}).out, "src/a.txt:2:two\n");
  EXPECT_EQ(house_.run({"grep", "nothing", "src"}).code, 1);
  EXPECT_EQ(house_.run({"grep", "(", "src"}).code, 2);
  // Where a command of the session went does not matter to a person, who is here.
  house_.call("terminal", {{"command", "cd src"}});
  EXPECT_EQ(house_.run({"read", "src/a.txt"}).out, "one\ntwo\n");
  EXPECT_EQ(text_of(read("a.txt")), "1|one\n2|two");
}

}  // namespace
}  // namespace talaria
