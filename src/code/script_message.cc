#include "code/script_message.h"

#include <algorithm>

#include "base/utf8.h"
#include "code/frame.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

constexpr size_t quoted_bytes = 80;
constexpr size_t longest_progress = 500;  // characters

Error malformed(std::string_view text, const std::string& why) {
  return invalid("the script sent a malformed frame (" + why + "): " + quoted_beginning(text));
}

std::optional<int64_t> whole_number(const Json* value) {
  if (value && value->is_int64()) return value->get_int64();
  return std::nullopt;
}

Result<ScriptMessage> read_request(JsonObject& object, std::string_view text) {
  const std::optional<int64_t> id = whole_number(object.if_contains("id"));
  Json* tool = object.if_contains("tool");
  Json* arguments = object.if_contains("args");
  if (!id) return malformed(text, "a call needs \"id\", a whole number");
  if (!tool->is_string()) return malformed(text, "\"tool\" must be a string");
  if (!arguments || !arguments->is_object()) return malformed(text, "a call needs \"args\", an object");
  return ScriptMessage(ScriptRequest{*id, {std::string(tool->get_string()), std::move(arguments->get_object())}});
}

Result<ScriptMessage> read_progress(const Json& value, std::string_view text) {
  const JsonObject* object = value.if_object();
  const Json* message = object ? object->if_contains("message") : nullptr;
  if (!message || !message->is_string()) return malformed(text, "\"progress\" needs \"message\", a string");
  // Cut first, so that a message of 16 MiB is not cleaned for the sake of its first line.
  const std::string_view front = std::string_view(message->get_string()).substr(0, 4 * longest_progress);
  ScriptProgress progress{std::string(first_characters(clean(front), longest_progress))};
  const Json* fraction = object->if_contains("fraction");
  if (fraction && fraction->is_number()) {
    progress.fraction = std::clamp(fraction->to_number<double>(), 0.0, 1.0);
  } else if (fraction && !fraction->is_null()) {
    return malformed(text, "\"fraction\" must be a number or null");
  }
  return ScriptMessage(std::move(progress));
}

}  // namespace

std::string quoted_beginning(std::string_view text) {
  const std::string_view front = text.substr(0, quoted_bytes);
  std::string quoted = write_json(Json(std::string_view(clean(front))));
  if (front.size() < text.size()) quoted += "…";
  return quoted;
}

Result<ScriptMessage> parse_script_message(std::string_view text) {
  Result<JsonObject> object = parse_json_object(text);
  if (!object) return malformed(text, object.error().message());
  if (object->contains("tool")) return read_request(*object, text);
  if (const Json* progress = object->if_contains("progress")) return read_progress(*progress, text);
  return malformed(text, "neither \"tool\" nor \"progress\" is in it");
}

std::optional<std::string> result_frame(int64_t id, JsonObject result) {
  const std::string front = R"({"id":)" + std::to_string(id) + R"(,"result":)";
  const std::string json = write_json(Json(std::move(result)));
  if (front.size() + json.size() + 1 > longest_script_frame) return std::nullopt;
  return encode_script_frame({front, json, "}"});
}

std::string error_frame(std::optional<int64_t> id, std::string_view message) {
  JsonObject object;
  if (id) object["id"] = *id;
  else object["id"] = nullptr;
  // Errors often hold names from outside, which may be any bytes.
  object["error"] = is_utf8(message) ? std::string(message) : clean(message);
  return encode_script_frame(write_json(Json(std::move(object))));
}

}  // namespace talaria
