#include "api/exec_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "api/patterns.h"
#include "base/text.h"
#include "json/fields.h"
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

constexpr double longest_timeout = 365.0 * 24 * 3600;
constexpr size_t longest_label = 200;
constexpr size_t most_patterns = 16;
constexpr double any = std::numeric_limits<double>::max();

Error holds_nul(const std::string& name) {
  return invalid("exec parameter \"" + name + "\" holds a NUL character; remove it");
}

// The one given of a parameter and its alias; both with different values is a question, not an answer.
template <class T>
Result<std::optional<T>> one_of(std::optional<T> value, std::optional<T> alias, const char* name, const char* other) {
  if (value && alias && *value != *alias) {
    return invalid("exec parameters \"" + std::string(name) + "\" and \"" + other +
                   "\" mean the same and differ; give one of them");
  }
  return value ? std::move(value) : std::move(alias);
}

Result<std::string> read_command(Fields& fields) {
  std::optional<std::string> command = TRY(fields.text("command"));
  if (!command || trim(*command).empty()) return invalid("Provide a command to start.");
  if (command->find('\0') != std::string::npos) return holds_nul("command");
  if (command->size() > longest_command) {
    return invalid("exec parameter \"command\" is " + with_commas(command->size()) + " bytes long, and the limit is " +
                   with_commas(longest_command) + "; write the text to a file and run that, or pass it with \"stdin\"");
  }
  return std::move(*command);
}

