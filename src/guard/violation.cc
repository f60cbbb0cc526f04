#include "guard/violation.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace talaria {
namespace {

constexpr std::array all_kinds = {Violation::Kind::quarantined, Violation::Kind::rewritten, Violation::Kind::put_back,
                                  Violation::Kind::kept, Violation::Kind::stuck};

constexpr size_t most_listed = 200;
constexpr std::string_view unlisted_rule = "guard";
constexpr std::string_view unlisted_path = " more";  // after the number

}  // namespace

Violation more_violations(size_t count) {
  return {Violation::Kind::quarantined, std::to_string(count) + std::string(unlisted_path), std::string(unlisted_rule),
          "`talaria sandbox quarantine list` lists them", ""};
}

size_t unlisted_by(const Violation& violation) {
  if (violation.rule != unlisted_rule || !violation.path.ends_with(unlisted_path)) return 0;
  const char* end = violation.path.data() + violation.path.size() - unlisted_path.size();
  size_t count = 0;
  const std::from_chars_result read = std::from_chars(violation.path.data(), end, count);
  return read.ec == std::errc() && read.ptr == end ? count : 0;
}

void add_violations(std::vector<Violation>& all, const std::vector<Violation>& more) {
  size_t unlisted = all.empty() ? 0 : unlisted_by(all.back());
  if (unlisted > 0) all.pop_back();
  for (const Violation& one : more) {
    const size_t stands_for = unlisted_by(one);
    if (stands_for == 0 && all.size() < most_listed) {
      all.push_back(one);
    } else {
      unlisted += std::max<size_t>(stands_for, 1);
    }
  }
  if (unlisted > 0) all.push_back(more_violations(unlisted));
}

ToldPaths told_paths(const std::vector<Violation>& violations, std::initializer_list<Violation::Kind> kinds) {
  ToldPaths told;
  for (const Violation& one : violations) {
    if (std::ranges::find(kinds, one.kind) == kinds.end()) continue;
    if (const size_t unlisted = unlisted_by(one)) {
      told.unlisted += unlisted;
      continue;
    }
    auto known = std::ranges::find(told.paths, one.path, &ToldPath::path);
    if (known == told.paths.end()) known = told.paths.insert(known, {one.path, {}, 0});
    ++known->times;
    if (std::ranges::find(known->whys, one.why) == known->whys.end()) known->whys.push_back(one.why);
  }
  return told;
}

std::string_view name_of(Violation::Kind kind) {
  switch (kind) {
    case Violation::Kind::quarantined: return "quarantined";
    case Violation::Kind::rewritten: return "rewritten";
    case Violation::Kind::put_back: return "put_back";
    case Violation::Kind::kept: return "kept";
    case Violation::Kind::stuck: return "stuck";
  }
  return "stuck";
}

JsonArray to_json(const std::vector<Violation>& violations) {
  JsonArray list;
  for (const Violation& one : violations) {
    JsonObject object{{"kind", name_of(one.kind)}, {"path", one.path}, {"rule", one.rule}, {"why", one.why}};
    if (!one.id.empty()) object["id"] = one.id;
    list.push_back(std::move(object));
  }
  return list;
}

std::vector<Violation> violations_from_json(const JsonArray& list) {
  std::vector<Violation> violations;
  for (const Json& json : list) {
    if (!json.is_object()) continue;
    const JsonObject& object = json.get_object();
    Violation one;
    for (const Violation::Kind kind : all_kinds) {
      if (text_or(object, "kind") == name_of(kind)) one.kind = kind;
    }
    one.path = text_or(object, "path");
    one.rule = text_or(object, "rule");
    one.why = text_or(object, "why");
    one.id = text_or(object, "id");
    violations.push_back(std::move(one));
  }
  return violations;
}

}  // namespace talaria
