// skill_manage as a tool: an agent keeps what it learned, or mends it.
#include "api/answer_later.h"
#include "api/built_in_tools.h"
#include "api/file_call.h"
#include "api/skill_query.h"
#include "skills/catalog.h"
#include "skills/skill_body_text.h"
#include "skills/skill_edit.h"
#include "tools/built_in.h"

namespace talaria {
namespace {

// A new skill of a name that another had: which of them is used from now on.
void tell_precedence(const Skill& before, const SkillLookUp& now, JsonObject& answer) {
  if (!boolean_or(answer, "success") || !now.skill) return;
  const bool is_first = now.skill->file != before.file;
  const std::string note =
      is_first ? " It now stands in front of the skill of this name in " + shown_line(before.directory) +
                     "; deleting it brings that one back."
               : " It is not used here: the skill of this name in " + shown_line(before.directory) + " goes before it.";
  answer["message"] = text_or(answer, "message") + note;
}

class SkillManageCall : public Operation {
 public:
  SkillManageCall(Parts& parts, SkillEdit edit, const ToolCall& call, Done<ToolResult> done)
      : parts_(parts),
        edit_(std::move(edit)),
        who_("session " + call.session->id),
        program_(call.caller.program),
        done_(std::move(done)),
        preparation_(parts, *call.session, call.caller) {}

  void begin() {
    preparation_.find([this](Result<SkillSurroundings> around) {
      if (!around) return answer(failed_tool(around.error()));
      change(*around);
    });
  }

 private:
  void change(const SkillSurroundings& around) {
    const auto result = std::make_shared<JsonObject>();
    work_.run(
        parts_.workers,
        [result, around, edit = edit_, who = who_, &catalog = parts_.catalog](const std::atomic<bool>&) {
          const SkillLookUp known = catalog.look_up(skill_roots(around).roots, edit.name);
          const EditPlace place{around.home.root + "/skills", who, known.skill ? known.skill->directory : ""};
          *result = skill_edit_json(edit.name, edit_skill(edit, place));
          if (known.skill && edit.action == SkillAction::create) {
            tell_precedence(*known.skill, catalog.look_up(skill_roots(around).roots, edit.name), *result);
          }
        },
        [this, result] {
          std::string text = program_ ? "" : text_or(*result, "error", text_or(*result, "message"));
          answer(tool_result(std::move(*result), std::move(text)));
        });
  }

  void answer(ToolResult result) {
    later_ = Later(parts_.loop, [this, result = std::move(result)]() mutable {
      const Done<ToolResult> done = std::exchange(done_, nullptr);
      if (done) done(std::move(result));  // may destroy us
    });
  }

  Parts& parts_;
  SkillEdit edit_;
  std::string who_;
  bool program_;
  Done<ToolResult> done_;
  SkillPreparation preparation_;
  Later later_;
  CancellableWork work_;
};

class SkillManageTool : public Tool {
 public:
  explicit SkillManageTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    Result<SkillEdit> edit = read_skill_edit(call.arguments);
    if (!edit) return answer_later(parts_.loop, failed_tool(edit.error()), std::move(done));
    auto manage = std::make_unique<SkillManageCall>(parts_, *std::move(edit), call, std::move(done));
    manage->begin();
    return manage;
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = skill_manage_spec();
};

}  // namespace

std::unique_ptr<Tool> skill_manage_tool(Parts& parts) { return std::make_unique<SkillManageTool>(parts); }

}  // namespace talaria
