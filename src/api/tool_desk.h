#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/live_settings.h"
#include "api/sessions.h"
#include "loop/loop.h"
#include "tools/registry.h"

namespace talaria {

// Where calls of tools come in, from agents and from their programs: which tools a session has, and whether a call
// fits.
class ToolDesk {
 public:
  ToolDesk(Loop& loop, LiveSettings& settings, Sessions& sessions, ToolRegistry& tools)
      : loop_(loop), settings_(settings), sessions_(sessions), tools_(tools) {}

  // Of the configuration, and of the session where it has fewer.
  std::set<Toolset> toolsets_of(const std::optional<SessionRow>& session);
  std::vector<const Tool*> usable(const std::optional<SessionRow>& session);
  std::vector<const Tool*> callable(const std::optional<SessionRow>& session);

  // Without a session only what needs none. Arguments that do not fit are a result that says so.
  [[nodiscard]] OperationPtr call(const std::string& name, JsonObject arguments, std::optional<SessionRow> session,
                                  const Caller& caller, Done<ToolResult> done);

 private:
  Loop& loop_;
  LiveSettings& settings_;
  Sessions& sessions_;
  ToolRegistry& tools_;
};

}  // namespace talaria
