// execute_code as a tool.
#include "api/built_in_tools.h"
#include "api/code_call.h"
#include "api/scripts.h"
#include "tools/built_in.h"

namespace talaria {
namespace {

class ExecuteCodeTool : public Tool {
 public:
  explicit ExecuteCodeTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }
  std::string missing() const override { return Scripts::missing(); }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    auto running = std::make_unique<CodeCall>(parts_, std::move(call), spec_, std::move(done));
    running->begin();
    return running;
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = execute_code_spec();
};

}  // namespace

std::unique_ptr<Tool> execute_code_tool(Parts& parts) { return std::make_unique<ExecuteCodeTool>(parts); }

}  // namespace talaria
