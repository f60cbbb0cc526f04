// The programs in examples/ and on the page about execute_code run as they stand and print what a reader expects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;

const std::string examples = TALARIA_SOURCE "/examples/";

std::string text_in(const std::string& path) {
  const Result<std::string> text = read_file(path);
  EXPECT_TRUE(text) << text.error().message();
  return text ? *text : "";
}

std::string number(const char* format, int i) {
  char text[64];
  std::snprintf(text, sizeof text, format, i);
  return text;
}

class ExamplesTest : public testing::Test {
 protected:
  // The workspace is a copy of the sample.
  void copy_sample() {
    clear();
    fs::copy(examples + "sample", house_.workspace(), fs::copy_options::recursive);
    // Not what somebody's own run of it has left.
    for (const char* folder : {"src", "tests", "vendor"}) fs::remove_all(path(folder) + "/__pycache__");
  }
  void clear() {
    for (const auto& entry : fs::directory_iterator(house_.workspace())) fs::remove_all(entry.path());
  }
  std::string path(const std::string& name) { return house_.workspace() + "/" + name; }
  void put(const std::string& name, const std::string& content) {
    ASSERT_TRUE(make_directories(path(name).substr(0, path(name).rfind('/')), 0755));
    ASSERT_TRUE(write_file_atomically(path(name), content, 0644, Durable::no));
  }
  // As a person runs it; it must end well.
  std::string code(const std::string& example, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"code", examples + example});
    const Ran ran = house_.run(more);
    EXPECT_EQ(ran.code, 0) << example << ": " << ran.err;
    return ran.out;
  }
  Json json(const std::string& example) {
    const std::string printed = code(example);
    Result<Json> value = parse_json(printed);
    EXPECT_TRUE(value) << printed;
    return value ? *value : Json();
  }
  // {file, preview} as data_pipeline prints it.
  Json preview(const std::string& name) {
    return JsonObject{{"file", name}, {"preview", text_in(path(name)).substr(0, 200)}};
  }
  void put_old_calls(int count) {
    clear();
    fs::create_directory(path("src"));
    for (int i = 0; i < count; ++i) put("src/" + number("file%03d.py", i), "import api\nx = api.old_api_call(1)\n");
  }
  int with_new_call(int count) {
    int found = 0;
    for (int i = 0; i < count; ++i) {
      found += text_in(path("src/" + number("file%03d.py", i))) == "import api\nx = api.new_api_call(1)\n";
    }
    return found;
  }

  House house_;
};

TEST_F(ExamplesTest, EveryProgramSaysHowToRunItAndIsTestedHere) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(examples)) {
    if (!entry.is_regular_file()) continue;
    names.push_back(entry.path().filename().string());
    const std::string first = split(text_in(entry.path()), '\n').at(0);
    EXPECT_THAT(first, MatchesRegex("# .*: (cd examples/sample && )?talaria code .*" + names.back())) << names.back();
  }
  EXPECT_THAT(names, UnorderedElementsAre("data_pipeline.py", "web_research.py", "refactoring.py", "test_pipeline.py",
                                          "parallel_check.py", "kept_load.py", "kept_ask.py"));
}

TEST_F(ExamplesTest, TheDataPipelineShowsEachConfigWithADatabase) {
  copy_sample();
  EXPECT_EQ(json("data_pipeline.py"), Json(JsonArray{preview("config/app.yaml"), preview("config/production.yaml"),
                                                     preview("config/staging.yaml")}));
}

TEST_F(ExamplesTest, TheDataPipelineTakesAnyNumberOfFiles) {
  for (const int count : {0, 1, 4, 5, 500}) {
    clear();
    JsonArray expected;
    for (int i = 0; i < count; ++i) {
      const std::string name = number("part/config%03d.yaml", i);
      put(name, "name: " + name + "\ndatabase: " + std::string(300, 'x') + "\n");
      if (i < 20) expected.push_back(preview(name));  // the program's own limit
    }
    EXPECT_EQ(json("data_pipeline.py"), Json(expected)) << count;
  }
}

TEST_F(ExamplesTest, TheRefactoringFixesTheSampleAndItsTestsStillPass) {
  copy_sample();
  EXPECT_EQ(code("refactoring.py"), "Fixed 4 files out of 4 matches\n");
  for (const char* name : {"src/stock.py", "src/prices.py", "src/report.py"}) {
    std::string expected = text_in(examples + "sample/" + name);
    while (expected.find("old_api_call(") != std::string::npos) {
      expected.replace(expected.find("old_api_call("), 3, "new");
    }
    EXPECT_EQ(text_in(path(name)), expected);
  }
  EXPECT_EQ(integer_or(json("test_pipeline.py").as_object(), "passed"), 5);
}

