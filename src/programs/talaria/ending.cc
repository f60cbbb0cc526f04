#include "talaria/ending.h"

#include "base/text.h"
#include "process/exit_status.h"

namespace talaria {

int exit_code_of(const JsonObject& details) {
  const std::string status = text_or(details, "status");
  if (status == "running") return 0;
  if (status == "denied" || status == "pending_approval") return exit_denied;
  if (text_or(details, "reason") == "timeout") return exit_timeout;
  if (const std::string signal = text_or(details, "exitSignal"); !signal.empty()) {
    Result<int> number = parse_signal(signal);
    return number ? 128 + *number : exit_own_failure;
  }
  return static_cast<int>(integer_or(details, "exitCode", exit_own_failure));
}

std::string sandbox_sentence(const JsonObject& details) {
  const JsonObject* sandbox = object_or_null(details, "sandbox");
  if (!sandbox) return "";
  const std::string reason = text_or(*sandbox, "reason");
  const std::string because = reason.empty() ? "" : " (" + reason + ")";
  const int64_t tier = integer_or(*sandbox, "tier", 1);
  if (tier == 0) return "sandbox: none" + because;
  std::string sentence =
      "sandbox: profile " + text_or(*sandbox, "profile") + ", network " + text_or(*sandbox, "network");
  if (tier > 1) sentence += ", tier " + std::to_string(tier);
  std::vector<std::string> missing;
  const Json* list = sandbox->if_contains("missing");
  if (list && list->is_array()) {
    for (const Json& name : list->get_array()) missing.emplace_back(name.is_string() ? name.get_string() : "?");
  }
  if (!missing.empty()) sentence += "; missing here: " + join(missing, ", ");
  return sentence + because;
}

std::string command_from_words(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quote(word));
  return join(quoted, " ");
}

}  // namespace talaria
