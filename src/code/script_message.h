#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// A tool that a script calls.
struct ScriptCall {
  std::string tool = {};
  JsonObject arguments = {};
};

// How far a script says it has come, for the person who waits.
struct ScriptProgress {
  std::string message = {};
  std::optional<double> fraction = {};  // 0 to 1

  bool operator==(const ScriptProgress&) const = default;
};

// What a frame from a script says. A request wants an answer with its id.
struct ScriptRequest {
  int64_t id = 0;
  ScriptCall call = {};
  size_t weight = 0;  // about so many bytes of memory
};
// A frame that is not read, because it holds too many values; it wants that answer.
struct ScriptRefusal {
  std::optional<int64_t> id = {};  // where it can be seen at once
  std::string why = {};

  bool operator==(const ScriptRefusal&) const = default;
};
using ScriptMessage = std::variant<ScriptRequest, ScriptProgress, ScriptRefusal>;

// So many values in one frame; more would take the loop too long and hundreds of megabytes.
inline constexpr size_t most_script_values = 200'000;

// The error quotes the beginning of the frame.
Result<ScriptMessage> parse_script_message(std::string_view text);

// The frames that answer. A result that makes a frame longer than one may be becomes nullopt.
std::optional<std::string> result_frame(int64_t id, JsonObject result);
std::string error_frame(std::optional<int64_t> id, std::string_view message);

// The beginning of `text`, in quotes and on one line, to be named in an error.
std::string quoted_beginning(std::string_view text);

}  // namespace talaria
