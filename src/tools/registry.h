#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace talaria {

// The tools there are, in the order they are shown. Filled once, by main.
class ToolRegistry {
 public:
  // The name must be new.
  void add(std::unique_ptr<Tool> tool);

  // Of the enabled toolsets, those that can be used as things are configured.
  std::vector<const Tool*> usable(const std::set<Toolset>& enabled) const;
  // Those, and such as answer although they cannot be used.
  std::vector<const Tool*> callable(const std::set<Toolset>& enabled) const;
  // The tool of this name, or why it cannot be called: there is none, its toolset is not enabled, something is missing.
  Result<Tool*> find(const std::string& name, const std::set<Toolset>& enabled) const;

 private:
  std::vector<std::unique_ptr<Tool>> tools_;
};

}  // namespace talaria
