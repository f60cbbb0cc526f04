// Names of files that would break a line, move a cursor or turn the direction of writing reach neither a model nor a
// terminal as they are. In JSON they are data, and true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unseen.h"
#include "base/utf8.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> nasty_names = {
    "new\nline", "esc\x1b[2Jape", "tab\tbed", "bidi\xe2\x80\xaetxt.exe", "zero\xe2\x80\x8bwidth", "c1\xc2\x9bm", "-rf",
};
const std::string no_text = "invalid\xff\xfe";

// Only what we write ourselves may break a line. Content of files is not looked at: it is harmless here.
MATCHER(IsHarmless, "holds nothing that a terminal obeys, or that hides") {
  for (std::string_view rest = arg; !rest.empty();) {
    const Utf8Step step = decode_utf8(rest);
    if (step.kind != Utf8Step::Kind::character || is_terminal_control(step.character) || is_unseen(step.character)) {
      *result_listener << "at " << arg.size() - rest.size() << ": " << shown_line(rest.substr(0, 30));
      return false;
    }
    rest.remove_prefix(step.length);
  }
  // The names that would have broken their line.
  return arg.find("new\nline") == std::string::npos && arg.find("tab\tbed") == std::string::npos;
}

class NastyNamesTest : public testing::Test {
 protected:
  NastyNamesTest() {
    for (const std::string& name : all_names()) {
      const std::string folder = path(name + ".d");
      EXPECT_EQ(::mkdir(folder.c_str(), 0755), 0);
      EXPECT_TRUE(write_file_atomically(path(name), "needle\n", 0644, Durable::no));
      EXPECT_TRUE(write_file_atomically(folder + "/inner", "needle\n", 0644, Durable::no));
    }
  }
  static std::vector<std::string> all_names() {
    std::vector<std::string> names = nasty_names;
    names.push_back(no_text);
    return names;
  }
  std::string path(const std::string& name) { return house_.workspace() + "/" + name; }
  // The text that a model reads, of a call that may fail.
  void expect_harmless(const std::string& tool, const JsonObject& arguments, const std::string& mentions = {}) {
    const std::string text = text_of(house_.call(tool, arguments));
    EXPECT_THAT(text, AllOf(IsHarmless(), HasSubstr(mentions))) << tool << " " << write_json(arguments);
  }
  void expect_harmless(const Ran& ran, const std::string& what) {
    EXPECT_THAT(ran.out, IsHarmless()) << what;
    EXPECT_THAT(ran.err, IsHarmless()) << what;
  }

  House house_;
};

TEST_F(NastyNamesTest, ReadingAndWriting) {
  for (const std::string& name : nasty_names) {
    const std::string shown = shown_line(name);
    expect_harmless("read_file", {{"path", name}}, "needle");
    expect_harmless("read_file", {{"path", name + "x"}}, shown);        // not there, and similar ones are
    expect_harmless("read_file", {{"path", name + ".d"}}, shown);       // a directory
    expect_harmless("read_file", {{"path", name + "/x"}}, shown);       // below a file
    expect_harmless("read_file", {{"path", name + ".d/.env"}}, shown);  // not there, and refused
    expect_harmless("write_file", {{"path", name + ".d"}, {"content", "x"}}, shown);
    expect_harmless("write_file", {{"path", name + ".d/.envrc"}, {"content", "x"}}, shown);
    expect_harmless("write_file", {{"path", name + ".d/made"}, {"content", "x"}}, shown);
  }
}

TEST_F(NastyNamesTest, Patching) {
  for (const std::string& name : nasty_names) {
    const std::string shown = shown_line(name);
    expect_harmless("patch", {{"path", name}, {"old_string", "nothing"}, {"new_string", "x"}}, shown);
    expect_harmless("patch", {{"path", name + "x"}, {"old_string", "a"}, {"new_string", "x"}}, shown);
    expect_harmless("patch", {{"path", name}, {"old_string", "needle"}, {"new_string", "thread"}}, shown);
    if (name.find('\n') != std::string::npos) continue;  // a patch has one line for it
    const std::string changes = "*** Begin Patch\n*** Update File: " + name + "\n@@\n-thread\n+needle\n*** End Patch\n";
    expect_harmless("patch", {{"mode", "patch"}, {"patch", changes}});
    expect_harmless("patch", {{"mode", "patch"}, {"patch", changes}});  // done already
    const std::string wrong = "*** Begin Patch\n*** Update File: " + name + "\n@@\n-x\n+y\n*** End Patch\n";
    expect_harmless("patch", {{"mode", "patch"}, {"patch", wrong}}, shown);
  }
}

TEST_F(NastyNamesTest, Searching) {
  for (const char* output : {"content", "files_only", "count"})
    expect_harmless("search_files", {{"pattern", "needle"}, {"output_mode", output}}, "new\\nline");
  expect_harmless("search_files", {{"pattern", "*"}, {"target", "files"}}, "new\\nline");
  expect_harmless("search_files", {{"pattern", "needle"}, {"context", 2}}, "new\\nline");
  for (const std::string& name : nasty_names) {
    expect_harmless("search_files", {{"pattern", "needle"}, {"path", name + ".d"}}, shown_line(name));
    expect_harmless("search_files", {{"pattern", "needle"}, {"path", name + "x"}}, shown_line(name));
    expect_harmless("search_files", {{"pattern", "needle"}, {"file_glob", "/" + name + "*"}});
    ASSERT_EQ(::mkfifo(path(name + ".pipe").c_str(), 0644), 0);
    expect_harmless("search_files", {{"pattern", "needle"}, {"path", name + ".pipe"}}, shown_line(name));
  }
}

