#include "tools/schema.h"

#include <gtest/gtest.h>

#include "tools/built_in.h"

namespace talaria {
namespace {

std::string error_of(const ToolSpec& spec, const char* arguments) {
  const Result<> checked = check_object(*parse_json_object(arguments), input_schema(spec), spec.name + " parameter");
  return checked ? "" : checked.error().message();
}

TEST(SchemaTest, TakesWhatFits) {
  EXPECT_EQ(error_of(read_file_spec(), R"({"path": "a", "offset": 3, "limit": 2.0})"), "");
  EXPECT_EQ(error_of(read_file_spec(), R"({"path": "a", "offset": null})"), "");
  EXPECT_EQ(error_of(web_extract_spec(), R"({"urls": ["a", "b"]})"), "");
  EXPECT_EQ(error_of(exec_spec(), R"({"command": "x", "notify": ["exit"], "env": {"A": "b"}})"), "");
  EXPECT_EQ(error_of(exec_spec(), R"({"command": "x", "notify": true})"), "");
}

TEST(SchemaTest, NamesTheFieldThatDoesNotFit) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", R"(read_file parameter "path" is missing)"},
      {R"({"path": null})", R"(read_file parameter "path" is missing)"},
      {R"({"path": 3})", R"(read_file parameter "path" must be a string, got a number)"},
      {R"({"path": ["a"]})", R"(read_file parameter "path" must be a string, got a list)"},
      {R"({"path": ""})", R"(read_file parameter "path" must be a text that is not empty)"},
      {R"({"path": "a", "offset": "3"})", R"(read_file parameter "offset" must be a whole number, got a string)"},
      {R"({"path": "a", "offset": 3.5})", R"(read_file parameter "offset" must be a whole number, got 3.5)"},
      {R"({"path": "a", "offset": 0})",
       R"(read_file parameter "offset" must be a whole number from 1 to 1000000000, got 0)"},
      {R"({"path": "a", "offest": 1})",
       R"(unknown read_file parameter "offest" (did you mean "offset"?); known: path, offset, limit)"},
  };
  for (const auto& [arguments, message] : cases) EXPECT_EQ(error_of(read_file_spec(), arguments), message);
  EXPECT_EQ(error_of(web_extract_spec(), R"({"urls": ["a", 3]})"),
            R"(web_extract parameter "urls[1]" must be a string, got a number)");
  EXPECT_EQ(error_of(web_extract_spec(), R"({"urls": []})"),
            R"(web_extract parameter "urls" must be a list that is not empty)");
  EXPECT_EQ(error_of(web_extract_spec(), R"({"urls": ["1","2","3","4","5","6"]})"),
            R"(web_extract parameter "urls" must be a list of at most 5, got 6)");
  EXPECT_EQ(error_of(search_files_spec(), R"({"pattern": "x", "target": "names"})"),
            R"(search_files parameter "target" must be one of content, files, got "names")");
  EXPECT_EQ(error_of(exec_spec(), R"({"command": "x", "env": {"A": 1}})"),
            R"(exec parameter "env.A" must be a string, got a number)");
  EXPECT_EQ(error_of(exec_spec(), R"({"command": "x", "notify": "exit"})"),
            R"(exec parameter "notify" must be true or false or a list, got a string)");
}

TEST(SchemaTest, NamesTheFieldWhateverIsWrongWithIt) {
  const ToolSpec specs[] = {terminal_spec(), read_file_spec(),  write_file_spec(), search_files_spec(),
                            patch_spec(),    web_search_spec(), web_extract_spec()};
  const Json wrong[] = {Json(JsonObject{{"a", 1}}), Json(JsonArray{Json(JsonArray{})}), Json(true), Json(-1e300),
                        Json(std::string(9 << 20, 'x'))};
  for (const ToolSpec& spec : specs) {
    for (const auto& [name, schema] : spec.parameters) {
      int refused = 0;
      for (const Json& value : wrong) {
        const Result<> checked = check_object({{name, value}}, input_schema(spec), spec.name + " parameter");
        if (checked) continue;
        const bool other = checked.error().message().find("is missing") != std::string::npos;
        refused += other ? 0 : 1;
        EXPECT_TRUE(other || checked.error().message().find("\"" + std::string(name)) != std::string::npos)
            << checked.error().message();
        EXPECT_LT(checked.error().message().size(), 400U);
      }
      EXPECT_GE(refused, 3) << spec.name << "." << std::string(name);
    }
  }
}

TEST(SchemaTest, StaysBoundedInDepthAndLength) {
  JsonObject deep;
  JsonObject schema{{"type", "object"}, {"additionalProperties", JsonObject{{"type", "object"}}}};
  for (int i = 0; i < 30; ++i) deep = JsonObject{{"a", deep}};
  EXPECT_TRUE(check_object(deep, schema, "field"));
  const std::string name(1 << 20, 'n');
  const Result<> checked = check_object({{name, 1}}, input_schema(read_file_spec()), "read_file parameter");
  ASSERT_FALSE(checked);
  EXPECT_LT(checked.error().message().size(), 400U);
}

}  // namespace
}  // namespace talaria
