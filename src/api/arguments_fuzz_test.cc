// Whatever a call's arguments are, they are taken, or refused by a sentence that names the parameter.
#include <gtest/gtest.h>

#include <random>

#include "api/exec_arguments.h"
#include "api/process_arguments.h"
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

class Arguments {
 public:
  explicit Arguments(uint32_t seed) : random_(seed) {}

  JsonObject next(const ToolSpec& spec) {
    JsonObject arguments;
    for (const auto& [name, schema] : spec.parameters) {
      if (below(3) == 0) arguments[name] = value(2);
    }
    if (below(4) == 0) arguments[std::string(1 + below(80), 'z')] = value(1);
    for (const std::string& name : spec.required) {
      if (below(2) == 0) arguments[name] = "text";
    }
    return arguments;
  }

 private:
  size_t below(size_t end) { return random_() % end; }

  Json value(int depth) {
    switch (below(depth > 0 ? 9 : 7)) {
      case 0: return Json();
      case 1: return Json(below(2) == 0);
      case 2: return Json(static_cast<int64_t>(below(5)) - 2);
      case 3: return Json(static_cast<int64_t>(random_()) << 30);
      case 4: return Json(static_cast<double>(random_()) / 7);
      case 5: return Json(std::string(below(400) == 0 ? 9 << 20 : below(20), 'a'));
      case 6: return Json(std::string("\0\x01\xc3\xa9", 4));
      case 7: {
        JsonArray list;
        for (size_t count = below(4); count > 0; --count) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        JsonObject object;
        for (size_t count = below(4); count > 0; --count) object[std::string(1 + below(5), 'k')] = value(depth - 1);
        return object;
      }
    }
  }

  std::mt19937 random_;
};

// One of the tool's parameters, or one that it does not have and was given.
bool names_a_parameter(const std::string& message, const ToolSpec& spec, const JsonObject& arguments) {
  for (const auto& [name, schema] : spec.parameters) {
    if (message.find(name) != std::string::npos) return true;
  }
  for (const auto& [name, value] : arguments) {
    if (message.find(name.substr(0, 60)) != std::string::npos) return true;
  }
  return false;
}

template <class Check>
void fuzz(const ToolSpec& spec, const Check& check) {
  Arguments arguments(20'261'116);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const JsonObject given = arguments.next(spec);
    const std::string message = check(given);
    if (message.empty()) continue;
    ++refused;
    EXPECT_TRUE(names_a_parameter(message, spec, given)) << spec.name << ": " << message;
    EXPECT_LT(message.size(), 2000U);
  }
  EXPECT_GT(refused, 1000) << spec.name;
}

TEST(ArgumentsFuzzTest, ASchemaNamesTheParameter) {
  for (const ToolSpec& spec : {terminal_spec(), read_file_spec(), write_file_spec(), search_files_spec(), patch_spec(),
                               web_search_spec(), web_extract_spec(), exec_spec(), process_spec()}) {
    fuzz(spec, [&](const JsonObject& given) {
      const Result<> checked = check_object(given, input_schema(spec), spec.name + " parameter");
      return checked ? "" : checked.error().message();
    });
  }
}

TEST(ArgumentsFuzzTest, ExecAndProcessNameItThemselves) {
  fuzz(exec_spec(), [](const JsonObject& given) {
    const auto parsed = parse_exec_arguments(given);
    if (parsed || parsed.error().message() == "Provide a command to start.") return std::string();
    return parsed.error().message();
  });
  fuzz(process_spec(), [](const JsonObject& given) {
    const auto parsed = parse_process_arguments(given);
    return parsed ? std::string() : parsed.error().message();
  });
}

}  // namespace
}  // namespace talaria