Result<std::optional<std::string>> read_workdir(Fields& fields) {
  std::optional<std::string> workdir = TRY(fields.text("workdir"));
  std::optional<std::string> cwd = TRY(fields.text("cwd"));
  std::optional<std::string> given = TRY(one_of(std::move(workdir), std::move(cwd), "workdir", "cwd"));
  if (!given) return given;
  if (given->find('\0') != std::string::npos) return holds_nul("workdir");
  const std::string trimmed(trim(*given));
  return trimmed.empty() ? std::optional<std::string>() : trimmed;
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

Result<std::optional<double>> read_seconds(Fields& fields, const char* name) {
  const std::optional<double> seconds = TRY(fields.number(name, -any, any));
  if (seconds && (*seconds < 0 || *seconds > longest_timeout)) {
    return invalid("exec parameter \"" + std::string(name) + "\" must be a number of seconds from 0 (no limit) to " +
                   with_commas(static_cast<uint64_t>(longest_timeout)) + ", got " + number_text(*seconds));
  }
  return seconds;
}

Result<std::optional<int64_t>> read_yield(Fields& fields) {
  const std::optional<double> milliseconds = TRY(fields.number("yieldMs", -any, any));
  if (!milliseconds) return std::optional<int64_t>();
  return std::optional(static_cast<int64_t>(
      std::clamp(*milliseconds, static_cast<double>(least_yield_ms), static_cast<double>(most_yield_ms))));
}

template <class Mode>
Result<std::optional<Mode>> read_mode(Fields& fields, const char* name, Result<Mode> (*parse)(std::string_view)) {
  const std::optional<std::string> text = TRY(fields.text(name));
  if (!text || trim(*text).empty()) return std::optional<Mode>();
  return std::optional<Mode>(TRY(parse(*text)));
}

Result<WindowSize> read_window_size(Fields& fields) {
  WindowSize size;
  size.rows = static_cast<int>(TRY(fields.integer("rows", 1, 1000)).value_or(size.rows));
  size.cols = static_cast<int>(TRY(fields.integer("cols", 1, 1000)).value_or(size.cols));
  return size;
}

Error wrong_notify(const std::string& got) {
  return invalid("exec parameter \"notify\" must be true, false, or a list of \"exit\" and \"pattern:REGEX\", got " +
                 got.substr(0, 128));
}

Result<Notify> read_notify(Fields& fields) {
  Notify notify;
  const Json* value = fields.any("notify");
  if (!value) return notify;
  if (value->is_bool()) {
    notify.exit = value->get_bool();
    return notify;
  }
  if (!value->is_array()) return wrong_notify(write_json(*value));
  notify.exit = false;
  for (const Json& item : value->get_array()) {
    if (!item.is_string()) return wrong_notify(write_json(item));
    const std::string_view wish = item.get_string();
    if (wish == "exit") {
      notify.exit = true;
    } else if (wish.starts_with(pattern_prefix)) {
      Result<Pattern> pattern = Pattern::compile(wish.substr(pattern_prefix.size()));
      if (!pattern) return std::move(pattern).error().within("exec parameter \"notify\"");
      notify.patterns.push_back(pattern->expression());
    } else {
      return wrong_notify(write_json(item));
    }
  }
  if (notify.patterns.size() > most_patterns) {
    return invalid("exec parameter \"notify\" has more than " + std::to_string(most_patterns) +
                   " patterns; join some with |");
  }
  return notify;
}

Result<std::map<std::string, std::string>> read_env(Fields& fields) {
  auto env = TRY(fields.text_map("env"));
  if (!env) return std::map<std::string, std::string>();
  for (const auto& [name, value] : *env) {
    if (name.find('\0') != std::string::npos || value.find('\0') != std::string::npos) {
      return holds_nul("env." + name.substr(0, name.find('\0')));
    }
  }
  return std::move(*env);
}

Result<std::string> read_label(Fields& fields) {
  std::string label(trim(TRY(fields.text("label")).value_or("")));
  if (label.size() > longest_label) {
    return invalid("exec parameter \"label\" is longer than " + std::to_string(longest_label) + " bytes");
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(label.begin(), label.end(), control)) {
    return invalid("exec parameter \"label\" must be one line without control characters");
  }
  return label;
}

// A whole number and nothing else, as the peers read theirs.
std::optional<int64_t> whole_number(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  if (found == environment.end()) return std::nullopt;
  const std::string_view text = trim(found->second);
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<ExecArguments> parse_exec_arguments(const JsonObject& object) {
  static const JsonObject known = exec_spec().parameters;
  TRY(check_names(object, known, "exec parameter"));
  Fields fields(object, "exec parameter");
  ExecArguments arguments;
  arguments.command = TRY(read_command(fields));
  arguments.workdir = TRY(read_workdir(fields));
  arguments.env = TRY(read_env(fields));
  arguments.yield_ms = TRY(read_yield(fields));
  arguments.background = TRY(fields.boolean("background")).value_or(false);
  const std::optional<double> timeout = TRY(read_seconds(fields, "timeout"));
  const std::optional<double> alias = TRY(read_seconds(fields, "timeoutSeconds"));
  arguments.timeout_seconds = TRY(one_of(timeout, alias, "timeout", "timeoutSeconds"));
  arguments.pty = TRY(fields.boolean("pty")).value_or(false);
  arguments.size = TRY(read_window_size(fields));
  arguments.elevated = TRY(fields.boolean("elevated")).value_or(false);
  arguments.host = TRY(read_mode(fields, "host", parse_host));
  arguments.security = TRY(read_mode(fields, "security", parse_security));
  arguments.ask = TRY(read_mode(fields, "ask", parse_ask));
  arguments.node = TRY(fields.text("node"));
  arguments.stdin_text = TRY(fields.text("stdin"));
  arguments.label = TRY(read_label(fields));
  arguments.persist = TRY(fields.boolean("persist")).value_or(false);
  arguments.notify = TRY(read_notify(fields));
  TRY(fields.no_others());
  if (arguments.node && trim(*arguments.node).empty()) arguments.node.reset();
  if (arguments.node && arguments.host != Host::node) {
    return invalid("exec parameter \"node\" needs host=node; leave it out or set host to node");
  }
  return arguments;
}

int64_t yield_window(std::optional<int64_t> call, std::optional<int64_t> configured,
                     const std::map<std::string, std::string>& environment) {
  std::optional<int64_t> window = call ? call : configured;
  for (const char* name : {"TALARIA_EXEC_YIELD_MS", "PI_BASH_YIELD_MS"}) {
    if (!window) window = whole_number(environment, name);
  }
  return std::clamp(window.value_or(10'000), least_yield_ms, most_yield_ms);
}

JsonObject to_json(const Notify& notify) {
  JsonObject object;
  set_if(object, "exit", notify.exit);
  if (!notify.patterns.empty()) object["patterns"] = JsonArray(notify.patterns.begin(), notify.patterns.end());
  return object;
}

Notify notify_from(const JsonObject& object) {
  Notify notify;
  if (object.contains("exit")) notify.exit = boolean_or(object, "exit");
  const Json* patterns = object.if_contains("patterns");
  if (!patterns || !patterns->is_array()) return notify;
  for (const Json& pattern : patterns->get_array()) {
    if (pattern.is_string()) notify.patterns.emplace_back(pattern.get_string());
  }
  return notify;
}

}  // namespace talaria
