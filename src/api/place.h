#pragma once
#include <functional>
#include <memory>
#include <string>

#include "api/later.h"
#include "api/parts.h"
#include "api/skill_grants.h"
#include "tools/tool.h"

namespace talaria {

// Where the tools of a session work: in its sandbox, or on the plain host where the configuration says so.
struct Place {
  std::shared_ptr<const Settings> settings;
  SharedEnvironment environment;  // of the login shell
  SharedSandboxPlan sandbox;      // null: the plain host
  SkillGrants grants;             // of the session's skills

  std::string person_home() const;  // the person's
  std::string home() const;         // what ~ means there
};

// The way to a session's place; it may take a login shell and a new sandbox. Drop it and nobody is told.
class PlaceFinder {
 public:
  using Found = std::function<void(Result<Place>)>;
  PlaceFinder(Parts& parts, SessionRow session, SandboxWish wish = {})
      : parts_(parts), session_(std::move(session)), wish_(std::move(wish)), grants_(parts, session_) {}

  // Tells where it is: at once when that is known, else from the loop.
  void find(Found found);

 private:
  void with_environment();
  void with(const SharedEnvironment& environment);
  void with_grants();

  Parts& parts_;
  SessionRow session_;
  SandboxWish wish_;
  Found found_;
  Place place_;
  LoginEnvironment::Waiter environment_;
  GrantFinder grants_;
  Sandboxes::Waiter preparing_;
};

// Who judges what runs there, and by which modes; the rest is for whoever runs something.
Result<GateRequest> gate_request_at(const Place& place);

// Absolute and relative paths and those from ~, as a tool is given them.
struct PathBase {
  std::string cwd;
  std::string home;
  std::string absolute(const std::string& path) const;
};
PathBase path_base(Parts& parts, const ToolCall& call, const Place& place);

}  // namespace talaria
