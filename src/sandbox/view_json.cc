#include <array>
#include <charconv>
#include <utility>

#include "json/fields.h"
#include "sandbox/view.h"

namespace talaria {
namespace {

constexpr std::array mount_kinds = {std::pair{MountKind::bind, std::string_view("bind")},
                                    std::pair{MountKind::device, std::string_view("device")},
                                    std::pair{MountKind::tmpfs, std::string_view("tmpfs")},
                                    std::pair{MountKind::mirror, std::string_view("mirror")},
                                    std::pair{MountKind::hide, std::string_view("hide")},
                                    std::pair{MountKind::file, std::string_view("file")},
                                    std::pair{MountKind::link, std::string_view("link")},
                                    std::pair{MountKind::terminals, std::string_view("terminals")},
                                    std::pair{MountKind::processes, std::string_view("processes")}};

constexpr std::array owner_names = {std::pair{Owners::as_they_are, std::string_view("as-they-are")},
                                    std::pair{Owners::mapped_if_possible, std::string_view("mapped-if-possible")},
                                    std::pair{Owners::mapped, std::string_view("mapped")}};

template <class Table>
auto value_named(const Table& table, std::string_view name, std::string_view what) -> Result<decltype(table[0].first)> {
  for (const auto& [value, known] : table) {
    if (known == name) return value;
  }
  return invalid("unknown " + std::string(what) + " \"" + std::string(name) + "\"");
}

// A path is bytes, JSON is text: what is not plain ASCII is written %XX.
std::string escaped(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '%') text += c;
    else text += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

Result<std::string> unescaped(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      bytes += text[at];
      continue;
    }
    unsigned value = 0;
    const char* const digits = text.data() + at + 1;
    const bool whole = at + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    if (!whole) return invalid("mount step with a broken % in a path");
    bytes += static_cast<char>(value);
    at += 2;
  }
  return bytes;
}

// Only what differs from a plain step: a plan has some fifty of them.
JsonObject step_to_json(const MountStep& step) {
  const MountStep plain;
  JsonObject object{{"kind", name_of(step.kind)}, {"target", escaped(step.target)}};
  if (!step.source.empty()) object["source"] = escaped(step.source);
  if (step.writable) object["writable"] = true;
  if (step.optional) object["optional"] = true;
  if (step.sealed) object["sealed"] = true;
  if (step.bytes != 0) object["bytes"] = step.bytes;
  if (step.inodes != 0) object["inodes"] = step.inodes;
  if (step.mode != plain.mode) object["mode"] = step.mode;
  if (step.inner == InnerMounts::read_only) object["inner_read_only"] = true;
  for (const auto& [value, name] : owner_names) {
    if (value == step.owners && value != plain.owners) object["owners"] = name;
  }
  return object;
}

Result<MountStep> step_from_json(const JsonObject& object) {
  Fields fields(object, "mount step");
  MountStep step;
  step.kind = TRY(value_named(mount_kinds, TRY(fields.text("kind")).value_or(""), "mount step kind"));
  step.target = TRY(unescaped(TRY(fields.text("target")).value_or("")));
  if (!step.target.starts_with('/')) return invalid("mount step \"target\" must be an absolute path");
  step.source = TRY(unescaped(TRY(fields.text("source")).value_or("")));
  step.writable = TRY(fields.boolean("writable")).value_or(false);
  step.optional = TRY(fields.boolean("optional")).value_or(false);
  step.sealed = TRY(fields.boolean("sealed")).value_or(false);
  step.bytes = static_cast<uint64_t>(TRY(fields.integer("bytes", 0, INT64_MAX)).value_or(0));
  step.inodes = static_cast<uint64_t>(TRY(fields.integer("inodes", 0, INT64_MAX)).value_or(0));
  step.mode = static_cast<uint32_t>(TRY(fields.integer("mode", 0, 07777)).value_or(step.mode));
  if (TRY(fields.boolean("inner_read_only")).value_or(false)) step.inner = InnerMounts::read_only;
  if (const auto owners = TRY(fields.text("owners"))) {
    step.owners = TRY(value_named(owner_names, *owners, "owners of a mount step"));
  }
  TRY(fields.no_others());
  return step;
}

}  // namespace

std::string_view name_of(MountKind kind) {
  for (const auto& [value, name] : mount_kinds) {
    if (value == kind) return name;
  }
  return "unknown";
}

JsonObject to_json(const MountPlan& plan) {
  JsonArray steps;
  for (const MountStep& step : plan.steps) steps.push_back(step_to_json(step));
  return {{"read_only_root", plan.read_only_root}, {"steps", std::move(steps)}};
}

Result<MountPlan> mount_plan_from_json(const JsonObject& object) {
  Fields fields(object, "mount plan");
  MountPlan plan;
  plan.read_only_root = TRY(fields.boolean("read_only_root")).value_or(true);
  const Json* steps = fields.any("steps");
  if (!steps || !steps->is_array()) return invalid("mount plan \"steps\" must be a list");
  for (const Json& step : steps->get_array()) {
    if (!step.is_object()) return invalid("mount plan \"steps\" must be a list of objects");
    plan.steps.push_back(TRY(step_from_json(step.get_object())));
  }
  TRY(fields.no_others());
  return plan;
}

}  // namespace talaria
