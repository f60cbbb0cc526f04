// hermes_tools says the same of the tools as the tools themselves do.
//
// The rule, for every tool that programs may call:
//  - the function has the tool's name, and its parameters are those of the tool's inputSchema: the same names in the
//    same order, all of which may be given by position or by name;
//  - a parameter without a default is one that the schema requires, and the other way round;
//  - a default is what the schema's description says in its last "(default X)", in Python: a number, False, a word or
//    None. The default None stands for one that the gateway knows (it may be configured) or for "not given"; a boolean
//    that says nothing of a default has False;
//  - the annotation is the schema's type: string str, integer int, number float, boolean bool, array of strings
//    list[str]; with "| None" when the default is None. All return dict;
//  - the docstring begins with the beginning of the tool's description, up to where that speaks of an agent's other
//    choices; then it has a line "name: description" for each parameter, word for word, in the same order; then
//    "Returns ".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "product/code_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* describe = R"py(
import inspect, json, sys
sys.path.insert(0, sys.argv[1])
import hermes_tools
functions = {}
def shown(annotation): return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
for name in hermes_tools.__all__:
    function = getattr(hermes_tools, name)
    if not inspect.isfunction(function): continue
    signature = inspect.signature(function)
    functions[name] = {'doc': inspect.getdoc(function), 'returns': shown(signature.return_annotation), 'parameters': [
        {'name': p.name, 'kind': p.kind.name, 'annotation': shown(p.annotation),
         **({} if p.default is p.empty else {'default': p.default})} for p in signature.parameters.values()]}
print(json.dumps({'all': hermes_tools.__all__, 'functions': functions, 'strict': hermes_tools.strict,
                  'third party': sorted(m for m in sys.modules if 'site-packages' in
                                        (getattr(sys.modules[m], '__file__', None) or ''))}))
)py";

const std::vector<std::string> tools = {"web_search",   "web_extract", "read_file", "write_file",
                                        "search_files", "patch",       "terminal"};

class CodeSchemaTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    House house;
    house.environment()["TAVILY_API_KEY"] = "x";  // web_search is there with a provider only
    EXPECT_EQ(house.run({"config", "set", "web.search.provider", "searxng"}).code, 0);
    EXPECT_EQ(house.run({"config", "set", "web.search.url", "http://127.0.0.1:1"}).code, 0);
    RpcClient client = house.connect();
    const Result<JsonObject> listed = client.call_object("tools/list", {});
    ASSERT_TRUE(listed) << listed.error().message();
    entries_ = new JsonObject();
    for (const Json& tool : listed->at("tools").as_array()) {
      (*entries_)[text_or(tool.as_object(), "name")] = tool;
    }
    const std::string library = program_path("../lib/talaria/python");
    const Ran ran = house.start_program("/usr/bin/python3", {"-I", "-S", "-c", describe, library}).finish();
    ASSERT_EQ(ran.code, 0) << ran.err;
    module_ = new JsonObject(*parse_json_object(ran.out));
  }
  static void TearDownTestSuite() {
    delete entries_;
    delete module_;
  }

  static const JsonObject& entry(const std::string& tool) { return entries_->at(tool).as_object(); }
  static const JsonObject& properties(const std::string& tool) {
    return entry(tool).at("inputSchema").as_object().at("properties").as_object();
  }
  static bool is_required(const std::string& tool, std::string_view parameter) {
    const Json* required = entry(tool).at("inputSchema").as_object().if_contains("required");
    if (!required) return false;
    return std::ranges::any_of(required->as_array(), [&](const Json& name) { return name.as_string() == parameter; });
  }
  static const JsonObject& function(const std::string& tool) {
    return module_->at("functions").as_object().at(tool).as_object();
  }
  static const JsonArray& parameters(const std::string& tool) { return function(tool).at("parameters").as_array(); }

  // X of the last "(default X)" or "X (default)" in a description; empty when there is none.
  static std::string told_default(const std::string& description) {
    const std::string mark = "(default ";
    if (const size_t at = description.rfind(mark); at != std::string::npos) {
      return description.substr(at + mark.size(), description.find(')', at) - at - mark.size());
    }
    const size_t at = description.find(" (default)");
    if (at == std::string::npos) return "";
    const size_t begin = description.find_last_of(" ", at - 1);
    return description.substr(begin == std::string::npos ? 0 : begin + 1,
                              at - (begin == std::string::npos ? 0 : begin + 1));
  }
  static std::string python_type(const JsonObject& schema) {
    const std::string type = text_or(schema, "type");
    if (type == "string") return "str";
    if (type == "integer") return "int";
    if (type == "number") return "float";
    if (type == "boolean") return "bool";
    return type == "array" ? "list[str]" : type;
  }
  // As the description has it.
  static std::string shown(const Json& value) {
    if (value.is_bool()) return value.as_bool() ? "true" : "false";
    return value.is_string() ? std::string(value.as_string()) : write_json(value);
  }

  static JsonObject* entries_;
  static JsonObject* module_;
};
JsonObject* CodeSchemaTest::entries_ = nullptr;
JsonObject* CodeSchemaTest::module_ = nullptr;

