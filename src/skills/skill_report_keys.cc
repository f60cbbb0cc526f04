#include "skills/skill_report_keys.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/text.h"
#include "skills/front_matter_keys.h"
#include "skills/skill_card_fields.h"

namespace talaria {

namespace {

using Keys = std::span<const std::string_view>;

// Finding the line of one takes a look at the whole front matter, and nobody reads more of them.
constexpr size_t most_named_keys = 50;

// Keys of their own that many skills have, one letter away from ours.
constexpr std::array<std::string_view, 2> other_keys = {"mode", "content"};

constexpr auto metadata_keys = std::to_array<std::string_view>({"hermes", "openclaw", "clawdbot", "moltbot"});
constexpr auto hermes_keys =
    std::to_array<std::string_view>({"tags", "related_skills", "requires_tools", "requires_toolsets",
                                     "fallback_for_tools", "fallback_for_toolsets", "config", "category", "homepage"});
constexpr auto setting_keys = std::to_array<std::string_view>({"key", "description", "default", "prompt"});
constexpr auto variable_keys =
    std::to_array<std::string_view>({"name", "env_var", "prompt", "help", "provider_url", "url", "required_for"});
constexpr auto credential_keys = std::to_array<std::string_view>({"path", "name", "description"});
constexpr auto prerequisite_keys = std::to_array<std::string_view>({"env_vars", "commands"});
constexpr auto setup_keys = std::to_array<std::string_view>({"help", "collect_secrets"});

bool is_among(Keys keys, std::string_view key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); }

std::string same_case(std::string_view key) {
  std::string small = lower(key);
  std::replace(small.begin(), small.end(), '_', '-');
  return small;
}

// How many characters differ, from the first that does to the last.
size_t difference(std::string_view typed, std::string_view key) {
  const std::string a = same_case(typed), b = same_case(key);
  const auto front = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const size_t most = std::min(a.size(), b.size()) - front;
  size_t back = 0;
  while (back < most && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  return std::max(a.size(), b.size()) - front - back;
}

// The known key that is meant: they differ in one place only, by a fifth of the key at most, as in a short one any
// other word is as near. Empty when it is none.
std::string_view meant_by(std::string_view typed, Keys known) {
  constexpr size_t longest_known = 64;
  if (typed.size() > longest_known || is_among(other_keys, typed)) return {};
  std::string_view nearest;
  size_t least = longest_known;
  for (const std::string_view key : known) {
    const size_t apart = difference(typed, key);
    if (apart > key.size() / 5 || apart >= least) continue;
    nearest = key;
    least = apart;
  }
  return nearest;
}

class KeyCheck {
 public:
  KeyCheck(const FrontMatter& matter, std::vector<SkillDiagnostic>& diagnostics)
      : matter_(matter), diagnostics_(diagnostics), fields_(matter, said_before_) {}

  void check() {
    check_top();
    const JsonObject& metadata = fields_.map(matter_.fields, "metadata");
    const JsonObject& hermes = fields_.map(metadata, "hermes");
    check_map("metadata", metadata, metadata_keys);
    check_map("metadata.hermes", hermes, hermes_keys);
    check_entries("metadata.hermes.config", hermes, "config", setting_keys);
    check_entries("required_environment_variables", matter_.fields, "required_environment_variables", variable_keys);
    check_entries("required_credential_files", matter_.fields, "required_credential_files", credential_keys);
    check_map("prerequisites", fields_.map(matter_.fields, "prerequisites"), prerequisite_keys);
    check_map("setup", fields_.map(matter_.fields, "setup"), setup_keys);
    if (unnamed_ == 0) return;
    diagnostics_.push_back({Severity::note, 0, with_commas(unnamed_) + " more keys are not known here"});
  }

 private:
  void check_top() {
    for (const auto& [name, value] : matter_.fields) {
      const std::string key(name);
      if (is_among(skill_keys, key)) continue;
      const std::string_view meant = meant_by(key, skill_keys);
      if (meant.empty()) say(kept_, key, key, "kept");
      else say_slip(key, key, meant);
    }
  }

  void check_map(const std::string& place, const JsonObject& map, Keys known) {
    for (const auto& [name, value] : map) {
      const std::string key(name);
      const std::string_view meant = is_among(known, key) ? std::string_view() : meant_by(key, known);
      const std::string whole = place + "." + key;
      if (!meant.empty() && named_.insert(whole).second) say_slip(key, whole, meant);
    }
  }

  void check_entries(const std::string& place, const JsonObject& outer, std::string_view key, Keys known) {
    for (const JsonObject& entry : fields_.maps(outer, key, known.front())) check_map(place, entry, known);
  }

  void say_slip(std::string_view key, const std::string& whole, std::string_view meant) {
    say(slips_, key, whole, "is " + std::string(meant) + " meant?");
  }

  // Those that mean nothing to us do not crowd out the slips, so each kind is counted by itself.
  void say(size_t& count, std::string_view key, const std::string& whole, const std::string& what) {
    if (count++ >= most_named_keys) {
      ++unnamed_;
      return;
    }
    diagnostics_.push_back({Severity::note, line_of_key(matter_, key), whole + ": no key that is known here; " + what});
  }

  const FrontMatter& matter_;
  std::vector<SkillDiagnostic>& diagnostics_;
  std::vector<SkillDiagnostic> said_before_;  // by whoever read the card
  CardFields fields_;
  std::set<std::string> named_;  // entries are often made alike
  size_t kept_ = 0, slips_ = 0, unnamed_ = 0;
};

}  // namespace

void check_skill_keys(const FrontMatter& matter, std::vector<SkillDiagnostic>& diagnostics) {
  KeyCheck(matter, diagnostics).check();
}

}  // namespace talaria
