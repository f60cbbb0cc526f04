#pragma once
#include "api/cancellable_work.h"
#include "api/later.h"
#include "api/skill_question.h"
#include "api/skill_surroundings.h"

namespace talaria {

// The settings, and the login shell's environment, which may have to be waited for. Drop it and nobody is told.
class SkillPreparation {
 public:
  using Found = std::function<void(Result<SkillSurroundings>)>;
  SkillPreparation(Parts& parts, SessionRow session, Caller caller)
      : parts_(parts), session_(std::move(session)), caller_(std::move(caller)) {}

  // At once when all is known, else from the loop.
  void find(Found found);

 private:
  Parts& parts_;
  SessionRow session_;
  Caller caller_;
  std::shared_ptr<const Settings> settings_;
  Found found_;
  LoginEnvironment::Waiter waiting_;
};

// What is left to do when an answer about skills was given: a look at all of them, if that is due, and keeping what was
// seen. On a worker.
void tidy_catalog(Parts& parts, std::vector<SkillRoot> refresh = {});

// A question about all skills of a session: `list`, `find`, `prompt` or `settings`.
class SkillQuery : public Operation {
 public:
  SkillQuery(Parts& parts, SkillQuestion question, SessionRow session, Caller caller, Done<JsonObject> done);
  void begin();

 private:
  void look(const SkillSurroundings& around);
  void answer(Result<JsonObject> result);

  Parts& parts_;
  SkillQuestion question_;
  bool person_;
  Done<JsonObject> done_;
  SkillPreparation preparation_;
  Later later_;
  CancellableWork work_;
};

// Any question.
OperationPtr answer_skill_question(Parts& parts, SkillQuestion question, SessionRow session, const Caller& caller,
                                   Done<JsonObject> done);

}  // namespace talaria
