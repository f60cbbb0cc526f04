#include "config/show.h"

#include "base/text.h"
#include "config/keys.h"
#include "config/settings.h"
#include "yaml/yaml.h"

namespace talaria {

Result<std::vector<SettingRow>> show_settings(std::string_view text) {
  const Settings settings = TRY(parse_settings(text));
  const YamlDocument document = TRY(YamlDocument::parse(text));
  std::vector<SettingRow> rows;
  for (const ConfigKey& key : config_keys()) {
    const YamlNode* written = document.at(split(key.name, '.'));
    const bool configured = written != nullptr && written->kind != YamlNode::Kind::null;
    rows.push_back({std::string(key.name), value_text(key, settings), default_text(key),
                    configured ? "config.yaml" : "default", std::string(key.help), value_json(key, settings),
                    value_json(key, Settings{})});
  }
  return rows;
}

std::string describe_keys() {
  std::string table = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const ConfigKey& key : config_keys()) {
    table += "| `" + std::string(key.name) + "` | " + expected_value(key) + " | " + "`" + default_text(key) + "` | " +
             std::string(key.help) + " |\n";
  }
  return table;
}

}  // namespace talaria
