// exec, process and terminal as tools.
#include <algorithm>

#include "api/answer_later.h"
#include "api/built_in_tools.h"
#include "api/exec.h"
#include "api/file_call.h"
#include "api/process_tool.h"
#include "api/terminal_result.h"
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {
namespace {

class ExecTool : public Tool {
 public:
  explicit ExecTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    ExecWish wish;
    wish.arguments = std::move(call.arguments);
    wish.session = *std::move(call.session);
    wish.caller = std::move(call.caller);
    return start_exec(parts_, std::move(wish), std::move(done));
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = exec_spec();
};

class ProcessTool : public Tool {
 public:
  explicit ProcessTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    const std::string who = "/" + call.caller.door + "/" + call.caller.client;
    if (!call.session) return start_process_tool(parts_, call.arguments, std::nullopt, who, std::move(done));
    std::optional<std::string> scope = call.caller.person ? std::nullopt : std::optional(call.session->id);
    return start_process_tool(parts_, call.arguments, std::move(scope), call.session->id + who, std::move(done));
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = process_spec();
};

class TerminalTool : public Tool {
 public:
  explicit TerminalTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    if (Result<> checked = check(call.arguments); !checked) {
      return answer_later(parts_.loop, terminal_failure(failed_tool(checked.error())), std::move(done));
    }
    ExecWish wish;
    wish.arguments = std::move(call.arguments);
    wish.session = *std::move(call.session);
    wish.caller = std::move(call.caller);
    wish.never_yield = true;
    wish.keep_state = true;
    wish.timeout_seconds = parts_.settings.last_good().terminal.timeout;
    const std::string lost = parts_.shells.lost_note(wish.session);
    const std::string session = wish.session.id;
    const bool program = wish.caller.program;
    const bool by_script = wish.caller.door.starts_with("script:");
    wish.tell = [this, session, lost](const JobRow& row, const JobDetails& details, const ShownOutput& output,
                                      std::vector<std::string> notes) {
      if (!lost.empty()) notes.push_back(lost);
      return terminal_result(row, details, output, notes, cwd_now(session, row.cwd));
    };
    return start_exec(parts_, std::move(wish), [program, by_script, done = std::move(done)](Result<ToolResult> result) {
      if (result && !result->details.contains("exit_code")) result = terminal_failure(*std::move(result));
      if (result && program) result->text.clear();  // the output is in the details
      // Agents' programs print what they get, and the result of the program itself says what held it.
      if (result && by_script) result->details.erase("sandbox");
      done(std::move(result));
    });
  }

 private:
  Result<> check(const JsonObject& arguments) const {
    for (const char* name : {"background", "pty", "notify_on_complete", "watch_patterns", "yieldMs"}) {
      if (!arguments.contains(name)) continue;
      return invalid("terminal parameter \"" + std::string(name) +
                     "\" is not there: terminal runs in the foreground, without a terminal of its own. Start it with "
                     "exec (background=true, pty=true) and follow it with process");
    }
    if (arguments.contains("code") && !arguments.contains("command")) {
      return invalid(
          "terminal parameter \"command\" is missing, and \"code\" is not one: terminal runs shell commands, such as "
          "python3 -c '...'");
    }
    return check_object(arguments, input_schema(spec_), "terminal parameter");
  }

  // Where the next command starts.
  std::string cwd_now(const std::string& session, const std::string& started) const {
    SessionRow row;
    row.id = session;
    const std::string went = parts_.sessions.details(row).shell_cwd;
    return went.empty() ? started : went;
  }

  Parts& parts_;
  ToolSpec spec_ = terminal_spec();
};

}  // namespace

std::unique_ptr<Tool> exec_tool(Parts& parts) { return std::make_unique<ExecTool>(parts); }
std::unique_ptr<Tool> process_tool(Parts& parts) { return std::make_unique<ProcessTool>(parts); }
std::unique_ptr<Tool> terminal_tool(Parts& parts) { return std::make_unique<TerminalTool>(parts); }

}  // namespace talaria
