#include "api/process_arguments.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "json/fields.h"
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

struct Named {
  ProcessAction action;
  std::string_view name;
};
constexpr std::array<Named, 12> actions = {{
    {ProcessAction::list, "list"},
    {ProcessAction::poll, "poll"},
    {ProcessAction::log, "log"},
    {ProcessAction::write, "write"},
    {ProcessAction::send_keys, "send-keys"},
    {ProcessAction::submit, "submit"},
    {ProcessAction::paste, "paste"},
    {ProcessAction::wait, "wait"},
    {ProcessAction::resize, "resize"},
    {ProcessAction::kill, "kill"},
    {ProcessAction::clear, "clear"},
    {ProcessAction::remove, "remove"},
}};

constexpr int64_t any_size = std::numeric_limits<int64_t>::max();

Result<ProcessAction> read_action(Fields& fields) {
  const std::optional<std::string> text = TRY(fields.text("action"));
  for (const Named& candidate : actions) {
    if (text && candidate.name == trim(*text)) return candidate.action;
  }
  return invalid("Invalid process action. Expected one of: " + join(process_action_names(), ", "));
}

// Milliseconds: below 0 counts as 0; every action sets its own upper end.
Result<std::optional<int64_t>> read_timeout(Fields& fields) {
  constexpr double most = 1e15;
  const std::optional<double> value =
      TRY(fields.number("timeout", -std::numeric_limits<double>::max(), std::numeric_limits<double>::max()));
  if (!value) return std::optional<int64_t>();
  return std::optional(static_cast<int64_t>(std::clamp(*value, 0.0, most)));
}

// Seconds, at most a century.
Result<std::optional<int64_t>> read_age(Fields& fields, std::string_view name) {
  const std::optional<double> seconds = TRY(fields.number(name, 0, 3.2e9));
  if (!seconds) return std::optional<int64_t>();
  return std::optional(static_cast<int64_t>(*seconds * 1000));
}

// A signal is a name or a number; both are kept as text.
Result<std::optional<std::string>> read_signal(Fields& fields) {
  const Json* value = fields.any("signal");
  if (!value) return std::optional<std::string>();
  if (value->is_int64()) return std::optional(std::to_string(value->get_int64()));
  if (value->is_string()) return std::optional(std::string(value->get_string()));
  return invalid("process parameter \"signal\" must be a name or a number, got " + std::string(kind_name(*value)));
}

}  // namespace

const std::vector<std::string>& process_action_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Named& named : actions) all.emplace_back(named.name);
    return all;
  }();
  return names;
}

std::string_view name_of(ProcessAction action) {
  for (const Named& candidate : actions) {
    if (candidate.action == action) return candidate.name;
  }
  return "";
}

Result<ProcessArguments> parse_process_arguments(const JsonObject& object) {
  static const JsonObject known = process_spec().parameters;
  TRY(check_names(object, known, "process parameter"));
  Fields fields(object, "process parameter");
  ProcessArguments arguments;
  arguments.action = TRY(read_action(fields));
  arguments.job = trim(TRY(fields.text("sessionId")).value_or(""));
  arguments.timeout_ms = TRY(read_timeout(fields));
  arguments.offset = TRY(fields.integer("offset", 0, any_size));
  arguments.limit = TRY(fields.integer("limit", 1, any_size));
  arguments.grep = TRY(fields.text("grep"));
  arguments.data = TRY(fields.text("data"));
  arguments.eof = TRY(fields.boolean("eof")).value_or(false);
  arguments.keys = TRY(fields.texts("keys")).value_or(std::vector<std::string>());
  arguments.literal = TRY(fields.text("literal"));
  arguments.hex = TRY(fields.texts("hex")).value_or(std::vector<std::string>());
  arguments.text = TRY(fields.text("text"));
  arguments.bracketed = TRY(fields.boolean("bracketed"));
  arguments.until = TRY(fields.text("until"));
  arguments.rows = TRY(fields.integer("rows", 1, 1000));
  arguments.cols = TRY(fields.integer("cols", 1, 1000));
  arguments.signal = TRY(read_signal(fields));
  arguments.state = TRY(fields.text("state"));
  arguments.newer_than_ms = TRY(read_age(fields, "newerThan"));
  arguments.older_than_ms = TRY(read_age(fields, "olderThan"));
  TRY(fields.no_others());
  if (arguments.job.empty() && arguments.action != ProcessAction::list) {
    return invalid("sessionId is required for this action.");
  }
  return arguments;
}

}  // namespace talaria
