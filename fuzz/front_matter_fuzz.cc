// Any bytes may be a SKILL.md: reading them must not crash, must give valid UTF-8, and the quick reader of plain YAML
// must agree with the thorough one wherever it gives an answer.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "json/json.h"
#include "skills/skill_card.h"
#include "skills/slug.h"
#include "yaml/plain_yaml.h"
#include "yaml/tolerant_yaml.h"

namespace {

using talaria::FrontMatter;
using talaria::Json;
using talaria::SkillCard;

void check_yaml(const std::string& text) {
  const std::optional<Json> quick = talaria::read_plain_yaml(text);
  if (!quick) return;
  talaria::YamlScope scope;
  const std::optional<Json> thorough = talaria::read_yaml_value(text, 1, scope);
  CHECK(thorough.has_value());
  CHECK(*quick == *thorough);
  CHECK(scope.remark_count() == 0);
}

// What was read, written as plain front matter, is read as the same.
void check_again(const FrontMatter& matter) {
  const std::string json = talaria::write_json(matter.fields);
  CHECK(talaria::is_utf8(json));
  CHECK(talaria::is_utf8(matter.body));
  CHECK(matter.body.find('\r') == std::string::npos);
  CHECK(matter.present || matter.fields.empty());
  const talaria::TolerantYaml again = talaria::read_tolerant_yaml(matter.source, matter.source_line, {});
  CHECK(talaria::is_utf8(talaria::write_json(again.value)));
}

void check_card(const SkillCard& card) {
  CHECK(talaria::is_skill_name(card.slug));
  CHECK(talaria::is_utf8(card.name));
  CHECK(talaria::is_utf8(card.description));
  CHECK(card.name.find('\n') == std::string::npos);
  CHECK(talaria::count_characters(card.description) <= 1024);
  for (const talaria::EnvironmentNeed& need : card.environment) CHECK(!need.prompt.empty());
  for (const talaria::SkillDiagnostic& diagnostic : card.diagnostics) CHECK(talaria::is_utf8(diagnostic.message));
  CHECK(card.diagnostics.size() < 10'000);
}

}  // namespace

// libfyaml 0.7.12 forgets its list of pieces when a scalar has more than a few dozen of them.
extern "C" const char* __lsan_default_suppressions() { return "leak:fy_atom_iter_grow_chunk"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const FrontMatter matter = talaria::read_front_matter(file);
  check_yaml(matter.source);
  check_again(matter);
  check_card(talaria::read_card(matter, "folder"));
  if (talaria::is_utf8(file) && file.find('\0') == std::string_view::npos) check_yaml(std::string(file));
  return 0;
}
