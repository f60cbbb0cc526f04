#include "code/script_message.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/utf8.h"
#include "code/frame.h"
#include "process/clean_text.h"

namespace talaria {
namespace {

constexpr size_t quoted_bytes = 80;
constexpr size_t longest_progress = 500;  // characters
constexpr size_t bytes_of_a_value = 64;   // at most, in memory, beside the text of strings

Error malformed(std::string_view text, const std::string& why) {
  return invalid("the script sent a malformed frame (" + why + "): " + quoted_beginning(text));
}

std::optional<int64_t> whole_number(const Json* value) {
  if (value && value->is_int64()) return value->get_int64();
  return std::nullopt;
}

// Where the string ends whose first byte is text[at].
size_t end_of_string(std::string_view text, size_t at) {
  for (size_t from = at;; ++from) {
    from = text.find('"', from);
    if (from == std::string_view::npos) return text.size();
    size_t escapes = from;
    while (escapes > at && text[escapes - 1] == '\\') --escapes;
    if ((from - escapes) % 2 == 0) return from;
  }
}

// About as many as the text will have when it is read, and never fewer than half of them. Looks no further than where
// they are too many.
size_t count_values(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size() && count <= most_script_values; ++at) {
    switch (text[at]) {
      case '"': at = end_of_string(text, at + 1); break;
      case ',':
      case ':':
      case '[':
      case '{': ++count; break;
      default: break;
    }
  }
  return count;
}

// Of a frame that begins with it, as those of hermes_tools do.
std::optional<int64_t> id_in_front(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  for (const std::string_view part : {"{", "\"id\"", ":"}) {
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    if (!text.starts_with(part)) return std::nullopt;
    text.remove_prefix(part.size());
  }
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  int64_t id = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), id);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  if (wrong != std::errc() || text.empty() || (text[0] != ',' && text[0] != '}')) return std::nullopt;
  return id;
}

ScriptRefusal too_many_values(std::string_view text) {
  return {id_in_front(text), "This call has more than " + with_commas(most_script_values) +
                                 " values in its arguments, and so many are not read. Pass what is large as text."};
}

Result<ScriptMessage> read_request(JsonObject& object, std::string_view text, size_t weight) {
  const std::optional<int64_t> id = whole_number(object.if_contains("id"));
  Json* tool = object.if_contains("tool");
  Json* arguments = object.if_contains("args");
  if (!id) return malformed(text, "a call needs \"id\", a whole number");
  if (!tool->is_string()) return malformed(text, "\"tool\" must be a string");
  if (!arguments || !arguments->is_object()) return malformed(text, "a call needs \"args\", an object");
  ScriptCall call{std::string(tool->get_string()), std::move(arguments->get_object())};
  return ScriptMessage(ScriptRequest{*id, std::move(call), weight});
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
  const size_t values = count_values(text);
  if (values > most_script_values) return ScriptMessage(too_many_values(text));
  Result<JsonObject> object = parse_json_object(text);
  if (!object) return malformed(text, object.error().message());
  if (object->contains("tool")) return read_request(*object, text, text.size() + values * bytes_of_a_value);
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
