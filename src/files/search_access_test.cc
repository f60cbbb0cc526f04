// What a search says of files and folders that cannot be read.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "files/search_trial.h"

namespace talaria {
namespace {

constexpr auto left_out = "some files or folders could not be read and were left out";

class SearchAccessTest : public testing::TestWithParam<const SearchPrograms*> {
 protected:
  SearchAccessTest() {
    trial_.rights = Rights::of_an_ordinary_user;
    trial_.put("a", "hello\n");
    trial_.put("keys/.env", "hello=1\n");
    trial_.put("folder/f", "hello\n");
  }
  ~SearchAccessTest() override {
    for (const char* name : {"locked", "folder"}) (void)::chmod(trial_.path(name).c_str(), 0700);
  }
  void lock_file() { trial_.put("locked", "hello\n", 0); }
  void lock_folder() { ASSERT_EQ(::chmod(trial_.path("folder").c_str(), 0), 0); }
  JsonObject search(const SearchRequest& request) { return trial_.search(request, *GetParam()); }
  static JsonObject nothing(const char* list = nullptr) {
    JsonObject object{{"total_count", 0}, {"matches", JsonArray()}, {"truncated", false}, {"note", left_out}};
    if (list) object[list] = JsonArray();
    return object;
  }
  SearchTrial trial_;
};

INSTANTIATE_TEST_SUITE_P(Programs, SearchAccessTest, testing::Values(&both_programs, &only_grep),
                         [](const auto& program) { return program.param->rg.empty() ? "Grep" : "Ripgrep"; });

TEST_P(SearchAccessTest, FindsNothingBesideAFileThatCannotBeRead) {
  lock_file();
  EXPECT_EQ(search({.pattern = "nomatch"}), nothing());
  EXPECT_EQ(search({.pattern = "nomatch\\.|x", .output = SearchOutput::count}), nothing("counts"));
  EXPECT_EQ(search({.pattern = "nomatch", .output = SearchOutput::files_only}), nothing("files"));
}

TEST_P(SearchAccessTest, FindsNothingBesideAFolderThatCannotBeRead) {
  lock_folder();
  EXPECT_EQ(search({.pattern = "nomatch"}), nothing());
  EXPECT_EQ(search({.pattern = "nomatch", .output = SearchOutput::count}), nothing("counts"));
  EXPECT_EQ(search({.pattern = "nomatch", .target = SearchTarget::files}), nothing("files"));
}

TEST_P(SearchAccessTest, SaysSoBesideMatches) {
  lock_file();
  lock_folder();
  JsonObject expected = nothing();
  expected["total_count"] = 1;
  expected["matches"] = JsonArray{JsonObject{{"path", "a"}, {"line", 1}, {"column", 1}, {"content", "hello"}}};
  EXPECT_EQ(search({.pattern = "hello"}), expected);
  EXPECT_EQ(trial_.runs, 1);
  expected.erase("note");
  EXPECT_EQ(search({.pattern = "hello", .path = "a"}), expected);
}

TEST_P(SearchAccessTest, StillHints) {
  lock_file();
  JsonObject expected = nothing();
  expected["hints"] =
      JsonArray{"2 lines match when upper and lower case are not told apart: begin the pattern with (?i)"};
  EXPECT_EQ(search({.pattern = "HELLO"}), expected);
}

TEST_P(SearchAccessTest, IsNoErrorWhenTheRulesLeaveOutEveryMatch) {
  trial_.put("rules/.env", "secret\n");
  trial_.put("rules/locked", "secret\n", 0);
  EXPECT_EQ(search({.pattern = "secret", .path = "rules", .file_glob = "{.env,locked}"}), nothing());
}

TEST_P(SearchAccessTest, IsAnErrorWhereTheSearchBegins) {
  lock_file();
  lock_folder();
  for (const std::string path : {"locked", "folder", "nowhere"}) {
    EXPECT_EQ(search({.pattern = "nomatch", .path = path}),
              (JsonObject{{"error", "search " + path + ": it is not there, or cannot be read"}, {"path", path}}));
  }
  EXPECT_EQ(error_of(search({.pattern = "nomatch", .target = SearchTarget::files, .path = "folder"})),
            "search folder: it is not there, or cannot be read");
}

}  // namespace
}  // namespace talaria
