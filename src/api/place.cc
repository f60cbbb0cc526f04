#include "api/place.h"

namespace talaria {

std::string Place::person_home() const { return value_in(*environment, "HOME"); }

std::string Place::home() const {
  const std::string inside = sandbox ? value_in(sandbox->environment, "HOME") : "";
  return inside.empty() ? person_home() : inside;
}

void PlaceFinder::find(Found found) {
  found_ = std::move(found);
  Result<std::shared_ptr<const Settings>> settings = parts_.settings.current();
  if (!settings) return found_(settings.error());
  place_.settings = *std::move(settings);
  if (place_.settings->exec.host == "node") {
    return found_(Error(ErrorCode::unavailable,
                        "exec.host is node, and this version has no nodes; set it to auto, sandbox or gateway"));
  }
  with_environment();
}

void PlaceFinder::with_environment() {
  if (const SharedEnvironment known = parts_.environment.known()) return with(known);
  environment_ = parts_.environment.when_known([this] { with_environment(); });
}

void PlaceFinder::with(const SharedEnvironment& environment) {
  place_.environment = environment;
  grants_.find(place_.settings, environment, [this](SkillGrants grants) {
    place_.grants = std::move(grants);
    with_grants();
  });
}

void PlaceFinder::with_grants() {
  if (place_.settings->exec.host == "gateway") return found_(place_);
  preparing_ = parts_.sandboxes.prepare({session_, wish_, place_.settings, place_.environment, place_.grants.shown},
                                        [this](const Result<SharedSandboxPlan>& plan) {
                                          if (!plan) return found_(plan.error());
                                          place_.sandbox = *plan;
                                          if (Result<> opened = parts_.sandboxes.open(*place_.sandbox); !opened) {
                                            return found_(opened.error());
                                          }
                                          found_(place_);
                                        });
}

Result<GateRequest> gate_request_at(const Place& place) {
  const ExecSettings& exec = place.settings->exec;
  const bool inside = place.sandbox != nullptr;
  GateRequest request;
  request.host = inside ? Host::sandbox : Host::gateway;
  request.security = TRY(parse_security(inside ? exec.sandbox.security : exec.security));
  request.ask = TRY(parse_ask(inside ? exec.sandbox.ask : exec.ask));
  if (inside && place.sandbox->request.profile.kind == ProfileKind::full) {
    // It confines next to nothing, so what holds for the plain host holds for it.
    request.security = tighter(request.security, TRY(parse_security(exec.security)));
    request.ask = stricter(request.ask, TRY(parse_ask(exec.ask)));
  }
  return request;
}

std::string PathBase::absolute(const std::string& path) const {
  if (path.starts_with('/')) return path;
  if (path == "~" || path.starts_with("~/")) return home + path.substr(1);
  return path == "." ? cwd : cwd + "/" + path;
}

PathBase path_base(Parts& parts, const ToolCall& call, const Place& place) {
  if (!call.caller.cwd.empty()) return {call.caller.cwd, place.home()};
  const SessionRow& session = *call.session;
  std::string cwd = parts.sessions.details(session).shell_cwd;
  // A workspace that cannot be shown has a stand-in.
  if (cwd.empty() && place.sandbox && place.sandbox->cwd != session.workspace) cwd = place.sandbox->cwd;
  return {cwd.empty() ? session.cwd : cwd, place.home()};
}

}  // namespace talaria
