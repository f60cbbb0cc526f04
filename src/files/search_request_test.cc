// What a search makes of its parameters.
#include <gtest/gtest.h>

#include "base/text.h"
#include "files/search_trial.h"

namespace talaria {
namespace {

class SearchRequestTest : public testing::TestWithParam<const SearchPrograms*> {
 protected:
  JsonObject search(const SearchRequest& request) { return trial_.search(request, *GetParam()); }
  std::string files(const SearchRequest& request) {
    const JsonObject result = search(request);
    if (!result.contains("files")) return error_of(result);
    std::vector<std::string> names;
    for (const Json& name : result.at("files").as_array()) names.emplace_back(name.as_string());
    return join(names, " ");
  }
  std::string named(const std::string& pattern, const std::string& path = ".", const std::string& glob = "") {
    return files({.pattern = pattern, .target = SearchTarget::files, .path = path, .file_glob = glob});
  }
  std::string holding(const std::string& glob, const std::string& path = ".") {
    return files({.pattern = "x", .path = path, .file_glob = glob, .output = SearchOutput::files_only});
  }
  SearchTrial trial_;
};

INSTANTIATE_TEST_SUITE_P(Programs, SearchRequestTest, testing::Values(&both_programs, &only_grep),
                         [](const auto& program) { return program.param->rg.empty() ? "Grep" : "Ripgrep"; });

TEST_P(SearchRequestTest, FindsHiddenFilesOnlyWhereTheGlobNamesThem) {
  for (const char* name : {"a.txt", ".dot.txt", ".ignore", ".config/b.txt", "sub/.dot.txt", "sub/c.txt"})
    trial_.put(name, "x\n");
  EXPECT_EQ(holding("*"), "a.txt sub/c.txt");
  EXPECT_EQ(holding("*.txt"), "a.txt sub/c.txt");
  EXPECT_EQ(holding("sub/*"), "sub/c.txt");
  EXPECT_EQ(holding("!*.md"), "a.txt sub/c.txt");
  EXPECT_EQ(holding(".dot*"), ".dot.txt sub/.dot.txt");
  EXPECT_EQ(holding(".config/**"), ".config/b.txt");
  EXPECT_EQ(holding("{.ign*,a.*}"), ".ignore a.txt");
  EXPECT_EQ(holding("", ".config"), ".config/b.txt");
  EXPECT_EQ(holding("*", ".dot.txt"), ".dot.txt");
  EXPECT_EQ(named("*"), "a.txt sub/c.txt");
  EXPECT_EQ(named("*.txt"), "a.txt sub/c.txt");
  EXPECT_EQ(named("dot"), "");
  EXPECT_EQ(named(".dot"), ".dot.txt sub/.dot.txt");
  EXPECT_EQ(named("sub/.d"), "sub/.dot.txt");
  EXPECT_EQ(named("*", ".", ".dot*"), ".dot.txt sub/.dot.txt");
}

TEST_P(SearchRequestTest, NamesTheParameterThatIsWrong) {
  const std::string zero("a\0b", 3);
  EXPECT_EQ(error_of(search({.pattern = ""})), "search_files parameter \"pattern\" must not be empty");
  EXPECT_EQ(error_of(search({.pattern = "x", .path = ""})), "search_files parameter \"path\" must not be empty");
  EXPECT_EQ(error_of(search({.pattern = zero})), "search_files parameter \"pattern\" must not hold a zero byte");
  EXPECT_EQ(error_of(search({.pattern = "x", .path = zero})),
            "search_files parameter \"path\" must not hold a zero byte");
  EXPECT_EQ(error_of(search({.pattern = "x", .file_glob = zero})),
            "search_files parameter \"file_glob\" must not hold a zero byte");
  EXPECT_EQ(error_of(search({.pattern = "x", .limit = 0})),
            "search_files parameter \"limit\" must be from 1 to 100000");
}

TEST_P(SearchRequestTest, RefusesForNamesWhatIsOfContents) {
  trial_.put("a.txt", "x\n");
  const auto with = [](SearchOutput output, uint64_t context) {
    return SearchRequest{.pattern = "*", .target = SearchTarget::files, .output = output, .context = context};
  };
  EXPECT_EQ(files(with(SearchOutput::content, 0)), "a.txt");
  EXPECT_EQ(files(with(SearchOutput::files_only, 0)), "a.txt");
  EXPECT_EQ(files(with(SearchOutput::count, 0)),
            "search_files parameter \"output_mode\" must not be \"count\" with target=\"files\"");
  EXPECT_EQ(files(with(SearchOutput::content, 1)),
            "search_files parameter \"context\" must be 0 with target=\"files\"");
}

TEST_P(SearchRequestTest, TakesAbsoluteGlobsBelowThePath) {
  for (const char* name : {"a.c", "src/a.c", "src/deep/b.c"}) trial_.put(name, "x\n");
  EXPECT_EQ(named(trial_.path("src/*.c")), "src/a.c");
  EXPECT_EQ(named(trial_.path("**/*.c")), "a.c src/a.c src/deep/b.c");
  EXPECT_EQ(named(trial_.path("src/**/*.c"), "./src/"), "src/a.c src/deep/b.c");
  EXPECT_EQ(named(trial_.path("*.c")), "a.c");
  EXPECT_EQ(named(trial_.path("src/deep/b"), trial_.path("src")), trial_.path("src/deep/b.c"));
  EXPECT_EQ(holding(trial_.path("src/*.c"), "src/../src/deep/.."), "src/../src/deep/../a.c");
  const JsonObject result = search({.pattern = "/elsewhere/*.c", .target = SearchTarget::files, .path = "src"});
  EXPECT_EQ(
      result.at("hints"),
      JsonArray{"the glob /elsewhere/*.c begins in the searched folder, src; to look elsewhere, give another path"});
}

}  // namespace
}  // namespace talaria
