#pragma once
#include <optional>
#include <string>
#include <vector>

#include "api/inline_runs.h"
#include "api/skill_absence.h"
#include "api/skill_query.h"
#include "skills/skill_body.h"
#include "skills/skill_message.h"

namespace talaria {

// One skill, loaded into a session, whoever asks for it: found, read, its needs looked at, its snippets run. From then
// on the session's commands can read its folder and get what it declares.
//   preparing → reading → (finding the place → running snippets →) answered
class SkillLoad : public Operation {
 public:
  struct Answer {
    std::optional<LoadedSkill> loaded;
    JsonObject other;  // instead: one of its files, or {success: false, error, …}
  };

  SkillLoad(Parts& parts, SkillWish wish, SessionRow session, Caller caller, Done<Answer> done);
  void begin();

  // What a worker finds out.
  struct Reading {
    Answer answer;
    PreparedBody body;
    std::vector<SkillRoot> roots;
    bool refresh_due = false;
  };

 private:
  void read(const SkillSurroundings& around);
  void take(Reading reading);
  void give_to_session();
  void run_snippets();
  void finish(const std::vector<SnippetResult>& results);
  void answer(Result<Answer> answer);

  Parts& parts_;
  SkillWish wish_;
  SessionRow session_;
  Caller caller_;
  Done<Answer> done_;
  std::shared_ptr<const Settings> settings_;
  std::string looked_from_;
  Environment looked_with_;
  Reading reading_;
  SkillPreparation preparation_;
  PlaceFinder place_;
  InlineRuns runs_;
  Later later_;
  CancellableWork work_;
};

// As skill_view answers: text for a model, details for a program.
ToolResult to_tool_result(const SkillLoad::Answer& answer);

// What a person runs, having read it, so that a skill gets what it declares.
std::string trust_command(const Skill& skill);

}  // namespace talaria
