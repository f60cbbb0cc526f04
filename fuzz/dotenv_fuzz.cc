// Any text may be in .env: reading it must not crash, and an edit that succeeds must have happened and changed nothing
// else. The input is such a text, and after a NUL byte a name and after another a value.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "config/dotenv_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using Variables = std::map<std::string, std::string>;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t first = input.find('\0');
  const std::string_view text = input.substr(0, first);
  const std::string_view rest = first == std::string_view::npos ? "A" : input.substr(first + 1);
  const size_t second = rest.find('\0');
  const std::string name(rest.substr(0, second));
  const std::string_view value = second == std::string_view::npos ? "x y" : rest.substr(second + 1);

  Variables variables = talaria::parse_dotenv(text);
  const talaria::Result<std::string> edited = talaria::set_variable(text, name, value);
  if (!edited) return 0;
  Variables wanted = variables;
  wanted[name] = value;
  CHECK(talaria::parse_dotenv(*edited) == wanted);
  const talaria::Result<std::string> removed = talaria::unset_variable(*edited, name);
  if (!removed) return 0;
  wanted.erase(name);
  CHECK(talaria::parse_dotenv(*removed) == wanted);
  return 0;
}
