#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "store/session_table.h"
#include "tools/operation.h"

namespace talaria {

// Tools that are given to an agent, or kept from it, together.
enum class Toolset { terminal, file, web, code, skills };
std::string_view name_of(Toolset toolset);
std::optional<Toolset> toolset_named(std::string_view name);

// What a client may tell its person before a call.
struct ToolHints {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = false;  // it reaches outside this machine
};

// How a tool presents itself.
struct ToolSpec {
  std::string name;
  Toolset toolset = Toolset::terminal;
  std::string description;  // for the model: what it does and when to use it
  JsonObject parameters;    // name: schema
  std::vector<std::string> required;
  ToolHints hints;
  bool person_needs_no_session = false;  // a person may call it about every session
  bool checks_own_arguments = false;     // it reads more than its schema says (other names, other forms)
  bool says_where_it_runs = false;       // its description goes on with where commands run
};

// {type: object, properties, required, additionalProperties: false}.
JsonObject input_schema(const ToolSpec& spec);
// As tools/list shows it.
JsonObject to_json(const ToolSpec& spec);

// One call, its arguments checked against the schema.
struct ToolCall {
  JsonObject arguments;
  std::optional<SessionRow> session;  // absent only where the spec allows it
  Caller caller;
};

// Something an agent can ask for.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolSpec& spec() const = 0;
  // Why it cannot be used as things are configured, with what to do about it; empty when it can.
  virtual std::string missing() const { return ""; }
  // Whether a call is answered all the same, in the shape of every answer: programs of agents count on it.
  virtual bool answers_when_missing() const { return false; }
  [[nodiscard]] virtual OperationPtr call(ToolCall call, Done<ToolResult> done) = 0;
};

}  // namespace talaria
