#include "api/code_arguments.h"

#include <gmock/gmock.h>

#include "tools/built_in.h"

namespace talaria {
namespace {

using testing::HasSubstr;

Result<CodeArguments> parse(std::string_view text) {
  return parse_code_arguments(*parse_json_object(text), execute_code_spec());
}

std::string refusal(std::string_view text) {
  const Result<CodeArguments> parsed = parse(text);
  return parsed ? "" : parsed.error().message();
}

TEST(CodeArgumentsTest, TakesEveryParameter) {
  const Result<CodeArguments> parsed = parse(R"({"code": "1 + 1", "session": "data", "reset": true, "timeout": 1.5,
      "max_tool_calls": 3, "mode": "strict", "tools": ["read_file"], "yieldMs": 0, "trace": true})");
  ASSERT_TRUE(parsed) << parsed.error().message();
  CodeArguments wanted;
  wanted.code = "1 + 1";
  wanted.session = "data";
  wanted.reset = true;
  wanted.timeout_seconds = 1.5;
  wanted.max_tool_calls = 3;
  wanted.mode = "strict";
  wanted.tools = {"read_file"};
  wanted.yield_ms = 0;
  wanted.trace = true;
  EXPECT_EQ(*parsed, wanted);
}

TEST(CodeArgumentsTest, SaysWhichParameterItWantsAndWhichToolRunsCommands) {
  EXPECT_EQ(refusal(R"({"command": "ls"})"),
            "execute_code received a 'command' parameter, but it requires Python source in 'code'. Use "
            "terminal(command=...) for shell commands; for Python, retry as execute_code(code=...).");
  EXPECT_EQ(refusal(R"({"code": 7})"),
            "execute_code received a number in 'code', but it requires Python source as a string. Retry as "
            "execute_code(code=\"...\").");
  EXPECT_THAT(refusal(R"({"code": ["a"]})"), HasSubstr("received a list in 'code'"));
  EXPECT_THAT(refusal(R"({"code": {"a": 1}})"), HasSubstr("received a object in 'code'"));
  for (const std::string empty : {R"({})", R"({"code": ""})", R"({"code": " \n\t"})", R"({"code": null})"}) {
    EXPECT_EQ(refusal(empty),
              "No code provided. execute_code requires a non-empty 'code' parameter containing Python source. To run "
              "shell commands, use terminal(command=...) instead.");
  }
}

TEST(CodeArgumentsTest, AProgramUnderAnotherNameIsNamedAndNotMissed) {
  EXPECT_THAT(refusal(R"({"source_code": "1"})"), HasSubstr("\"source_code\" (did you mean \"code\"?); known: code, "));
  EXPECT_THAT(refusal(R"({"script": "1"})"), HasSubstr("unknown execute_code parameter \"script\"; known: code, "));
}

TEST(CodeArgumentsTest, NamesTheParameterThatDoesNotFit) {
  EXPECT_THAT(refusal(R"({"code": "1", "timeout": "5"})"), HasSubstr("\"timeout\""));
  EXPECT_THAT(refusal(R"({"code": "1", "timeout": 0})"), HasSubstr("\"timeout\" must be more than 0"));
  EXPECT_THAT(refusal(R"({"code": "1", "max_tool_calls": -1})"), HasSubstr("\"max_tool_calls\""));
  EXPECT_THAT(refusal(R"({"code": "1", "mode": "fast"})"), HasSubstr("\"mode\""));
  EXPECT_THAT(refusal(R"({"code": "1", "language": "perl"})"), HasSubstr("\"language\""));
  EXPECT_THAT(refusal(R"({"code": "1", "reset": true})"), HasSubstr("\"reset\" needs \"session\""));
  EXPECT_THAT(refusal(R"({"code": "1", "session": "a/b"})"), HasSubstr("\"session\" must be a name"));
  EXPECT_THAT(refusal(R"({"code": "1", "session": ")" + std::string(65, 'a') + "\"}"), HasSubstr("\"session\""));
}

TEST(CodeArgumentsTest, NeverGivesMoreThanIsConfigured) {
  CodeArguments arguments;
  CodeSettings settings;
  EXPECT_EQ(code_limits(arguments, settings), (CodeLimits{300, 50, {}}));
  arguments.timeout_seconds = 10;
  arguments.max_tool_calls = 5;
  EXPECT_EQ(code_limits(arguments, settings), (CodeLimits{10, 5, {}}));
  arguments.timeout_seconds = 1000;
  arguments.max_tool_calls = 600;
  const CodeLimits capped = code_limits(arguments, settings);
  EXPECT_EQ(capped.timeout_seconds, 300);
  EXPECT_EQ(capped.max_tool_calls, 50);
  EXPECT_THAT(capped.notes,
              testing::ElementsAre(HasSubstr("code_execution.timeout"), HasSubstr("code_execution.max_tool_calls")));
}

class NamedTool : public Tool {
 public:
  explicit NamedTool(const std::string& name) { spec_.name = name; }
  const ToolSpec& spec() const override { return spec_; }
  OperationPtr call(ToolCall, Done<ToolResult>) override { return nullptr; }

 private:
  ToolSpec spec_;
};

TEST(CodeArgumentsTest, GivesTheToolsThatTheSessionHas) {
  const NamedTool read("read_file"), exec("exec"), terminal("terminal"), itself("execute_code");
  const std::vector<const Tool*> usable = {&exec, &terminal, &read, &itself};
  CodeArguments arguments;
  EXPECT_EQ(*tools_for(arguments, usable), (std::vector<std::string>{"read_file", "terminal"}));
  arguments.tools = {"terminal"};
  EXPECT_EQ(*tools_for(arguments, usable), (std::vector<std::string>{"terminal"}));
  arguments.tools = {"execute_code"};
  EXPECT_THAT(tools_for(arguments, usable).error().message(), HasSubstr("it can call: read_file, terminal"));
  arguments.tools = std::vector<std::string>();
  EXPECT_THAT(tools_for(arguments, usable).error().message(), HasSubstr("\"tools\" is empty"));
  arguments.tools.reset();
  EXPECT_THAT(tools_for(arguments, {&exec}).error().message(), HasSubstr("none of web_search"));
}

}  // namespace
}  // namespace talaria
