#include "tools/registry.h"

#include "base/check.h"
#include "base/meant_name.h"
#include "base/text.h"

namespace talaria {

void ToolRegistry::add(std::unique_ptr<Tool> tool) {
  for (const auto& known : tools_) CHECK(known->spec().name != tool->spec().name);
  tools_.push_back(std::move(tool));
}

std::vector<const Tool*> ToolRegistry::usable(const std::set<Toolset>& enabled) const {
  std::vector<const Tool*> usable;
  for (const auto& tool : tools_) {
    if (enabled.contains(tool->spec().toolset) && tool->missing().empty()) usable.push_back(tool.get());
  }
  return usable;
}

std::vector<const Tool*> ToolRegistry::callable(const std::set<Toolset>& enabled) const {
  std::vector<const Tool*> callable;
  for (const auto& tool : tools_) {
    const bool answers = tool->answers_when_missing() || tool->missing().empty();
    if (enabled.contains(tool->spec().toolset) && answers) callable.push_back(tool.get());
  }
  return callable;
}

Result<Tool*> ToolRegistry::find(const std::string& name, const std::set<Toolset>& enabled) const {
  for (const auto& tool : tools_) {
    if (tool->spec().name != name) continue;
    const std::string toolset(name_of(tool->spec().toolset));
    if (!enabled.contains(tool->spec().toolset)) {
      return Error(ErrorCode::denied, "the tool " + name + " is not enabled for this session: its toolset " + toolset +
                                          " is not among those of the session and of toolsets in the configuration");
    }
    if (tool->answers_when_missing()) return tool.get();
    if (std::string missing = tool->missing(); !missing.empty()) return Error(ErrorCode::unavailable, missing);
    return tool.get();
  }
  std::vector<std::string> names;
  for (const Tool* tool : usable(enabled)) names.push_back(tool->spec().name);
  return Error(ErrorCode::not_found, "no tool \"" + name.substr(0, 64) + "\"" + did_you_mean_one_of(name, names));
}

}  // namespace talaria
