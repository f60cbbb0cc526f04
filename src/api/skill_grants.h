#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/cancellable_work.h"
#include "api/parts.h"
#include "api/skill_surroundings.h"
#include "sandbox/shown_path.h"
#include "skills/catalog.h"

namespace talaria {

// What the skills that a session has loaded give to one command or program of it.
struct SkillGrants {
  std::vector<std::string> variables;  // names
  std::vector<ShownPath> shown;        // beside the sandbox's view, read-only
  bool credential_files = false;       // some may be there
  bool operator==(const SkillGrants&) const = default;
};

// A loaded skill, in so far as it still counts: all of it goes when the skill is no longer found where it was, or is
// disabled; what it declares goes when its present text is not trusted with it, or declares it no more. Blocks for
// looks at the disk.
class StandingSkills {
 public:
  // All of them must outlive it.
  StandingSkills(Catalog& catalog, TrustedTexts& texts, SkillSurroundings around)
      : catalog_(catalog), texts_(texts), around_(std::move(around)) {}

  std::vector<SessionSkill> among(const std::vector<SessionSkill>& loaded);
  // Where a look at all skills is due.
  const std::vector<SkillRoot>& refresh_due() const { return refresh_due_; }

 private:
  void look_at(const SessionSkill& loaded, std::vector<SessionSkill>& standing);
  SkillLookUp find(const SessionSkill& loaded);
  const std::vector<SkillRoot>& roots_for(const SessionSkill& loaded);
  bool is_standing(const SessionSkill& loaded, const SkillLookUp& found);
  std::optional<SkillCard> trusted_card(const Skill& skill);

  Catalog& catalog_;
  TrustedTexts& texts_;
  SkillSurroundings around_;
  std::vector<SkillRoot> roots_;  // as around_ says now
  std::vector<SkillRoot> refresh_due_;
};

// Finds out what a session's skills give, anew for every use: a person may have taken it back. Drop it and nobody is
// told.
class GrantFinder {
 public:
  using Found = std::function<void(SkillGrants)>;
  GrantFinder(Parts& parts, SessionRow session) : parts_(parts), session_(std::move(session)) {}

  // At once when the session has loaded no skills, else from the loop.
  void find(const std::shared_ptr<const Settings>& settings, const SharedEnvironment& login, Found found);

 private:
  struct Outcome;
  void take(Outcome& outcome);

  Parts& parts_;
  SessionRow session_;
  Found found_;
  CancellableWork work_;
};

}  // namespace talaria
