#include "guard/violation.h"

#include <array>

namespace talaria {
namespace {

constexpr std::array kinds = {Violation::Kind::quarantined, Violation::Kind::rewritten, Violation::Kind::put_back,
                              Violation::Kind::kept, Violation::Kind::stuck};

}  // namespace

Violation more_violations(size_t count) {
  return {Violation::Kind::quarantined, std::to_string(count) + " more", "guard",
          "`talaria sandbox quarantine list` lists them", ""};
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
    for (const Violation::Kind kind : kinds) {
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
