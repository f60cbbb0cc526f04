#include "tools/registry.h"

#include <gtest/gtest.h>

#include "tools/built_in.h"

namespace talaria {
namespace {

class FakeTool : public Tool {
 public:
  explicit FakeTool(ToolSpec spec, std::string missing = "") : spec_(std::move(spec)), missing_(std::move(missing)) {}
  const ToolSpec& spec() const override { return spec_; }
  std::string missing() const override { return missing_; }
  OperationPtr call(ToolCall, Done<ToolResult>) override { return nullptr; }

 private:
  ToolSpec spec_;
  std::string missing_;
};

class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    registry_.add(std::make_unique<FakeTool>(exec_spec()));
    registry_.add(std::make_unique<FakeTool>(read_file_spec()));
    registry_.add(std::make_unique<FakeTool>(web_search_spec(), "no provider"));
  }
  std::vector<std::string> names(const std::set<Toolset>& enabled) const {
    std::vector<std::string> all;
    for (const Tool* tool : registry_.usable(enabled)) all.push_back(tool->spec().name);
    return all;
  }
  ToolRegistry registry_;
};

TEST_F(RegistryTest, ShowsWhatIsEnabledAndThere) {
  EXPECT_EQ(names({Toolset::terminal, Toolset::file, Toolset::web}), (std::vector<std::string>{"exec", "read_file"}));
  EXPECT_EQ(names({Toolset::file}), std::vector<std::string>{"read_file"});
  EXPECT_EQ(names({}), std::vector<std::string>{});
}

class AnsweringTool : public FakeTool {
 public:
  using FakeTool::FakeTool;
  bool answers_when_missing() const override { return true; }
};

TEST_F(RegistryTest, AToolThatAnswersWithoutWhatItNeedsIsFoundAndNotShown) {
  registry_.add(std::make_unique<AnsweringTool>(web_extract_spec(), "no network"));
  const std::set<Toolset> enabled = {Toolset::file, Toolset::web};
  EXPECT_TRUE(registry_.find("web_extract", enabled));
  EXPECT_FALSE(registry_.find("web_extract", {Toolset::file}));
  EXPECT_EQ(names(enabled), std::vector<std::string>{"read_file"});
  std::vector<std::string> callable;
  for (const Tool* tool : registry_.callable(enabled)) callable.push_back(tool->spec().name);
  EXPECT_EQ(callable, (std::vector<std::string>{"read_file", "web_extract"}));
}

TEST_F(RegistryTest, SaysWhyAToolCannotBeCalled) {
  const std::set<Toolset> enabled = {Toolset::file, Toolset::web};
  EXPECT_TRUE(registry_.find("read_file", enabled));
  EXPECT_EQ(registry_.find("web_search", enabled).error(), Error(ErrorCode::unavailable, "no provider"));
  EXPECT_EQ(registry_.find("exec", enabled).error(),
            Error(ErrorCode::denied,
                  "the tool exec is not enabled for this session: its toolset terminal is not among those of the "
                  "session and of toolsets in the configuration"));
  EXPECT_EQ(registry_.find("sing", enabled).error(),
            Error(ErrorCode::not_found, "no tool \"sing\"; there are read_file"));
}

TEST(ToolsetTest, HasANameAndIsFoundByIt) {
  for (const char* name : {"terminal", "file", "web", "code", "skills"}) EXPECT_EQ(name_of(*toolset_named(name)), name);
  EXPECT_FALSE(toolset_named("files"));
}

}  // namespace
}  // namespace talaria
