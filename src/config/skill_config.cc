#include "config/skill_config.h"

#include "config/flow.h"

namespace talaria {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view skill_config_prefix = "skills.config.";
constexpr size_t most_values = 10'000;
constexpr size_t longest_key = 500;  // as config_path; it also bounds the depth, which aliases do not

// One walk over the section. Aliases can make a small text mean a huge one, so it ends at most_values.
class SkillConfigReader {
 public:
  explicit SkillConfigReader(const YamlDocument& document) : document_(document) {}

  void take(const std::string& key, size_t index, bool dotted_name) {
    const size_t target = document_.resolve(index);
    const YamlNode& node = document_.node(target);
    if (++seen_ > most_values || key.size() > longest_key) return;
    if (node.kind == Kind::mapping) {
      for (const YamlEntry& entry : node.entries) {
        const std::string& name = document_.node(entry.key).text;
        const bool dotted = dotted_name || name.find('.') != std::string::npos;
        take(key.empty() ? name : key + "." + name, entry.value, dotted);
      }
    } else if (!key.empty()) {
      auto& values = dotted_name ? dotted_ : nested_;
      std::string& value = values[key];
      if (node.kind == Kind::scalar) value = node.text;
      else if (node.kind != Kind::null) value = flow_of(document_, target);
    }
  }

  // `config set` writes a.b as a section with a key, so that counts before a key that holds the dot itself.
  std::map<std::string, std::string> values() && {
    nested_.merge(dotted_);
    return std::move(nested_);
  }

 private:
  const YamlDocument& document_;
  size_t seen_ = 0;
  std::map<std::string, std::string> nested_;
  std::map<std::string, std::string> dotted_;
};

}  // namespace

bool is_below_skill_config(std::string_view key) {
  return key.starts_with(skill_config_prefix) && key.size() > skill_config_prefix.size();
}

std::map<std::string, std::string> read_skill_config(const YamlDocument& document, size_t index) {
  if (document.node(document.resolve(index)).kind != Kind::mapping) return {};
  SkillConfigReader reader(document);
  reader.take("", index, false);
  return std::move(reader).values();
}

}  // namespace talaria
