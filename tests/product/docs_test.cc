// What the documentation says is what the product does.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/text.h"
#include "config/show.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

std::string page(const std::string& name) {
  Result<std::string> text = read_file(TALARIA_SOURCE "/" + name);
  EXPECT_TRUE(text) << text.error().message();
  return text ? *text : "";
}

// The contents of the fenced blocks whose opening line is ```kind.
std::vector<std::string> blocks(const std::string& text, const std::string& kind) {
  std::vector<std::string> found;
  bool inside = false, wanted = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("```")) {
      inside = !inside;
      wanted = inside && line == "```" + kind;
      if (wanted) found.emplace_back();
    } else if (wanted) {
      found.back() += line + "\n";
    }
  }
  return found;
}

struct Step {
  std::string command;
  std::string output;
};

std::vector<Step> steps_of(const std::string& text) {
  std::vector<Step> steps;
  for (const std::string& block : blocks(text, "console")) {
    for (const std::string& line : split(block, '\n')) {
      if (line.starts_with("$ ")) steps.push_back({line.substr(2), ""});
      else if (!line.empty() && !steps.empty()) steps.back().output += line + "\n";
    }
  }
  return steps;
}

// Without what differs from run to run: ids, pids, times, directories, blank lines and the width of columns. JSON loses
// its layout.
std::string comparable(std::string text) {
  if (text.starts_with("{")) {
    if (Result<Json> json = parse_json(text)) text = write_json(*json);
  }
  static const std::pair<std::regex, const char*> rules[] = {
      {std::regex("\r"), ""},
      {std::regex("\\b[2-9a-hjkmnp-tv-z]{8}\\b"), "ID"},
      {std::regex("\\b[0-9.]+m?s\\b"), "TIME"},
      {std::regex("\\bpid [0-9]+"), "pid N"},
      {std::regex("\"(pid|startedAt|endedAt|durationMs|runtimeMs)\":[0-9]+"), "\"$1\":N"},
      {std::regex("\"cwd\":\"[^\"]*\""), "\"cwd\":DIR"},
      {std::regex("[ \t]+"), " "},
      {std::regex(" *\n[ \n]*"), "\n"},
  };
  for (const auto& [pattern, replacement] : rules) text = std::regex_replace(text, pattern, replacement);
  return std::string(trim(text));
}

// One shell runs all steps, so that variables and $? live on. After each step it prints the marker and the exit code.
std::string script_of(const std::vector<Step>& steps, const std::string& marker) {
  std::string script = "stty rows 40 cols 120 -onlcr\nexport PATH=" + program_path("talaria");
  script = script.substr(0, script.rfind('/')) + ":$PATH\n";
  for (const Step& step : steps) {
    script += step.command + "\n_code=$?; printf '\\n" + marker + " %d\\n' $_code; (exit $_code)\n";
  }
  return script;
}

TEST(DocsTest, TheTourOfTheReadmeWorksAsPrinted) {
  const std::vector<Step> steps = steps_of(page("README.md"));
  ASSERT_GE(steps.size(), 10u);
  House house;
  const std::string marker = "after-the-step:", script = house.root() + ".tour";
  ASSERT_TRUE(write_file_atomically(script, script_of(steps, marker)));
  // script(1) gives it a terminal: a person's view is tables and indented JSON. Its stdin stays open, as a person's
  // does.
  const Ran ran = house.start_program("/usr/bin/script", {"-qec", "bash " + script, "/dev/null"}).finish();

  std::string rest = ran.out;
  for (size_t i = 0; i < steps.size(); ++i) {
    const size_t end = rest.find(marker);
    ASSERT_NE(end, std::string::npos) << "the tour ended at: " << steps[i].command << "\n" << ran.out;
    EXPECT_EQ(comparable(rest.substr(0, end)), comparable(steps[i].output)) << "$ " << steps[i].command;
    const int code = std::atoi(rest.c_str() + end + marker.size());
    const bool shown = i + 1 < steps.size() && steps[i + 1].command == "echo $?";
    EXPECT_TRUE(code == 0 || shown) << code << ": $ " << steps[i].command;
    rest.erase(0, rest.find('\n', end) + 1);
  }
}

TEST(DocsTest, TheClientOfTheProtocolPageRuns) {
  const std::vector<std::string> clients = blocks(page("docs/protocol.md"), "python client");
  ASSERT_EQ(clients.size(), 1u);
  House house;
  std::string& path = house.environment()["PATH"];
  const std::string talaria = program_path("talaria");
  path = talaria.substr(0, talaria.rfind('/')) + ":" + path;
  const Ran ran = house.start_program("/usr/bin/python3", {"-c", clients[0]}).finish();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "hello from exec\n 0\n");
}

TEST(DocsTest, TheConfigPageHoldsTheTableOfTheCode) {
  const std::string table = describe_keys();
  EXPECT_NE(page("docs/config.md").find("\n" + table + "\n"), std::string::npos)
      << "docs/config.md must hold this table:\n"
      << table;
}

TEST(DocsTest, EveryExampleOfJsonIsJson) {
  for (const char* name : {"docs/exec.md", "docs/process.md"}) {
    const std::vector<std::string> examples = blocks(page(name), "json");
    EXPECT_FALSE(examples.empty()) << name;
    for (const std::string& example : examples) EXPECT_TRUE(parse_json(example)) << name << ": " << example;
  }
}

std::vector<std::string> pages() {
  std::vector<std::string> names = {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TALARIA_SOURCE "/docs")) {
    if (entry.path().extension() == ".md") {
      names.push_back(std::filesystem::relative(entry.path(), TALARIA_SOURCE).string());
    }
  }
  return names;
}

// The anchor GitHub makes of a heading: "## What it *is*, today" is #what-it-is-today.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (char c : lower(trim(heading.substr(heading.find_first_not_of('#'))))) {
    if (c == ' ') anchor += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c & 0x80)) anchor += c;
  }
  return anchor;
}

bool has_anchor(const std::string& text, const std::string& anchor) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("#") && anchor_of(line) == anchor) return true;
  }
  return false;
}

TEST(DocsTest, EveryRelativeLinkPointsToSomething) {
  static const std::regex link("\\]\\(([^)\\s]+)\\)");
  for (const std::string& name : pages()) {
    const std::string text = page(name);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1];
      if (target.find("://") != std::string::npos) continue;
      const size_t hash = std::min(target.find('#'), target.size());
      const std::string folder = std::filesystem::path(name).parent_path().string();
      const std::string file = hash == 0 ? name : (folder.empty() ? "" : folder + "/") + target.substr(0, hash);
      const bool there = std::filesystem::exists(TALARIA_SOURCE "/" + file);
      EXPECT_TRUE(there) << name << " links to " << target;
      if (there && hash < target.size()) {
        EXPECT_TRUE(has_anchor(page(file), target.substr(hash + 1))) << name << " links to " << target;
      }
    }
  }
}

}  // namespace
}  // namespace talaria
