#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// How far a call has come, for the person who waits.
struct ToolProgress {
  std::string message;
  std::optional<double> fraction;  // of the whole, 0 to 1
  std::string job = {};            // of the program it tells of; said once, when it begins
};

// Who asks. Doors fill it in; operations never guess it.
struct Caller {
  std::string door;      // "socket", "cli", later "mcp", "http", "script"
  std::string client;    // tells readers apart: poll continues where this client left off
  bool person = false;   // sees every session's jobs; an agent sees its own session's only
  std::string cwd = {};  // where relative paths of this call begin; empty: where the session is
  bool program = false;  // a program reads the result, and wants data as it is
  std::shared_ptr<const std::map<std::string, std::string>> environment = {};  // of the client's, where it is given
  // Both are called from the loop, until the answer. What a program prints, as it is; false: no more for a moment.
  std::function<void(const ToolProgress&)> on_progress = {};
  std::function<bool(std::string_view)> on_output = {};
};

// The session a call belongs to, as the caller names it.
struct SessionRef {
  std::optional<std::string> id = {};    // an existing one
  std::optional<std::string> cwd = {};   // absolute; with it the client's session of that workspace is found or made
  std::optional<std::string> name = {};  // a session of that workspace that every client finds
  std::optional<std::vector<std::string>> toolsets = {};  // the only ones it is to have, from now on
  std::optional<int64_t> slot = {};                       // which of the client's: the first one, unless it is said
};
constexpr int64_t free_slot = 0;  // the first that no other living client uses
constexpr int64_t last_slot = 1000;

// What a tool answers: text for a model, details for a program.
struct ToolResult {
  std::string text;
  JsonObject details;
  bool is_error = false;
};

// Something under way. Destroying it cancels: its callbacks are never called again, and what it alone was doing stops
// (a foreground command is killed; one already handed back as running goes on).
class Operation {
 public:
  virtual ~Operation() = default;
};
using OperationPtr = std::unique_ptr<Operation>;

// When an event counts as delivered.
enum class Delivery {
  at_once,       // when it was handed to the subscriber
  acknowledged,  // when the subscriber says so; if it goes before, the event is offered to the next one
};

template <class T>
using Done = std::function<void(Result<T>)>;

}  // namespace talaria
