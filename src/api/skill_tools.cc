// skills_list, skill_view and skill_manage as tools.
#include "api/answer_later.h"
#include "api/built_in_tools.h"
#include "api/file_call.h"
#include "api/skill_load.h"
#include "base/text.h"
#include "tools/built_in.h"

namespace talaria {
namespace {

std::string list_text(const JsonObject& listing) {
  std::vector<std::string> lines;
  std::string category;
  for (const Json& item : listing.at("skills").get_array()) {
    const JsonObject& skill = item.get_object();
    const std::string own = text_or(skill, "category");
    if (own != category) lines.push_back(own + ":");
    category = own;
    const std::string state = boolean_or(skill, "setup_needed") ? " (needs set-up)" : "";
    lines.push_back("- " + text_or(skill, "name") + state + ": " + text_or(skill, "description"));
  }
  for (const char* name : {"message", "hint"}) {
    if (const std::string more = text_or(listing, name); !more.empty()) lines.push_back(more);
  }
  if (const Json* problems = listing.if_contains("diagnostics"); problems && problems->is_array()) {
    lines.push_back(std::to_string(problems->get_array().size()) + " notes about skills: see diagnostics, or talaria " +
                    "skills list");
  }
  return join(lines, "\n");
}

class SkillsListTool : public Tool {
 public:
  explicit SkillsListTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    SkillQuestion question;
    question.category = text_or(call.arguments, "category");
    const bool program = call.caller.program;
    const auto tell = [program, done = std::move(done)](Result<JsonObject> listing) {
      if (!listing) return done(failed_tool(listing.error()));
      std::string text = program ? "" : list_text(*listing);
      done(tool_result(*std::move(listing), std::move(text)));
    };
    return answer_skill_question(parts_, std::move(question), *call.session, call.caller, tell);
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = skills_list_spec();
};

class SkillViewTool : public Tool {
 public:
  explicit SkillViewTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    const auto tell = [program = call.caller.program, done = std::move(done)](Result<SkillLoad::Answer> answer) {
      if (!answer) return done(failed_tool(answer.error()));
      ToolResult result = to_tool_result(*answer);
      if (program) result.text.clear();
      done(std::move(result));
    };
    SkillWish wish{text_or(call.arguments, "name"), text_or(call.arguments, "file_path")};
    auto load = std::make_unique<SkillLoad>(parts_, std::move(wish), *call.session, call.caller, tell);
    load->begin();
    return load;
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = skill_view_spec();
};

}  // namespace

ToolResult to_tool_result(const SkillLoad::Answer& answer) {
  if (answer.loaded) {
    return tool_result(skill_view_json(*answer.loaded), skill_message(*answer.loaded, SkillCall::viewed));
  }
  const JsonObject& other = answer.other;
  std::string text = text_or(other, "error", text_or(other, "content"));
  std::vector<std::string> names;
  for (const char* list : {"available_skills", "available_files"}) {
    const Json* found = other.if_contains(list);
    if (!found || !found->is_array()) continue;
    for (const Json& name : found->get_array()) {
      if (name.is_string()) names.emplace_back(name.get_string());
    }
  }
  if (!names.empty()) text += " There are: " + join(names, ", ") + ".";
  if (const Json* inside = other.if_contains("files"); inside && inside->is_array()) {
    for (const Json& file : inside->get_array()) {
      if (file.is_object()) text += "\n- " + text_or(file.get_object(), "path");
    }
  }
  if (const std::string note = text_or(other, "note"); !note.empty()) text += "\n[" + note + "]";
  return tool_result(other, std::move(text));
}

std::unique_ptr<Tool> skills_list_tool(Parts& parts) { return std::make_unique<SkillsListTool>(parts); }
std::unique_ptr<Tool> skill_view_tool(Parts& parts) { return std::make_unique<SkillViewTool>(parts); }

}  // namespace talaria
