#include "talaria/config_migrate.h"

#include <unistd.h>

#include "config/edit.h"
#include "config/file.h"
#include "talaria/config_skills.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

constexpr const char* setting_prefix = "skills.config.";

// Nothing at the end of stdin.
std::optional<std::string> ask_line(const std::string& prompt) {
  print(for_terminal(prompt));
  std::string line;
  for (char byte = 0;;) {
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count == 1 && byte == '\n') return line;
    if (count <= 0) break;
    line += byte;
  }
  print("\n");
  return std::nullopt;
}

Result<> store(const Home& home, const std::string& key, const std::string& value) {
  TRY(edit_config_file(home.config(),
                       [&](std::string_view text) { return set_key(text, setting_prefix + key, value); }));
  print_line(for_terminal("    " + std::string(setting_prefix) + key + " is set"));
  return ok;
}

}  // namespace

Result<int> migrate_config(const Home& home, bool json) {
  Gateway gateway = TRY(Gateway::reach());
  const OpenSettings open = open_settings(TRY(fetch_skill_settings(gateway)));
  const std::vector<AskedSetting> asked = open.to_ask();
  if (json) {
    print_json(JsonObject{{"path", home.config()},
                          {"unset", settings_json(open.needed)},
                          {"optional", settings_json(open.optional)},
                          {"untrusted", settings_json(open.untrusted)}});
    return 0;
  }
  print(for_terminal(open_list(open)));
  if (asked.empty()) return 0;
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDOUT_FILENO)) {
    print_line("  set one with: talaria config set " + std::string(setting_prefix) + "KEY VALUE");
    return 0;
  }
  const SettingsDialogue dialogue{
      ask_line, [&](const std::string& key, const std::string& value) { return store(home, key, value); }, complain};
  return ask_for_settings(asked, dialogue) ? 0 : 1;
}

}  // namespace talaria
