#include "files/rg_event.h"

#include <algorithm>

#include "base/utf8.h"
#include "json/json.h"

namespace talaria {
namespace {

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = digits.find(c);
    if (digit == std::string_view::npos) break;  // padding
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

// {"text": …}, or {"bytes": base64} of what is no UTF-8.
std::optional<std::string> bytes_of(const JsonObject& data, std::string_view name) {
  const JsonObject* value = object_or_null(data, name);
  if (!value) return std::nullopt;
  if (const Json* text = value->if_contains("text"); text && text->is_string())
    return std::string(text->get_string().data(), text->get_string().size());
  if (const Json* bytes = value->if_contains("bytes"); bytes && bytes->is_string())
    return from_base64({bytes->get_string().data(), bytes->get_string().size()});
  return std::nullopt;
}

uint64_t first_column(const JsonObject& data, std::string_view text) {
  const Json* matches = data.if_contains("submatches");
  if (!matches || !matches->is_array() || matches->get_array().empty()) return 1;
  const Json& first = matches->get_array()[0];
  if (!first.is_object()) return 1;
  const int64_t start = integer_or(first.get_object(), "start");
  if (start <= 0) return 1;
  return 1 + count_characters(text.substr(0, static_cast<size_t>(start)));
}

}  // namespace

RgEvent::Kind kind_of_rg_line(std::string_view line) {
  using Kind = RgEvent::Kind;
  constexpr std::string_view start = R"({"type":")";
  if (!line.starts_with(start)) return line.starts_with(R"({"data":{)") ? Kind::summary : Kind::other;
  line.remove_prefix(start.size());
  if (line.starts_with("match\"")) return Kind::match;
  if (line.starts_with("context\"")) return Kind::context;
  if (line.starts_with("begin\"")) return Kind::begin;
  if (line.starts_with("end\"")) return Kind::end;
  if (line.starts_with("summary\"")) return Kind::summary;
  return Kind::other;
}

std::optional<RgEvent> parse_rg_line(std::string_view line, size_t most_text_bytes) {
  using Kind = RgEvent::Kind;
  RgEvent event{kind_of_rg_line(line), {}, 0, 1, {}};
  if (event.kind == Kind::other) return std::nullopt;
  if (event.kind == Kind::summary) return event;
  const Result<JsonObject> object = parse_json_object(line);
  if (!object) return std::nullopt;
  const JsonObject* data = object_or_null(*object, "data");
  std::optional<std::string> path = data ? bytes_of(*data, "path") : std::nullopt;
  if (!path || path->empty()) return std::nullopt;
  event.path = *std::move(path);
  if (event.kind == Kind::begin || event.kind == Kind::end) return event;
  std::optional<std::string> text = bytes_of(*data, "lines");
  if (!text) return std::nullopt;
  event.text = *std::move(text);
  event.line = static_cast<uint64_t>(std::max<int64_t>(integer_or(*data, "line_number"), 0));
  if (event.kind == Kind::match) event.column = first_column(*data, event.text);
  if (event.text.size() > most_text_bytes) event.text.resize(cut_at_or_before(event.text, most_text_bytes));
  return event;
}

}  // namespace talaria
