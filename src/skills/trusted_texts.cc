#include "skills/trusted_texts.h"

#include "base/utf8.h"
#include "os/file.h"
#include "skills/skill_body.h"
#include "skills/skill_history_hold.h"
#include "skills/skill_report.h"

namespace talaria {
namespace {

constexpr const char* name_below = "/.talaria/trusted.json";
constexpr size_t most_trusted_bytes = 64 << 20;

// All of it that is ever read.
std::string text_of(const FrontMatter& matter) { return matter.source + "\n---\n" + matter.body; }

// What cannot be read is trusted by nobody.
JsonObject read_texts(const std::string& root) {
  const Result<std::string> text = read_file(root + name_below, most_trusted_bytes);
  Result<JsonObject> known = text ? parse_json_object(*text) : Result<JsonObject>(text.error());
  return known ? *std::move(known) : JsonObject();
}

void erase_below(JsonObject& texts, const std::string& folder) {
  std::vector<std::string> gone;
  for (const auto& [path, text] : texts) {
    if (std::string_view(path).starts_with(folder + "/")) gone.emplace_back(path);
  }
  for (const std::string& path : gone) texts.erase(path);
}

Result<> write_texts(const std::string& root, const JsonObject& texts) {
  return write_file_atomically(root + name_below, write_json(texts));
}

}  // namespace

Result<size_t> trust_texts(const std::string& root, const std::vector<std::string>& folders) {
  const HeldSkills held = TRY(HeldSkills::open(root));
  JsonObject texts = read_texts(root);
  size_t count = 0;
  for (const std::string& folder : folders) {
    const std::string real = real_path(folder);
    if (real.empty()) continue;
    erase_below(texts, real);
    for (const SkillReport& report : check_skills(real)) {
      const std::string file = real_path(report.path);
      const std::string text = text_of(report.matter);
      if (!report.loads || file.empty() || !is_utf8(file) || !is_utf8(text)) continue;
      texts[file] = text;
      ++count;
    }
  }
  TRY(write_texts(root, texts));
  return count;
}

Result<> forget_texts(const std::string& root, const std::string& folder) {
  const HeldSkills held = TRY(HeldSkills::open(root));
  JsonObject texts = read_texts(root);
  erase_below(texts, folder);
  return write_texts(root, texts);
}

bool is_trusted_text(const std::string& root, const std::string& file, const FrontMatter& matter) {
  const JsonObject texts = read_texts(root);
  const Json* known = texts.if_contains(file);
  return known && known->is_string() && known->get_string() == text_of(matter);
}

}  // namespace talaria
