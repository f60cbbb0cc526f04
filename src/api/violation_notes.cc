#include "api/violation_notes.h"

#include "base/text.h"
#include "base/unseen.h"
#include "guard/violation.h"

namespace talaria {
namespace {

constexpr size_t most_named = 5;

std::string list_of(const std::vector<Violation>& violations, Violation::Kind kind) {
  const ToldPaths told = told_paths(violations, {kind});
  std::vector<std::string> named;
  for (const ToldPath& one : told.paths) {
    if (named.size() == most_named) break;
    const std::string times = one.times > 1 ? with_commas(one.times) + " times: " : "";
    named.push_back(shown_line(one.path) + " (" + times + shown_line(join(one.whys, "; ")) + ")");
  }
  const size_t more = told.paths.size() - named.size() + told.unlisted;
  std::string list = join(named, ", ");
  if (more > 0) list += (list.empty() ? "" : " and ") + with_commas(more) + " more";
  return list;
}

}  // namespace

std::vector<std::string> violation_notes(const JsonArray& violations) {
  const std::vector<Violation> found = violations_from_json(violations);
  std::vector<std::string> notes;
  const auto say = [&](Violation::Kind kind, const std::string& before, const std::string& after) {
    const std::string list = list_of(found, kind);
    if (!list.empty()) notes.push_back(before + list + after);
  };
  say(Violation::Kind::quarantined, "Moved out of the workspace, because it would run outside the sandbox: ",
      ". The person can look at it and put it back: talaria sandbox quarantine list.");
  say(Violation::Kind::rewritten, "Rewritten without the part that would run outside the sandbox: ",
      ". The person has the original: talaria sandbox quarantine list.");
  say(Violation::Kind::put_back, "Changed back, because the change would run outside the sandbox: ",
      ". The person has the changed version: talaria sandbox quarantine list.");
  say(Violation::Kind::stuck, "Dangerous and still there: ", ".");
  return notes;
}

std::string violation_paragraphs(const JsonObject& details) {
  std::string text;
  const Json* violations = details.if_contains("violations");
  if (!violations || !violations->is_array()) return text;
  for (const std::string& note : violation_notes(violations->get_array())) text += "\n\n(" + note + ")";
  return text;
}

}  // namespace talaria
