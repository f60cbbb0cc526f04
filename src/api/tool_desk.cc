#include "api/tool_desk.h"

#include "api/answer_later.h"
#include "api/file_call.h"
#include "tools/schema.h"

namespace talaria {
namespace {

std::set<Toolset> toolsets_in(const std::vector<std::string>& names) {
  std::set<Toolset> toolsets;
  for (const std::string& name : names) {
    if (const std::optional<Toolset> toolset = toolset_named(name)) toolsets.insert(*toolset);
  }
  return toolsets;
}

}  // namespace

std::set<Toolset> ToolDesk::toolsets_of(const std::optional<SessionRow>& session) {
  (void)settings_.current();  // reads the file if it changed; what was good before holds while it is broken
  std::set<Toolset> enabled = toolsets_in(settings_.last_good().toolsets);
  const SessionDetails details = session ? sessions_.details(*session) : SessionDetails();
  if (!details.toolsets) return enabled;
  const std::set<Toolset> own = toolsets_in(*details.toolsets);
  std::erase_if(enabled, [&](Toolset toolset) { return !own.contains(toolset); });
  return enabled;
}

std::vector<const Tool*> ToolDesk::usable(const std::optional<SessionRow>& session) {
  return tools_.usable(toolsets_of(session));
}

std::vector<const Tool*> ToolDesk::callable(const std::optional<SessionRow>& session) {
  return tools_.callable(toolsets_of(session));
}

OperationPtr ToolDesk::call(const std::string& name, JsonObject arguments, std::optional<SessionRow> session,
                            const Caller& caller, Done<ToolResult> done) {
  ToolCall call;
  call.caller = caller;
  call.session = std::move(session);
  Result<Tool*> tool = tools_.find(name, toolsets_of(call.session));
  if (!tool) return answer_later<ToolResult>(loop_, tool.error(), std::move(done));
  const ToolSpec& spec = (*tool)->spec();
  if (!call.session && !spec.person_needs_no_session) {
    return answer_later<ToolResult>(loop_, invalid(name + " needs a session: give session.cwd or session.id"),
                                    std::move(done));
  }
  if (!spec.checks_own_arguments) {
    const Result<> checked = check_object(arguments, input_schema(spec), name + " parameter");
    if (!checked) return answer_later(loop_, failed_tool(checked.error()), std::move(done));
  }
  call.arguments = std::move(arguments);
  return (*tool)->call(std::move(call), std::move(done));
}

}  // namespace talaria
