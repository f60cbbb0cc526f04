#include "tools/tool.h"

#include <array>

namespace talaria {
namespace {

constexpr std::array<std::string_view, 5> names = {"terminal", "file", "web", "code", "skills"};

// What a model pays for with every request. Bounds are not shown, but for those that a description tells: all are
// checked, and the error names them.
JsonObject shown_schema(const ToolSpec& spec) {
  JsonObject schema = input_schema(spec);
  for (auto& parameter : schema.at("properties").get_object()) {
    for (const char* bound : {"minLength", "maxLength", "minimum", "maximum"})
      parameter.value().get_object().erase(bound);
  }
  return schema;
}

}  // namespace

std::string_view name_of(Toolset toolset) { return names[static_cast<size_t>(toolset)]; }

std::optional<Toolset> toolset_named(std::string_view name) {
  for (size_t at = 0; at < names.size(); ++at) {
    if (names[at] == name) return static_cast<Toolset>(at);
  }
  return std::nullopt;
}

JsonObject input_schema(const ToolSpec& spec) {
  return {{"type", "object"},
          {"properties", spec.parameters},
          {"required", JsonArray(spec.required.begin(), spec.required.end())},
          {"additionalProperties", false}};
}

JsonObject to_json(const ToolSpec& spec) {
  return {{"name", spec.name},
          {"description", spec.description},
          {"inputSchema", shown_schema(spec)},
          {"annotations", JsonObject{{"title", spec.name},
                                     {"readOnlyHint", spec.hints.read_only},
                                     {"destructiveHint", spec.hints.destructive},
                                     {"idempotentHint", spec.hints.idempotent},
                                     {"openWorldHint", spec.hints.open_world}}},
          {"toolset", name_of(spec.toolset)}};
}

}  // namespace talaria
