// Of real source, the same as rg says itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "files/search_trial.h"

namespace talaria {
namespace {

class SearchSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    // Relative to the folder of the build, two above this program.
    const std::filesystem::path build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
    const std::filesystem::path source = (build / __FILE__).parent_path().parent_path();
    for (const char* module : {"base", "files"}) {
      std::error_code problem;
      std::filesystem::copy(source / module, trial_.path(module), std::filesystem::copy_options::recursive, problem);
      ASSERT_FALSE(problem) << source / module << ": " << problem.message();
    }
  }
  std::string rg(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"/usr/bin/rg", "--no-config", "--sort=path"});
    return output_of(arguments, trial_.folder);
  }
  JsonObject search(SearchRequest request) {
    request.audience = Audience::program;
    return trial_.search(request);
  }
  SearchTrial trial_;
};

constexpr uint64_t limits[] = {2'000, 90'000};  // sorted by us, and by rg
constexpr const char* patterns[] = {"return", "^#include \"", "\\bstd::string_view (\\w+)", "[^\\x00-\\x7f]",
                                    "(?i)ERROR"};

TEST_F(SearchSourceTest, FindsTheLinesThatRgFinds) {
  for (const uint64_t limit : limits) {
    for (const std::string pattern : patterns) {
      std::string lines;
      const JsonObject result = search({.pattern = pattern, .limit = limit});
      for (const Json& one : result.at("matches").as_array()) {
        const JsonObject& object = one.as_object();
        lines += text_or(object, "path") + ":" + std::to_string(integer_or(object, "line")) + ":" +
                 text_or(object, "content") + "\n";
      }
      EXPECT_EQ(lines, rg({"-n", pattern}));
      EXPECT_NE(lines, "");
      EXPECT_EQ(result.at("total_count"), std::ranges::count(lines, '\n'));
    }
  }
}

TEST_F(SearchSourceTest, CountsWhatRgCounts) {
  for (const uint64_t limit : limits) {
    for (const std::string pattern : patterns) {
      std::string counts, files;
      const JsonObject counted = search({.pattern = pattern, .limit = limit, .output = SearchOutput::count});
      for (const Json& one : counted.at("counts").as_array())
        counts += text_or(one.as_object(), "path") + ":" + std::to_string(integer_or(one.as_object(), "count")) + "\n";
      EXPECT_EQ(counts, rg({"-c", pattern}));
      const JsonObject listed = search({.pattern = pattern, .limit = limit, .output = SearchOutput::files_only});
      for (const Json& one : listed.at("files").as_array()) files += std::string(one.as_string()) + "\n";
      EXPECT_EQ(files, rg({"-l", pattern}));
    }
  }
}

TEST_F(SearchSourceTest, FindsTheFilesThatRgFinds) {
  for (const uint64_t limit : limits) {
    for (const std::string glob : {"*", "*.h", "files/s*.cc", "**/*_test.cc"}) {
      std::string files;
      const JsonObject listed = search({.pattern = glob, .target = SearchTarget::files, .limit = limit});
      for (const Json& one : listed.at("files").as_array()) files += std::string(one.as_string()) + "\n";
      EXPECT_EQ(files, rg({"--files", "-g", glob}));
      EXPECT_NE(files, "");
    }
  }
}

}  // namespace
}  // namespace talaria