TEST_F(ExamplesTest, TheRefactoringTakesAnyNumberOfFiles) {
  for (const int count : {0, 1, 4, 5}) {
    put_old_calls(count);
    const std::string n = std::to_string(count);
    EXPECT_EQ(code("refactoring.py"), "Fixed " + n + " files out of " + n + " matches\n");
    EXPECT_EQ(with_new_call(count), count);
  }
}

TEST_F(ExamplesTest, TheRefactoringOfFiveHundredFilesEndsAtTheLimitOfCallsAndSaysSo) {
  put_old_calls(500);
  const std::string program = text_in(examples + "refactoring.py");
  // One call for the search, so the last of its fifty patches is one too many.
  const Ran ran = house_.run({"code", "--json", "--trace", "-", "-"}, program + "print(result['error'])\n");
  const Result<JsonObject> result = parse_json_object(ran.out);
  ASSERT_TRUE(result) << ran.out << ran.err;
  EXPECT_EQ(text_or(*result, "status"), "success");
  EXPECT_EQ(text_or(*result, "output"),
            "Fixed 49 files out of 50 matches\n"
            "Tool call limit reached (50). No more tool calls allowed in this execution.\n");
  EXPECT_EQ(integer_or(*result, "tool_calls_made"), 50);
  EXPECT_THAT(ran.err, HasSubstr("50 calls, 1 refused"));
  EXPECT_EQ(with_new_call(500), 49);

  ASSERT_EQ(house_.run({"config", "set", "code_execution.max_tool_calls", "600"}).code, 0);
  put_old_calls(500);
  std::string source = program;
  const std::string search = "file_glob=\"*.py\")";
  ASSERT_NE(source.find(search), std::string::npos);
  source.replace(source.find(search), search.size(), "file_glob=\"*.py\", limit=500)");
  const Ran all = house_.run({"code", "-"}, source);
  EXPECT_EQ(all.out, "Fixed 500 files out of 500 matches\n") << all.err;
  EXPECT_EQ(with_new_call(500), 500);
}

TEST_F(ExamplesTest, TheTestPipelineCountsWhatPassedAndWhatFailed) {
  copy_sample();
  JsonObject report = json("test_pipeline.py").as_object();
  EXPECT_THAT(text_or(report, "summary"), HasSubstr("Ran 5 tests"));
  report.erase("summary");
  EXPECT_EQ(report, (JsonObject{{"passed", 5}, {"failed", 0}, {"errors", 0}, {"exit_code", 0}}));

  std::string prices = text_in(path("src/prices.py"));
  prices.replace(prices.find("9 // 10"), 7, "80 // 100");  // another length, or Python may take what it compiled before
  put("src/prices.py", prices);
  put("tests/test_more.py", "import nothing_of_that_name\n");
  report = json("test_pipeline.py").as_object();
  EXPECT_THAT(text_or(report, "summary"), HasSubstr("FAILED (failures=1, errors=1)"));
  report.erase("summary");
  EXPECT_EQ(report, (JsonObject{{"passed", 4}, {"failed", 1}, {"errors", 1}, {"exit_code", 1}}));
}

TEST_F(ExamplesTest, TheParallelCheckCompilesEveryFileAndNamesTheBrokenOnes) {
  copy_sample();
  EXPECT_EQ(code("parallel_check.py"), "10 files, 0 broken\n");
  put("src/a file.py", "def f(:\n");
  EXPECT_EQ(code("parallel_check.py"), "src/a file.py: SyntaxError: invalid syntax\n11 files, 1 broken\n");
}

TEST_F(ExamplesTest, TheSecondProgramOfAKeptInterpreterHasWhatTheFirstRead) {
  copy_sample();
  EXPECT_EQ(code("kept_load.py", {"--session", "orders"}), "6 orders from 3 customers\n");
  fs::remove(path("data/orders.csv"));
  EXPECT_EQ(code("kept_ask.py", {"--session", "orders"}), "apple: 17, pear: 7, plum: 3\n");
  const Ran fresh = house_.run({"code", examples + "kept_ask.py"});
  EXPECT_EQ(fresh.code, 1);
  EXPECT_THAT(fresh.err, HasSubstr("NameError: name 'orders' is not defined"));
}

