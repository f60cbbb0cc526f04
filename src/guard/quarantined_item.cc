#include "guard/quarantined_item.h"

#include "base/utf8.h"

namespace talaria {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

std::string bytes_in(const JsonObject& record, std::string_view name) {
  const Json* value = record.if_contains(name);
  return value ? bytes_from_json(*value) : std::string();
}

}  // namespace

Json bytes_to_json(const std::string& bytes) {
  if (is_utf8(bytes)) return Json(bytes);
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += hex_digits[byte >> 4];
    hex += hex_digits[byte & 15];
  }
  return JsonObject{{"hex", hex}};
}

std::string bytes_from_json(const Json& value) {
  if (value.is_string()) return std::string(value.as_string());
  if (!value.is_object()) return {};
  const std::string hex = text_or(value.as_object(), "hex");
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const size_t high = hex_digits.find(hex[i]);
    const size_t low = hex_digits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::string_view name_of(QuarantinedItem::Kind kind) {
  switch (kind) {
    case QuarantinedItem::Kind::file: return "file";
    case QuarantinedItem::Kind::folder: return "folder";
    case QuarantinedItem::Kind::link: return "link";
    case QuarantinedItem::Kind::other: return "other";
  }
  return "other";
}

std::string_view name_of(QuarantinedItem::Origin origin) {
  return origin == QuarantinedItem::Origin::created ? "new" : "overwritten";
}

JsonObject record_of(const QuarantinedItem& item) {
  JsonObject record{{"id", item.id},
                    {"path", bytes_to_json(item.path)},
                    {"rule", bytes_to_json(item.rule)},
                    {"why", bytes_to_json(item.why)},
                    {"workspace", bytes_to_json(item.workspace)},
                    {"session", bytes_to_json(item.session)},
                    {"taken_ms", item.taken_ms},
                    {"origin", name_of(item.origin)},
                    {"kind", name_of(item.kind)},
                    {"bytes", item.bytes},
                    {"entries", item.entries},
                    {"hash", item.hash},
                    {"times", item.times},
                    {"last_ms", item.last_ms}};
  if (!item.beside.empty()) record["beside"] = bytes_to_json(item.beside);
  if (!item.note.empty()) record["note"] = bytes_to_json(item.note);
  return record;
}

Result<QuarantinedItem> item_of(const JsonObject& record) {
  QuarantinedItem item;
  item.id = text_or(record, "id");
  item.path = bytes_in(record, "path");
  if (item.id.empty() || !item.path.starts_with('/')) return invalid("this is no record of something in quarantine");
  item.rule = bytes_in(record, "rule");
  item.why = bytes_in(record, "why");
  item.workspace = bytes_in(record, "workspace");
  item.session = bytes_in(record, "session");
  item.taken_ms = integer_or(record, "taken_ms");
  const std::string origin = text_or(record, "origin");
  item.origin = origin == "overwritten" ? QuarantinedItem::Origin::overwritten : QuarantinedItem::Origin::created;
  const std::string kind = text_or(record, "kind");
  for (const auto known : {QuarantinedItem::Kind::file, QuarantinedItem::Kind::folder, QuarantinedItem::Kind::link,
                           QuarantinedItem::Kind::other}) {
    if (kind == name_of(known)) item.kind = known;
  }
  item.bytes = static_cast<uint64_t>(integer_or(record, "bytes"));
  item.entries = static_cast<uint64_t>(integer_or(record, "entries", 1));
  item.hash = text_or(record, "hash");
  item.times = integer_or(record, "times", 1);
  item.last_ms = integer_or(record, "last_ms", item.taken_ms);
  item.beside = bytes_in(record, "beside");
  item.note = bytes_in(record, "note");
  return item;
}

}  // namespace talaria
