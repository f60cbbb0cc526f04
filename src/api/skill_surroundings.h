#pragma once
#include <memory>
#include <string>
#include <vector>

#include "api/parts.h"
#include "process/mask.h"
#include "skills/activation.h"
#include "skills/config_block.h"
#include "skills/requirements.h"
#include "skills/skill_roots.h"
#include "skills/skill_trust.h"

namespace talaria {

// All that decides which skills a session sees and what they are told, as plain values: gathered on the loop, used on a
// worker.
struct SkillSurroundings {
  std::shared_ptr<const Settings> settings;
  SharedEnvironment login;
  Environment client;  // of whoever asks, where it was given
  Home home;
  std::string session;
  std::string workspace;
  std::string directory;  // where the session, or whoever asks, is
  SkillAvailability available;
  std::vector<std::string> agent_places;  // where commands of any session could ever write

  // A variable of the client's, else of the login shell's.
  std::optional<std::string> variable(const std::string& name) const;
  std::string person_home() const;
  // What lies in the session's own workspace. Neither / nor a home is ever writable as one.
  bool is_in_workspace(const std::string& path) const;
};

SkillSurroundings skill_surroundings(Parts& parts, const std::shared_ptr<const Settings>& settings,
                                     const SharedEnvironment& login, const SessionRow& session, const Caller& caller);

// Looks at the disk: for a worker.
SkillRoots skill_roots(const SkillSurroundings& around);

// Those of the client's variables that lead to other roots than the login shell's would.
Environment leading_variables(const SkillSurroundings& around);

// What skills may do here. Both arguments must outlive it.
SkillTrust skill_trust(const SkillSurroundings& around, TrustedTexts& texts);

// The variables of .env and of the login shell that commands could be given: whether a skill has what it needs.
class KnownVariables {
 public:
  explicit KnownVariables(const SkillSurroundings& around);
  // Set, and not empty. What .env says of a name counts before the login shell.
  bool has(const std::string& name) const { return is_variable_set(name, stored_, *login_); }
  bool is_stored(const std::string& name) const { return stored_.contains(name); }
  // Whether a text holds a value that .env has.
  bool holds_stored(const std::string& text) const { return Mask(stored_).hide(text) != text; }
  const std::string& trouble() const { return trouble_; }  // why .env is not read

 private:
  SharedEnvironment login_;
  Environment stored_;
  std::string trouble_;
};

// How the settings of skills get their values. Both arguments must outlive it.
SettingValues setting_values(const SkillSurroundings& around, const KnownVariables& variables);

}  // namespace talaria