// A folder that answers as a search service and the sites it finds would.
class Sites {
 public:
  explicit Sites(House& house)
      : folder_(house.root() + ".sites"),
        server_((fs::create_directory(folder_),
                 house.start_program("/usr/bin/python3", {"-u", "-m", "http.server", "0", "--bind", "127.0.0.1",
                                                          "--directory", folder_}))) {
    const std::string said = server_.await_output("/) ...");
    const size_t begin = said.find("http://");
    url_ = said.substr(begin, said.find(')', begin) - begin);
  }
  const std::string& url() const { return url_; }
  void put(const std::string& name, const std::string& content) {
    ASSERT_TRUE(write_file_atomically(folder_ + "/" + name, content, 0644, Durable::no));
  }

 private:
  std::string folder_;
  Running server_;
  std::string url_;
};

TEST_F(ExamplesTest, TheWebResearchReadsThePagesThatItFinds) {
  Sites sites(house_);
  const std::string long_text = "Tokio is a runtime of many threads. " + std::string(600, 'z');
  sites.put("tokio.html", "<html><head><title>Tokio</title></head><body><main><p>" + long_text + "</p></main></body>");
  sites.put("smol.txt", "smol is a small one.\n");
  JsonArray hits;
  for (const std::string& url :
       {sites.url() + "tokio.html", std::string("http://127.0.0.1:1/"), sites.url() + "smol.txt"}) {
    hits.push_back(JsonObject{{"title", "About " + url}, {"url", url}, {"content", "…"}});
  }
  sites.put("search", write_json(JsonObject{{"results", hits}}));
  for (const auto& [key, value] : std::map<std::string, std::string>{{"web.allow_private_hosts", "[127.0.0.1]"},
                                                                     {"web.search.provider", "searxng"},
                                                                     {"web.search.url", sites.url()}}) {
    ASSERT_EQ(house_.run({"config", "set", key, value}).code, 0) << key;
  }
  EXPECT_EQ(json("web_research.py"), Json(JsonArray{JsonObject{{"title", "About " + sites.url() + "tokio.html"},
                                                               {"url", sites.url() + "tokio.html"},
                                                               {"excerpt", long_text.substr(0, 500)}},
                                                    JsonObject{{"title", "About " + sites.url() + "smol.txt"},
                                                               {"url", sites.url() + "smol.txt"},
                                                               {"excerpt", "smol is a small one.\n"}}}));
}

// --- docs/code.md ---

struct Shown {
  std::string program;
  std::string options;  // behind ```python
  std::string printed;  // the block ```text right after it, if there is one
};

std::vector<Shown> programs_of(const std::string& page) {
  std::vector<Shown> programs;
  std::string* into = nullptr;
  bool inside = false, after_program = false;
  for (const std::string& line : split(page, '\n')) {
    if (line.starts_with("```")) {
      into = nullptr;
      inside = !inside;
      if (!inside) continue;
      if (line.starts_with("```python")) {
        programs.push_back({"", std::string(trim(line.substr(9))), ""});
        into = &programs.back().program;
      } else if (line == "```text" && after_program) {
        into = &programs.back().printed;
      }
      after_program = line.starts_with("```python");
    } else if (into) {
      *into += line + "\n";
    } else if (!inside && !line.empty()) {
      after_program = false;
    }
  }
  return programs;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

TEST_F(ExamplesTest, EveryProgramOfThePageRunsAndPrintsWhatIsShown) {
  const std::vector<Shown> programs = programs_of(text_in(TALARIA_SOURCE "/docs/code.md"));
  ASSERT_GE(programs.size(), 5u);
  copy_sample();
  for (const Shown& shown : programs) {
    std::vector<std::string> arguments = {"code", "-"};
    for (const std::string& option : split(shown.options, ' ')) {
      if (!option.empty()) arguments.push_back(option);
    }
    const Ran ran = house_.run(arguments, shown.program);
    EXPECT_EQ(ran.code, 0) << shown.program << ran.err;
    if (!shown.printed.empty()) {
      EXPECT_EQ(replaced(ran.out, house_.workspace(), "/home/ada/project"), shown.printed) << shown.program;
    }
  }
}

}  // namespace
}  // namespace talaria
