#include "api/violation_notes.h"

#include "base/text.h"
#include "base/unseen.h"
#include "guard/violation.h"

namespace talaria {
namespace {

constexpr size_t most_named = 5;

std::string list_of(const std::vector<Violation>& violations, Violation::Kind kind) {
  std::vector<std::string> named;
  size_t count = 0;
  for (const Violation& one : violations) {
    if (one.kind != kind) continue;
    if (++count <= most_named) named.push_back(shown_line(one.path) + " (" + shown_line(one.why) + ")");
  }
  std::string list = join(named, ", ");
  if (count > most_named) list += " and " + std::to_string(count - most_named) + " more";
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
  say(Violation::Kind::quarantined, "Moved out of the workspace, because it would run outside of the sandbox: ",
      ". The person can look at it and put it back: talaria sandbox quarantine list.");
  say(Violation::Kind::rewritten, "Rewritten without what would run outside of the sandbox: ",
      ". The person has the original: talaria sandbox quarantine list.");
  say(Violation::Kind::put_back, "Changes were undone, because they would run outside of the sandbox: ",
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
