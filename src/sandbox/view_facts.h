#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/identity.h"
#include "sandbox/profile.h"
#include "sandbox/view.h"

namespace talaria {

// The homes of people, of root, and `own`; service users live in places the system needs.
std::vector<std::string> everybodys_homes(const std::string& own);

struct FactsQuestion {
  std::string workspace;
  std::map<std::string, std::string> environment;  // of the person: HOME, PATH, VIRTUAL_ENV …
  std::string own_home;                            // Talaria's
  std::string own_runtime;
  std::string own_programs;        // the directory they are in; empty: nobody asks
  std::string library;             // of our programs; empty: none
  std::vector<std::string> shown;  // further things to show read-only
};

// Looks at the machine for all that plan_view wants to know. The profile's own paths are resolved in place; one that
// does not exist is an error that names it.
struct MachineFacts {
  ViewFacts view;
  std::vector<std::string> foreign;  // files in the workspace that a mapped user cannot write
};
Result<MachineFacts> look_at_machine(const FactsQuestion& question, const Identity& identity, Profile& profile);

}  // namespace talaria