TEST_F(NastyNamesTest, DataStaysTrue) {
  const JsonObject found = details_of(house_.call("search_files", {{"pattern", "*"}, {"target", "files"}}));
  std::vector<std::string> files;
  for (const Json& file : found.at("files").as_array()) files.emplace_back(file.as_string());
  for (const std::string& name : nasty_names) EXPECT_THAT(files, testing::Contains(name));
  EXPECT_EQ(text_or(details_of(house_.call("read_file", {{"path", "new\nlinex"}})), "path"), "new\nlinex");
}

TEST_F(NastyNamesTest, Commands) {
  for (const std::string& name : nasty_names) {
    const std::string folder = path(name + ".d");
    const JsonObject ran = house_.call_in(folder, "exec", {{"command", "echo done"}});
    EXPECT_THAT(text_of(ran), AllOf(IsHarmless(), HasSubstr("done"))) << name;
    expect_harmless("exec", {{"command", "true"}, {"workdir", folder}});
    expect_harmless("exec", {{"command", "true"}, {"workdir", path(name + "x")}}, shown_line(name));
    expect_harmless("exec", {{"command", "true"}, {"workdir", path(name)}}, shown_line(name));
    const JsonObject gone = house_.exec("mkdir -p \"$D/gone\" && cd \"$D/gone\" && rmdir \"$D/gone\"",
                                        {{"env", JsonObject{{"D", folder}}}});
    EXPECT_THAT(text_of(gone), IsHarmless()) << name;
    expect_harmless("exec", {{"command", "true"}});
    expect_harmless("exec", {{"command", "true"}, {"label", "job " + name}, {"background", true}});
  }
  expect_harmless("process", {{"action", "list"}, {"limit", 100}}, "job bidi\\u{202e}");
  const Ran listed = house_.run({"ps", "--all"});
  EXPECT_THAT(listed.out, HasSubstr("job bidi\\u{202e}"));
  expect_harmless(listed, "ps");
}

TEST_F(NastyNamesTest, WhatACommandLeaves) {
  for (const std::string& name : all_names()) {
    const JsonObject left = house_.exec("cd -- " + name.substr(0, 2) + "*.d && pwd | cksum > plain && mv plain .envrc");
    EXPECT_THAT(text_of(left), AllOf(IsHarmless(), HasSubstr(shown_line(name)), HasSubstr("quarantine"))) << name;
  }
  const Result<JsonObject> items = parse_json_object(house_.run({"sandbox", "quarantine", "list", "--json"}).out);
  ASSERT_TRUE(items);
  ASSERT_GE(items->at("items").as_array().size(), all_names().size()) << write_json(*items);
  const Ran listed = house_.run({"sandbox", "quarantine", "list"});
  EXPECT_THAT(listed.out, AllOf(HasSubstr("new\\nline"), HasSubstr("invalid\\xff\\xfe")));
  expect_harmless(listed, "list");
  for (const Json& item : items->at("items").as_array()) {
    const std::string id = text_or(item.get_object(), "id");
    expect_harmless(house_.run({"sandbox", "quarantine", "show", id}), "show");
    expect_harmless(house_.run({"sandbox", "quarantine", "restore", id, "--to", "no\x1b/where\n"}), "restore --to");
    expect_harmless(house_.run({"sandbox", "quarantine", "restore", id}), "restore");
  }
}

TEST_F(NastyNamesTest, ThePersonsCommands) {
  for (const std::string& name : nasty_names) {
    expect_harmless(house_.run({"read", "--", name + "x"}), "read");
    expect_harmless(house_.run({"read", "--", name + ".d"}), "read");
    expect_harmless(house_.run({"grep", "--", "needle", name + ".d"}), "grep");
    expect_harmless(house_.run({"grep", "--", "needle", name + "x"}), "grep");
    expect_harmless(house_.run({"patch", "--old", "needle", "--new", "thread", "--", name}), "patch");
    expect_harmless(house_.run({"exec", "--workdir", path(name + "x"), "true"}), "exec");
    expect_harmless(house_.run({"kill", name}), "kill");
    expect_harmless(house_.run({"skills", "check", name + ".d"}), "skills check");
    expect_harmless(house_.run({"skills", "view", name}), "skills view");
    expect_harmless(house_.run({"skills", "disable", name}), "skills disable");
    expect_harmless(house_.run({"skills", "trust", path(name + ".d")}), "skills trust");
    expect_harmless(house_.run({"skills", "untrust", path(name + ".d")}), "skills untrust");
    expect_harmless(house_.run({"sandbox", "quarantine", "show", name}), "quarantine show");
    expect_harmless(house_.run({name}), "no such command");
  }
  expect_harmless(house_.run({"grep", "needle"}), "grep");
  expect_harmless(house_.run({"grep", "-l", "needle"}), "grep -l");
  expect_harmless(house_.run({"grep", "-c", "needle"}), "grep -c");
  expect_harmless(house_.run({"sandbox", "explain"}), "sandbox explain");
}

}  // namespace
}  // namespace talaria
