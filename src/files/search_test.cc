#include "files/search.h"

#include <gtest/gtest.h>

#include <iostream>

#include "base/clock.h"
#include "base/text.h"
#include "files/search_trial.h"

namespace talaria {
namespace {

JsonObject match(const std::string& path, uint64_t line, uint64_t column, const std::string& content) {
  return {{"path", path}, {"line", line}, {"column", column}, {"content", content}};
}

JsonObject found(uint64_t total, JsonArray matches) {
  return {{"total_count", total}, {"matches", std::move(matches)}, {"truncated", false}};
}

// A small tree that has a bit of everything.
void make_tree(FilesTrial& trial) {
  trial.put("a.txt", "foo\nbar foo\nnothing\n");
  trial.put("a/deep/c.py", "x = 'foo'\r\n");
  trial.put("src/b.py", "ü foo");
  trial.put("src/sub/d.py", "def foo(): pass\n");
  trial.put("empty.py", "");
  trial.put(".hidden/e.txt", "foo\n");
  trial.put(".ignore", "ignored.txt\n");
  trial.put("ignored.txt", "foo and rare\n");
}

class SearchTest : public testing::TestWithParam<const SearchPrograms*> {
 protected:
  SearchTest() { make_tree(trial_); }
  JsonObject search(const SearchRequest& request) { return trial_.search(request, *GetParam()); }
  bool has_rg() const { return !GetParam()->rg.empty(); }
  SearchTrial trial_;
};

INSTANTIATE_TEST_SUITE_P(Programs, SearchTest, testing::Values(&both_programs, &only_grep),
                         [](const auto& program) { return program.param->rg.empty() ? "Grep" : "Ripgrep"; });

TEST_P(SearchTest, FindsLinesInTheOrderOfPaths) {
  ASSERT_TRUE(has_rg() || remove_tree(trial_.path("ignored.txt")));  // grep knows nothing of ignored files
  EXPECT_EQ(search({.pattern = "fo+"}), found(5, {match("a/deep/c.py", 1, 6, "x = 'foo'"), match("a.txt", 1, 1, "foo"),
                                                  match("a.txt", 2, 5, "bar foo"), match("src/b.py", 1, 3, "ü foo"),
                                                  match("src/sub/d.py", 1, 5, "def foo(): pass")}));
}

TEST_P(SearchTest, FindsInOneFolderOrFile) {
  const JsonObject expected =
      found(2, {match("src/b.py", 1, 3, "ü foo"), match("src/sub/d.py", 1, 5, "def foo(): pass")});
  for (const std::string path : {"src", "./src", "src/"}) EXPECT_EQ(search({.pattern = "foo", .path = path}), expected);
  EXPECT_EQ(search({.pattern = "bar", .path = "a.txt"}), found(1, {match("a.txt", 2, 1, "bar foo")}));
  EXPECT_EQ(search({.pattern = "bar", .path = trial_.path("a.txt")}),
            found(1, {match(trial_.path("a.txt"), 2, 1, "bar foo")}));
}

TEST_P(SearchTest, KeepsToTheGlobWithItsFolders) {
  const auto paths = [&](const std::string& glob, const std::string& path = ".") {
    std::string names;
    const JsonObject result =
        search({.pattern = "foo", .path = path, .file_glob = glob, .output = SearchOutput::files_only});
    for (const Json& name : result.at("files").as_array()) names += std::string(name.as_string()) + " ";
    return names;
  };
  EXPECT_EQ(paths("*.py"), "a/deep/c.py src/b.py src/sub/d.py ");
  EXPECT_EQ(paths("src/*.py"), "src/b.py ");
  EXPECT_EQ(paths("src/**/*.py"), "src/b.py src/sub/d.py ");
  EXPECT_EQ(paths("{src,a}/**"), "a/deep/c.py src/b.py src/sub/d.py ");
  EXPECT_EQ(paths("sub/*", "src"), "src/sub/d.py ");
  EXPECT_EQ(paths("/a.*"), "a.txt ");
  EXPECT_EQ(paths("*.none"), "");
  EXPECT_EQ(paths(".hidden/*"), ".hidden/e.txt ");
  EXPECT_EQ(paths("!*.py", "src"), "");
}

TEST_P(SearchTest, CountsAndListsFiles) {
  const SearchRequest request{.pattern = "foo", .file_glob = "a.*", .output = SearchOutput::count};
  JsonObject expected = found(2, {});
  expected["counts"] = JsonArray{JsonObject{{"path", "a.txt"}, {"count", 2}}};
  EXPECT_EQ(search(request), expected);
  expected = found(3, {});
  expected["files"] = JsonArray{"a/deep/c.py", "src/b.py", "src/sub/d.py"};
  EXPECT_EQ(search({.pattern = "foo", .file_glob = "*.py", .output = SearchOutput::files_only}), expected);
}

TEST_P(SearchTest, FindsFilesByName) {
  const auto names = [&](const std::string& pattern, const std::string& path = ".") {
    const JsonObject result = search({.pattern = pattern, .target = SearchTarget::files, .path = path});
    EXPECT_TRUE(result.at("matches").as_array().empty());
    EXPECT_EQ(result.at("total_count").to_number<size_t>(), result.at("files").as_array().size());
    std::string text;
    for (const Json& name : result.at("files").as_array()) text += std::string(name.as_string()) + " ";
    return text;
  };
  EXPECT_EQ(names("*.py"), "a/deep/c.py empty.py src/b.py src/sub/d.py ");
  EXPECT_EQ(names("src/*.py"), "src/b.py ");
  EXPECT_EQ(names("empt"), "empty.py ");
  EXPECT_EQ(names("src/d"), "");
  EXPECT_EQ(names("src/sub/d"), "src/sub/d.py ");
  EXPECT_EQ(names("*.py", "src/sub"), "src/sub/d.py ");
  EXPECT_EQ(names("e.*"), "");
  EXPECT_EQ(names(".hid*/e.*"), ".hidden/e.txt ");
}

TEST_P(SearchTest, ShowsTheLinesAround) {
  trial_.put("lines/f", "1\n2\n3 x\n4\n5 x\n6\n7\n8\n9 x");
  const auto with = [](JsonObject object, JsonArray before, JsonArray after) {
    object["before"] = std::move(before);
    object["after"] = std::move(after);
    return object;
  };
  EXPECT_EQ(search({.pattern = "x", .path = "lines", .context = 2}),
            found(3, {with(match("lines/f", 3, 3, "3 x"), {"1", "2"}, {"4", "5 x"}),
                      with(match("lines/f", 5, 3, "5 x"), {"3 x", "4"}, {"6", "7"}),
                      with(match("lines/f", 9, 3, "9 x"), {"7", "8"}, {})}));
  const JsonObject page = search({.pattern = "x", .path = "lines", .limit = 1, .offset = 1, .context = 1});
  EXPECT_EQ(page.at("matches"), (JsonArray{with(match("lines/f", 5, 3, "5 x"), {"4"}, {"6"})}));
}

TEST_P(SearchTest, GivesTheSamePagesWhateverTheirSize) {
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (int j = 0; j < i % 7; ++j) text += "needle " + std::to_string(j) + "\nother\n";
    trial_.put("many/" + std::to_string(i % 5) + "/" + std::to_string(i), text);
  }
  const SearchRequest whole{.pattern = "needle", .path = "many", .limit = 1000};
  const JsonObject all = search(whole);
  const JsonArray& matches = all.at("matches").as_array();
  ASSERT_EQ(all.at("total_count"), matches.size());
  for (const uint64_t limit : {1, 4, 5, 30, 5000}) {
    JsonArray gathered;
    for (uint64_t offset = 0; offset < matches.size(); offset += limit) {
      SearchRequest request = whole;
      request.offset = offset;
      request.limit = limit;
      const JsonObject page = search(request);
      const bool more = offset + limit < matches.size();
      EXPECT_EQ(page.at("total_count"), matches.size());
      EXPECT_EQ(page.at("truncated"), more);
      EXPECT_EQ(page.contains("next_offset"), more);
      for (const Json& one : page.at("matches").as_array()) gathered.push_back(one);
    }
    EXPECT_EQ(gathered, matches) << limit;
  }
  SearchRequest beyond = whole;
  beyond.offset = matches.size();
  EXPECT_EQ(search(beyond), found(matches.size(), {}));
}

TEST_P(SearchTest, HintsAtWhatWouldBeFound) {
  JsonObject expected = found(0, {});
  expected["hints"] =
      JsonArray{has_rg() ? "5 lines match when upper and lower case are not told apart: begin the pattern with (?i)"
                         : "6 lines match when upper and lower case are not told apart: begin the pattern with (?i)"};
  EXPECT_EQ(search({.pattern = "FOO"}), expected);
  EXPECT_LE(trial_.runs, 4);
  expected["hints"] = JsonArray{"1 line matches the pattern read as plain text: escape its special characters"};
  EXPECT_EQ(search({.pattern = "foo\\(\\)x|foo()", .path = "a.txt"}).at("matches"),
            JsonArray({match("a.txt", 1, 1, "foo"), match("a.txt", 2, 5, "bar foo")}));
  trial_.put("literal", "a.b(c\n");
  EXPECT_EQ(search({.pattern = "^[a].b[(]c[)]?d|x{3}"}).at("matches"), JsonArray());
  EXPECT_EQ(search({.pattern = "absent everywhere"}), found(0, {}));
  expected = found(0, {});
  expected["files"] = JsonArray();
  expected["hints"] = JsonArray{"1 file matches when upper and lower case are not told apart"};
  EXPECT_EQ(search({.pattern = "EMPTY.py", .target = SearchTarget::files}), expected);
}

TEST_P(SearchTest, SaysWhatIsWrongWithAPattern) {
  const JsonObject result = search({.pattern = "foo("});
  EXPECT_EQ(result, (JsonObject{{"error", "search: the pattern is wrong at character 4: unclosed group"},
                                {"path", "."},
                                {"position", 4}}));
  EXPECT_EQ(trial_.runs, has_rg() ? 1 : 0);
  EXPECT_EQ(error_of(search({.pattern = "x", .path = "nowhere"})),
            "search nowhere: it is not there, or cannot be read");
}

TEST_P(SearchTest, TakesPatternsThatLookLikeOptions) {
  trial_.put("-e", "--files\n");
  EXPECT_EQ(search({.pattern = "--files"}), found(1, {match("-e", 1, 1, "--files")}));
  EXPECT_EQ(search({.pattern = "--files", .path = "-e"}), found(1, {match("-e", 1, 1, "--files")}));
}

TEST_P(SearchTest, LeavesOutWhatMayNotBeRead) {
  trial_.put("keys/.env", "TOKEN=foo\n");
  trial_.put("keys/plain", "foo\n");
  JsonObject expected = found(1, {match("keys/plain", 1, 1, "foo")});
  EXPECT_EQ(search({.pattern = "foo", .path = "keys"}), expected);
  expected = found(0, {});
  EXPECT_EQ(search({.pattern = "foo", .path = "keys/.env"}), expected);
  expected["files"] = JsonArray();
  EXPECT_EQ(search({.pattern = "foo", .path = "keys/.env", .output = SearchOutput::files_only}), expected);
}

// A link as the place to search leads to where nobody may look.
TEST_P(SearchTest, JudgesWhereTheSearchReallyIs) {
  trial_.put("home/.ssh/id", "key foo\n");
  ASSERT_EQ(::symlink("home/.ssh", trial_.path("link").c_str()), 0);
  trial_.gate = open_gate(trial_.path("home"));
  const JsonObject result = search({.pattern = "foo", .path = "link/", .real_path = trial_.path("home/.ssh")});
  EXPECT_EQ(result.at("matches"), JsonArray());
}

TEST_P(SearchTest, CutsLongLines) {
  trial_.put("long/f", std::string(600, 'x') + "needle\n");
  const JsonObject agent = search({.pattern = "needle", .path = "long"});
  EXPECT_EQ(agent, found(1, {match("long/f", 1, 601, std::string(500, 'x'))}));
  const JsonObject program = search({.pattern = "needle", .path = "long", .audience = Audience::program});
  EXPECT_EQ(program, found(1, {match("long/f", 1, 601, std::string(600, 'x') + "needle")}));
}

TEST(SearchWithRgTest, FindsMatchesOverSeveralLines) {
  SearchTrial trial;
  trial.put("f", "one\r\ntwo\nthree\n");
  EXPECT_EQ(trial.search({.pattern = "two\\nth"}), found(1, {match("f", 2, 1, "two\nthree")}));
  EXPECT_EQ(error_of(trial.search({.pattern = "two\\nth"}, only_grep)),
            "search: a pattern that spans lines needs rg (ripgrep), which is not installed");
  EXPECT_EQ(error_of(trial.search({.pattern = "x"}, {})), "search: neither rg (ripgrep) nor grep is installed");
}

TEST(SearchWithRgTest, ReplacesWhatIsNoUtf8) {
  SearchTrial trial;
  trial.put("bad\xff", "gr\xfc\xdf und foo\n");
  EXPECT_EQ(trial.search({.pattern = "und"}),
            found(1, {match("bad\xef\xbf\xbd", 1, 6, "gr\xef\xbf\xbd\xef\xbf\xbd und foo")}));
}

TEST(SearchWithRgTest, FindsTheNumberOfALineOfManyMegabytes) {
  SearchTrial trial;
  trial.put("f", "short\n" + std::string(9 << 20, 'x') + "needle\nneedle\n");
  const JsonObject result = trial.search({.pattern = "needle"});
  EXPECT_EQ(result.at("matches"),
            (JsonArray{match("f", 2, (9 << 20) + 1, std::string(500, 'x')), match("f", 3, 1, "needle")}));
}

// Of a generated tree, the same as rg says itself.
TEST(SearchWithRgTest, AgreesWithRg) {
  SearchTrial trial;
  unsigned random = 7;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int j = ::rand_r(&random) % 30; j > 0; --j) text += "line " + std::to_string(::rand_r(&random) % 50) + "\n";
    trial.put("d" + std::to_string(i % 7) + "/e" + std::to_string(i % 3) + "/f" + std::to_string(i), text);
  }
  for (const uint64_t limit : {1900, 90'000}) {  // in any order, and sorted by rg
    const JsonObject result = trial.search({.pattern = "line 1", .limit = limit, .audience = Audience::program});
    std::string lines;
    for (const Json& one : result.at("matches").as_array()) {
      const JsonObject& object = one.as_object();
      lines += text_or(object, "path") + ":" + std::to_string(integer_or(object, "line")) + ":" +
               text_or(object, "content") + "\n";
    }
    const std::string expected = output_of({"/usr/bin/rg", "--sort=path", "-n", "line 1"}, trial.folder);
    EXPECT_EQ(result.at("total_count"), std::ranges::count(expected, '\n'));
    EXPECT_EQ(lines, limit > 2000 ? expected : expected.substr(0, lines.size()));
    std::string counts;
    const JsonObject counted = trial.search({.pattern = "line 1", .limit = limit, .output = SearchOutput::count});
    for (const Json& one : counted.at("counts").as_array())
      counts += text_or(one.as_object(), "path") + ":" + std::to_string(integer_or(one.as_object(), "count")) + "\n";
    EXPECT_EQ(counts, output_of({"/usr/bin/rg", "--sort=path", "-c", "line 1"}, trial.folder));
    std::string files;
    const JsonObject listed = trial.search({.pattern = "f?3*", .target = SearchTarget::files, .limit = limit});
    for (const Json& one : listed.at("files").as_array()) files += std::string(one.as_string()) + "\n";
    EXPECT_EQ(files, output_of({"/usr/bin/rg", "--sort=path", "--files", "-g", "f?3*"}, trial.folder));
  }
}

