#include "talaria/ending.h"

#include "base/text.h"
#include "base/unseen.h"
#include "guard/violation.h"
#include "process/exit_status.h"

namespace talaria {
namespace {

constexpr size_t most_paths = 3;

// "a, b (2 times) and 5 more"; with the reasons where there is something to do.
enum class Reasons { left_out, told };
std::string list_of_paths(const ToldPaths& told, Reasons reasons) {
  std::vector<std::string> named;
  for (const ToldPath& one : told.paths) {
    if (named.size() == most_paths) break;
    std::string text = shown_line(one.path);
    if (reasons == Reasons::told) text += " (" + shown_line(join(one.whys, "; ")) + ")";
    else if (one.times > 1) text += " (" + with_commas(one.times) + " times)";
    named.push_back(std::move(text));
  }
  const size_t more = told.paths.size() - named.size() + told.unlisted;
  std::string list = join(named, ", ");
  if (more > 0) list += (list.empty() ? "" : " and ") + with_commas(more) + " more";
  return list;
}

}  // namespace

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

std::string violations_sentence(const JsonObject& details) {
  const Json* list = details.if_contains("violations");
  if (!list || !list->is_array()) return "";
  using Kind = Violation::Kind;
  const std::vector<Violation> violations = violations_from_json(list->get_array());
  const ToldPaths handled = told_paths(violations, {Kind::quarantined, Kind::rewritten, Kind::put_back});
  const ToldPaths stuck = told_paths(violations, {Kind::stuck});
  std::vector<std::string> sentences;
  if (const std::string paths = list_of_paths(handled, Reasons::left_out); !paths.empty()) {
    sentences.push_back("the command left something that other programs would run outside the sandbox: " + paths +
                        ". It was moved away or changed back; to look at it: talaria sandbox quarantine list");
  }
  if (const std::string paths = list_of_paths(stuck, Reasons::told); !paths.empty()) {
    sentences.push_back("still there, although it may run outside the sandbox: " + paths);
  }
  return join(sentences, "; ");
}

std::string network_sentence(const JsonObject& details) {
  const std::string tried = text_or(details, "network_tried");
  if (tried.empty()) return "";
  return "the network is off in this sandbox, and " +
         std::string(tried == "shared" ? "a command of this session" : "the command") +
         " tried to reach it; with a network: talaria sandbox run --network on COMMAND";
}

std::string private_files_sentence(const JsonObject& details) {
  const Json* list = details.if_contains("private_files");
  if (!list || !list->is_array()) return "";
  std::vector<std::string> named;
  for (const Json& path : list->get_array()) {
    if (path.is_string() && named.size() < most_paths) named.push_back(shown_line(std::string(path.get_string())));
  }
  const size_t more = list->get_array().size() - named.size();
  return "made in the sandbox's private home or /tmp, which go with the session: " + join(named, ", ") +
         (more > 0 ? " and " + with_commas(more) + " more" : "");
}

bool workspace_is_hidden(const JsonObject& details) {
  const JsonObject* workspace = object_or_null(details, "workspace");
  return workspace && text_or(*workspace, "reason") == "hidden";
}

std::string command_from_words(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quote(word));
  return join(quoted, " ");
}

}  // namespace talaria
