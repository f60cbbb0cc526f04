#include "door/params.h"

#include "rpc/base64.h"

namespace talaria {

namespace {

// A number, or "free".
Result<std::optional<int64_t>> read_slot(Fields& session) {
  const Json* value = session.any("slot");
  if (!value) return std::optional<int64_t>();
  if (*value == Json("free")) return std::optional(free_slot);
  if (value->is_int64() && value->get_int64() >= 1 && value->get_int64() <= last_slot) {
    return std::optional(value->get_int64());
  }
  return invalid("session.slot must be a whole number from 1 to " + std::to_string(last_slot) + ", or \"free\"");
}

}  // namespace

Result<std::optional<SessionRef>> read_session(Fields& params) {
  const JsonObject* object = TRY(params.object("session"));
  if (!object) return std::optional<SessionRef>();
  Fields fields(*object, "field of session");
  SessionRef session;
  session.id = TRY(fields.text("id"));
  session.cwd = TRY(fields.text("cwd"));
  session.name = TRY(fields.text("name"));
  session.toolsets = TRY(fields.texts("toolsets"));
  session.slot = TRY(read_slot(fields));
  TRY(fields.no_others());
  if (session.cwd && !session.cwd->starts_with('/')) {
    return invalid("session.cwd must be an absolute path, got \"" + *session.cwd + "\"");
  }
  if (session.name && !session.id && !session.cwd) return invalid("session.name needs session.cwd beside it");
  if (session.slot && (session.id || session.name)) {
    return invalid("session.slot says which of the client's own sessions: it goes with session.cwd alone");
  }
  if (session.slot && !session.cwd) return invalid("session.slot needs session.cwd beside it");
  if (!session.id && !session.cwd) return std::optional<SessionRef>();
  return std::optional(std::move(session));
}

Result<SandboxWish> read_wish(Fields& params) {
  return SandboxWish{TRY(params.text("profile")).value_or(""), TRY(params.text("network")).value_or("")};
}

Result<std::optional<SandboxWish>> read_sandbox(Fields& params) {
  const JsonObject* object = TRY(params.object("sandbox"));
  if (!object) return std::optional<SandboxWish>();
  Fields fields(*object, "field of sandbox");
  SandboxWish wish = TRY(read_wish(fields));
  TRY(fields.no_others());
  return wish == SandboxWish() ? std::nullopt : std::optional(std::move(wish));
}

Result<std::string> read_required_text(Fields& params, const std::string& name) {
  std::optional<std::string> text = TRY(params.text(name));
  if (!text || text->empty()) return invalid("parameter \"" + name + "\" is missing");
  return std::move(*text);
}

Result<JsonObject> read_arguments(Fields& params) {
  const JsonObject* object = TRY(params.object("arguments"));
  return object ? *object : JsonObject();
}

Result<std::shared_ptr<const std::map<std::string, std::string>>> read_environment(Fields& params) {
  std::optional<std::map<std::string, std::string>> variables = TRY(params.text_map("environment"));
  if (!variables) return std::shared_ptr<const std::map<std::string, std::string>>();
  return std::shared_ptr<const std::map<std::string, std::string>>(
      std::make_shared<std::map<std::string, std::string>>(*std::move(variables)));
}

Result<SkillQuestion> read_skill_question(SkillQuestion::About about, Fields& params) {
  using About = SkillQuestion::About;
  SkillQuestion question{about};
  if (about == About::view || about == About::message) {
    question.name = TRY(read_required_text(params, "name"));
    question.setup_skipped = TRY(params.boolean("setup_skipped")).value_or(false);
  }
  if (about == About::settings) question.name = TRY(params.text("name")).value_or("");
  if (about == About::view) question.file_path = TRY(params.text("file_path")).value_or("");
  if (about == About::message) question.text = TRY(params.text("text")).value_or("");
  if (about == About::list) {
    question.category = TRY(params.text("category")).value_or("");
    question.all = TRY(params.boolean("all")).value_or(false);
  }
  if (about == About::find) {
    std::optional<std::vector<std::string>> names = TRY(params.texts("names"));
    if (!names) return invalid("parameter \"names\" is missing");
    question.names = *std::move(names);
  }
  if (about == About::prompt) question.budget = TRY(params.integer("budget", 0, 10'000'000));
  return question;
}

Result<std::string> read_cwd(Fields& params) {
  std::string cwd = TRY(params.text("cwd")).value_or("");
  if (!cwd.empty() && !cwd.starts_with('/')) return invalid("parameter \"cwd\" must be an absolute path");
  return cwd;
}

Result<std::string> read_data(Fields& params) {
  Result<std::string> bytes = base64_decode(TRY(params.text("data")).value_or(""));
  if (!bytes) return std::move(bytes).error().within("parameter \"data\"");
  return bytes;
}

JsonObject tool_result_json(ToolResult result) {
  JsonObject object;
  object["content"] = JsonArray{JsonObject{{"type", "text"}, {"text", result.text}}};
  object["details"] = std::move(result.details);
  if (result.is_error) object["isError"] = true;
  return object;
}

}  // namespace talaria
