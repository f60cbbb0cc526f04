#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

enum class ProcessAction { list, poll, log, write, send_keys, paste, submit, wait, resize, kill, clear, remove };

// In the order they are shown.
const std::vector<std::string>& process_action_names();
std::string_view name_of(ProcessAction action);

// What a caller of the process tool wants. Which fields matter depends on the action; each action asks for its own.
struct ProcessArguments {
  ProcessAction action = ProcessAction::list;
  std::string job;  // the tool's sessionId: an id or the beginning of one; empty only for list
  std::optional<int64_t> timeout_ms;
  std::optional<int64_t> offset;
  std::optional<int64_t> limit;
  std::optional<std::string> grep;
  std::optional<std::string> data;
  bool eof = false;
  std::vector<std::string> keys;
  std::optional<std::string> literal;
  std::vector<std::string> hex;
  std::optional<std::string> text;
  std::optional<bool> bracketed;
  std::optional<std::string> until;
  std::optional<int64_t> rows;
  std::optional<int64_t> cols;
  std::optional<std::string> signal;
  std::optional<std::string> state;
  std::optional<int64_t> newer_than_ms;
  std::optional<int64_t> older_than_ms;
  bool operator==(const ProcessArguments&) const = default;
};

Result<ProcessArguments> parse_process_arguments(const JsonObject& object);

}  // namespace talaria