TEST_F(CodeSchemaTest, EveryToolOfProgramsIsAFunctionAndExported) {
  std::vector<std::string> exported;
  for (const Json& name : module_->at("all").as_array()) exported.emplace_back(name.as_string());
  ASSERT_GE(exported.size(), tools.size());
  EXPECT_TRUE(std::ranges::equal(tools, std::vector(exported.begin(), exported.begin() + 7)));
  EXPECT_THAT(std::vector(exported.begin() + 7, exported.end()),
              ElementsAre("json_parse", "shell_quote", "retry", "progress", "parallel", "parallel_map", "ToolError"));
  EXPECT_FALSE(module_->at("strict").as_bool());
  EXPECT_TRUE(module_->at("third party").as_array().empty());
}

TEST_F(CodeSchemaTest, ParametersHaveTheNamesAndTheOrderOfTheSchema) {
  for (const std::string& tool : tools) {
    std::vector<std::string> named, wanted;
    for (const Json& parameter : parameters(tool)) {
      named.push_back(text_or(parameter.as_object(), "name"));
      EXPECT_EQ(text_or(parameter.as_object(), "kind"), "POSITIONAL_OR_KEYWORD") << tool << " " << named.back();
    }
    for (const auto& property : properties(tool)) wanted.emplace_back(property.key());
    EXPECT_EQ(named, wanted) << tool;
  }
}

TEST_F(CodeSchemaTest, DefaultsAreThoseOfTheSchema) {
  for (const std::string& tool : tools) {
    for (const Json& item : parameters(tool)) {
      const JsonObject& parameter = item.as_object();
      const std::string name = text_or(parameter, "name"), where = tool + "(" + name + ")";
      const JsonObject& schema = properties(tool).at(name).as_object();
      const Json* value = parameter.if_contains("default");
      EXPECT_EQ(value == nullptr, is_required(tool, name)) << where;
      if (!value || value->is_null()) continue;
      const std::string told = told_default(text_or(schema, "description"));
      EXPECT_EQ(shown(*value), told.empty() && text_or(schema, "type") == "boolean" ? "false" : told) << where;
    }
  }
}

TEST_F(CodeSchemaTest, ANoneStandsForWhatTheGatewayKnows) {
  std::vector<std::string> none;
  for (const std::string& tool : tools) {
    for (const Json& item : parameters(tool)) {
      const Json* value = item.as_object().if_contains("default");
      if (value && value->is_null()) none.push_back(tool + "." + text_or(item.as_object(), "name"));
    }
  }
  EXPECT_THAT(none, ElementsAre("web_extract.char_limit", "search_files.file_glob", "patch.path", "patch.old_string",
                                "patch.new_string", "patch.patch", "terminal.timeout", "terminal.workdir"));
}

TEST_F(CodeSchemaTest, AnnotationsAreTheTypesOfTheSchema) {
  for (const std::string& tool : tools) {
    EXPECT_EQ(text_or(function(tool), "returns"), "dict") << tool;
    for (const Json& item : parameters(tool)) {
      const JsonObject& parameter = item.as_object();
      const Json* value = parameter.if_contains("default");
      const std::string name = text_or(parameter, "name");
      const std::string type = python_type(properties(tool).at(name).as_object());
      EXPECT_EQ(text_or(parameter, "annotation"), type + (value && value->is_null() ? " | None" : ""))
          << tool << " " << name;
    }
  }
}

TEST_F(CodeSchemaTest, DocstringsSayWhatTheSchemasSay) {
  for (const std::string& tool : tools) {
    const std::string doc = text_or(function(tool), "doc");
    const std::string description = text_or(entry(tool), "description");
    std::string first = doc.substr(0, doc.find("\n\n"));
    std::ranges::replace(first, '\n', ' ');
    ASSERT_TRUE(first.ends_with('.')) << tool;
    EXPECT_THAT(description, StartsWith(first.substr(0, first.size() - 1))) << tool;
    std::string parts;
    for (const auto& property : properties(tool)) {
      parts += std::string(property.key()) + ": " + text_or(property.value().as_object(), "description") + "\n";
    }
    EXPECT_THAT(doc, HasSubstr("\n\n" + parts + "\nReturns ")) << tool;
  }
}

}  // namespace
}  // namespace talaria