TEST(SearchWithRgTest, HasTheSameShapeForAnyNumberOfMatches) {
  SearchTrial trial;
  for (const uint64_t number : {0, 1, 4, 5, 500, 100'000}) {
    std::string text;
    for (uint64_t i = 0; i < number; ++i) text += "needle\n";
    trial.put("f", text);
    const auto start = Clock::now();
    const JsonObject result = trial.search({.pattern = "needle", .limit = 100'000, .audience = Audience::program});
    const auto taken = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (number == 100'000) std::cout << "100,000 matches: " << taken << " ms" << std::endl;
    EXPECT_EQ(result.at("total_count"), number);
    EXPECT_EQ(result.at("matches").as_array().size(), number);
    EXPECT_EQ(result.at("truncated"), false);
    const JsonObject few = trial.search({.pattern = "needle"});
    EXPECT_EQ(few.at("total_count"), number);
    EXPECT_EQ(few.at("matches").as_array().size(), std::min<uint64_t>(number, 50));
    EXPECT_EQ(few.at("truncated"), number > 50);
  }
}

TEST(SearchWithRgTest, TellsWhatWasFoundWhenItIsStopped) {
  SearchTrial trial;
  Search search = *Search::plan({.pattern = "x\\n", .cwd = trial.folder}, both_programs, trial.gate);
  search.take(
      "{\"type\":\"begin\",\"data\":{\"path\":{\"text\":\"./f\"}}}\n{\"type\":\"match\",\"data\":{\"path\":{\"text\":"
      "\"./f\"},\"lines\":{\"text\":\"x\\n\"},\"line_number\":1,\"absolute_offset\":0,\"submatches\":[]}}\n{\"ty");
  search.ended(137);
  EXPECT_EQ(search.next_command(), std::nullopt);
  JsonObject expected = found(1, {match("f", 1, 1, "x")});
  expected["incomplete"] = true;
  EXPECT_EQ(search.result(), expected);
  Search lines = *Search::plan({.pattern = "x", .cwd = trial.folder}, both_programs, trial.gate);
  lines.take(std::string_view("./f\0001:1:x\n./f\0002:1:", 18));
  lines.ended(137);
  EXPECT_EQ(lines.result(), expected);
}

TEST(SearchWithRgTest, StaysBelowTheSizeOfAResult) {
  SearchTrial trial;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::string(9'000, '"') + "needle\n";
  trial.put("f", text);
  const JsonObject result = trial.search({.pattern = "needle", .limit = 3000, .audience = Audience::program});
  EXPECT_LT(write_json(result).size(), size_t{16} << 20);
  EXPECT_EQ(result.at("truncated_by"), "bytes");
  EXPECT_EQ(result.at("next_offset"), result.at("matches").as_array().size());
  EXPECT_EQ(result.at("total_count"), 3000);
}

TEST(SearchNamesTest, ANameWithALineEndIsWhole) {
  SearchTrial trial;
  trial.put("a\nb", "needle\n");
  trial.put("a\n\n1:1:x\nc/d\n", "one\nneedle\nthree\n");
  trial.put("plain", "needle\n");
  for (const SearchPrograms* programs : {&both_programs, &only_grep}) {
    for (const uint64_t context : {0, 1}) {
      std::vector<std::string> paths;
      const JsonObject result = trial.search({.pattern = "needle", .context = context}, *programs);
      for (const Json& match : result.at("matches").as_array())
        paths.emplace_back(match.as_object().at("path").as_string());
      EXPECT_EQ(paths, (std::vector<std::string>{"a\n\n1:1:x\nc/d\n", "a\nb", "plain"})) << programs->rg << context;
    }
  }
}

TEST(SearchStopTest, KeepsWhatWasFoundUntilItWasStopped) {
  SearchTrial trial;
  trial.put("a", "hello\n");
  Result<Search> search = Search::plan({.pattern = "hello", .cwd = trial.folder}, both_programs, trial.gate);
  ASSERT_TRUE(search);
  search->take(output_of(*search->next_command(), trial.folder));
  search->stopped("it took too long");
  EXPECT_TRUE(search->found_anything());
  EXPECT_EQ(search->next_command(), std::nullopt);
  EXPECT_EQ(
      search->result(),
      (JsonObject{{"total_count", 1},
                  {"matches", JsonArray{JsonObject{{"path", "a"}, {"line", 1}, {"column", 1}, {"content", "hello"}}}},
                  {"truncated", false},
                  {"incomplete", true},
                  {"note", "it took too long"}}));
}

TEST(SearchStopTest, BeginsAgainWithoutIgnoreFiles) {
  SearchTrial trial;
  trial.put("a", "hello\n");
  trial.put("b", "hello\n");
  trial.put(".ignore", "b\n");
  Result<Search> search = Search::plan({.pattern = "hello", .cwd = trial.folder}, both_programs, trial.gate);
  ASSERT_TRUE(search);
  search->take(output_of(*search->next_command(), trial.folder));
  EXPECT_TRUE(search->heeds_ignore_files());
  search->begin_again_without_ignore_files("none were read");
  EXPECT_FALSE(search->heeds_ignore_files());
  while (const auto argv = search->next_command()) {
    search->take(output_of(*argv, trial.folder));
    search->ended(0);
  }
  EXPECT_EQ(search->result().at("total_count"), 2);
  EXPECT_EQ(search->result().at("note"), "none were read");
}

}  // namespace
}  // namespace talaria
