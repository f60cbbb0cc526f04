#include "code/interpreter_facts.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "json/fields.h"

namespace talaria {
namespace {

constexpr std::string_view line_start = "talaria-python ";
constexpr size_t most_line_bytes = 64 << 10;
constexpr size_t most_path_bytes = 4095;
constexpr size_t most_folders = 16;
constexpr size_t most_shown = 200;

bool is_path(const std::string& text) {
  return text.starts_with('/') && text.size() <= most_path_bytes && text.find('\0') == std::string::npos;
}

Result<std::string> path_in(Fields& fields, std::string_view name) {
  const std::optional<std::string> path = TRY(fields.text(name));
  if (!path || !is_path(*path)) return invalid(std::string(name) + " is not an absolute path");
  return *path;
}

Result<std::vector<std::string>> paths_in(Fields& fields, std::string_view name) {
  const std::optional<std::vector<std::string>> listed = TRY(fields.texts(name));
  std::vector<std::string> paths;
  for (const std::string& path : listed.value_or(std::vector<std::string>())) {
    if (is_path(path) && paths.size() < most_folders) paths.push_back(path);
  }
  return paths;
}

Result<> read_version(Fields& fields, PythonFacts& facts) {
  const Json* version = fields.any("version");
  int* const numbers[] = {&facts.major, &facts.minor, &facts.micro};
  if (!version || !version->is_array() || version->get_array().size() != std::size(numbers)) {
    return invalid("its version is not three numbers");
  }
  for (size_t i = 0; i < std::size(numbers); ++i) {
    const Json& number = version->get_array()[i];
    if (!number.is_int64() || number.get_int64() < 0 || number.get_int64() > 9999) {
      return invalid("its version is not three numbers");
    }
    *numbers[i] = static_cast<int>(number.get_int64());
  }
  return ok;
}

Result<PythonFacts> facts_from(const JsonObject& object) {
  Fields fields(object, "python");
  PythonFacts facts;
  TRY(read_version(fields, facts));
  facts.implementation = TRY(fields.text("implementation")).value_or("");
  facts.executable = TRY(path_in(fields, "executable"));
  facts.base = TRY(path_in(fields, "base"));
  facts.prefix = TRY(path_in(fields, "prefix"));
  facts.base_prefix = TRY(path_in(fields, "base_prefix"));
  facts.has_ctypes = TRY(fields.boolean("ctypes")).value_or(false);
  facts.stdlib = TRY(path_in(fields, "stdlib"));
  facts.library = TRY(paths_in(fields, "library"));
  facts.site = TRY(paths_in(fields, "site"));
  return facts;
}

// One line that can stand in a sentence.
std::string shown_in_sentence(std::string_view text) {
  std::string line;
  for (const char c : first_characters(trim(text), most_shown)) {
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return is_utf8(line) ? line : "";
}

std::string_view last_line(std::string_view output) {
  output = trim(output);
  return output.substr(output.find_last_of('\n') + 1);
}

}  // namespace

std::string PythonFacts::version() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro);
}

Result<PythonFacts> parse_python_facts(std::string_view output) {
  const size_t begin = ("\n" + std::string(output)).rfind("\n" + std::string(line_start));
  if (begin == std::string::npos) return invalid("it did not say what it is");
  std::string_view line = output.substr(begin + line_start.size());
  line = line.substr(0, line.find('\n'));
  if (line.size() > most_line_bytes) return invalid("it said more of itself than can be true");
  Result<JsonObject> object = parse_json_object(line);
  Result<PythonFacts> facts = object ? facts_from(*object) : std::move(object).error();
  if (!facts) return invalid("what it said of itself makes no sense: " + facts.error().message());
  return facts;
}

std::string why_unusable(const PythonFacts& facts) {
  if (facts.implementation != "cpython") {
    return "it is " + shown_in_sentence(facts.implementation) + ", and only CPython can run scripts";
  }
  if (facts.major != 3 || facts.minor < 8) {
    return "it is Python " + facts.version() + ", and 3.8 is the oldest that can run scripts";
  }
  return "";
}

std::string why_no_answer(int exit_code, int exit_signal, std::string_view output) {
  const std::string said = shown_in_sentence(last_line(output));
  const std::string how = exit_signal != 0 ? "it was ended by signal " + std::to_string(exit_signal)
                                           : "it ended with exit code " + std::to_string(exit_code);
  return said.empty() ? how : how + " and said: " + said;
}

std::vector<std::string> marked_paths(const std::string& program, const PythonFacts& facts) {
  std::vector<std::string> paths = {program, facts.base, facts.prefix + "/pyvenv.cfg", facts.stdlib};
  paths.insert(paths.end(), facts.site.begin(), facts.site.end());
  return paths;
}

std::vector<std::string> marked_base_paths(const PythonFacts& facts) { return {facts.base, facts.stdlib}; }

}  // namespace talaria
