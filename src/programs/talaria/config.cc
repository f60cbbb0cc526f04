#include <memory>

#include "base/text.h"
#include "base/unseen.h"
#include "config/edit.h"
#include "config/file.h"
#include "config/keys.h"
#include "config/profiles.h"
#include "config/settings.h"
#include "config/show.h"
#include "config/skill_config.h"
#include "os/file.h"
#include "os/home.h"
#include "talaria/commands.h"
#include "talaria/config_edit.h"
#include "talaria/config_migrate.h"
#include "talaria/config_secrets.h"
#include "talaria/config_skills.h"
#include "talaria/gateway.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/table.h"
#include "talaria/word_check.h"
#include "yaml/yaml.h"

namespace talaria {
namespace {

struct ConfigOptions {
  std::string action;
  std::optional<std::string> key;
  std::optional<std::string> value;
  bool force = false;
  bool json = false;
};

Error in_file(const std::string& path, const Error& error) { return {error.code(), path + ":" + error.message()}; }

// A text that parses; the error names the file and the place in it.
Result<std::string> read_config(const std::string& path) {
  if (!exists(path)) return std::string();
  std::string text = TRY(read_file(path));
  const Result<YamlDocument> document = YamlDocument::parse(text);
  if (!document) return in_file(path, document.error());
  return text;
}

// The rows of one key, of one section, or with an empty name of all, as they are shown.
Result<std::vector<SettingRow>> settings_at(const std::string& path, const std::string& name) {
  Result<std::vector<SettingRow>> rows = show_settings(TRY(read_config(path)));
  if (!rows) return in_file(path, rows.error());
  std::erase_if(*rows, [&](const SettingRow& row) {
    return !name.empty() && row.key != name && !row.key.starts_with(name + ".");
  });
  hide_secrets(*rows);
  return rows;
}

JsonArray rows_json(const std::vector<SettingRow>& rows) {
  JsonArray list;
  for (const SettingRow& row : rows) {
    list.push_back(JsonObject{{"key", row.key},
                              {"value", row.typed_value},
                              {"default", row.typed_default},
                              {"source", row.source},
                              {"help", row.help}});
  }
  return list;
}

bool is_read(const std::string& key) {
  return find_config_key(key) || is_config_section(key) || is_below_profiles(key) || is_below_skill_config(key);
}

// Most likely a typing error; it may also be a newer version's.
std::string why_not_read(const std::string& key) {
  const std::string meant = suggest_key(key);
  return "nothing reads the key " + shown_line(key) + (meant.empty() ? "" : "; did you mean " + meant + "?");
}

// The refusal says why, as a whole sentence, and then what to do.
Error refusal(const std::string& key, const std::string& what_then) {
  const std::string why = why_not_read(key);
  return {ErrorCode::not_found, why + (why.ends_with('?') ? " " : ". ") + what_then};
}

// A text, or that there is none.
int show_text(const std::string& key, const std::optional<std::string>& value, bool json) {
  if (json) {
    JsonObject answer{{"key", key}, {"value", nullptr}, {"source", nullptr}};
    set_if(answer, "value", value);
    if (value) answer["source"] = "config.yaml";
    print_json(answer);
  } else if (value) {
    print_line(*value);
  }
  return value ? 0 : 1;
}

// What nobody here reads, as it is written.
Result<int> get_unknown(const std::string& path, const std::string& key, bool json) {
  const std::optional<std::string> value = TRY(get_key(TRY(read_config(path)), key));
  complain(why_not_read(key));
  return show_text(key, value, json);
}

// A part of a profile, such as sandbox.profiles.mine.base.
Result<int> get_of_profile(const std::string& path, const std::string& key, bool json) {
  const SettingRow row = TRY(settings_at(path, "sandbox.profiles")).front();
  const std::optional<Json> value = profile_value(row.typed_value.get_object(), key);
  if (json) {
    const Json source = value ? Json("config.yaml") : Json();
    print_json(JsonObject{{"key", key}, {"value", value.value_or(Json())}, {"source", source}});
  } else if (value) {
    print_line(value->is_string() ? std::string(value->get_string()) : flow_text(*value));
  }
  return value ? 0 : 1;
}

// A setting of a skill, or a section of them, such as skills.config.wiki. Who names a single one is shown it whole.
Result<int> get_of_skills(const std::string& path, const std::string& key, bool json) {
  const std::string text = TRY(read_config(path));
  const Result<Settings> settings = parse_settings(text);
  if (!settings) return in_file(path, settings.error());
  const std::map<std::string, std::string>& config = settings->skills.config;
  const std::string name = key.substr(std::string_view("skills.config.").size());
  if (const auto found = config.find(name); found != config.end()) return show_text(key, found->second, json);
  const std::optional<std::string> section = section_without_secrets(config, name);
  return show_text(key, section ? section : TRY(get_key(text, key)), json);
}

Result<int> get(const std::string& path, const std::string& key, bool json) {
  if (is_below_profiles(key)) return get_of_profile(path, key, json);
  if (is_below_skill_config(key)) return get_of_skills(path, key, json);
  if (!find_config_key(key)) return get_unknown(path, key, json);
  const SettingRow row = TRY(settings_at(path, key)).front();
  if (json) print_json(JsonObject{{"key", key}, {"value", row.typed_value}, {"source", row.source}});
  else print_line(row.value);
  return 0;
}

Result<int> show(const std::string& path, const std::string& section, bool json) {
  const std::vector<SettingRow> rows = TRY(settings_at(path, section));
  Table table({"KEY", "VALUE", "FROM", "MEANING"});
  for (const SettingRow& row : rows) table.add({row.key, row.value, row.source, row.help});
  table.wrap_everything();
  if (json) print_json(JsonObject{{"path", path}, {"settings", rows_json(rows)}});
  else table.print_out();
  return 0;
}

// Only a gateway knows the skills; none is started to look at a file.
Result<std::vector<AskedSetting>> skill_settings() {
  Gateway gateway = TRY(Gateway::reach_running());
  return fetch_skill_settings(gateway);
}

Result<int> show_all(const std::string& path, bool json) {
  if (!json) {
    const int done = TRY(show(path, "", json));
    const Result<std::vector<AskedSetting>> settings = skill_settings();
    print_fitted(
        for_terminal(settings ? settings_section(*settings) : missing_section(for_people(settings.error().message()))));
    return done;
  }
  JsonObject shown{{"path", path}, {"settings", rows_json(TRY(settings_at(path, "")))}, {"skill_settings", nullptr}};
  const Result<std::vector<AskedSetting>> settings = skill_settings();
  if (settings) shown["skill_settings"] = settings_json(*settings);
  else shown["skill_settings_error"] = settings.error().message();
  print_json(shown);
  return 0;
}

Result<int> change(const Home& home, const ConfigOptions& options, const TextEdit& edit) {
  TRY(home.prepare());
  TRY(edit_config_file(home.config(), edit));
  if (options.json) print_json(JsonObject{{"path", home.config()}, {"key", *options.key}});
  return 0;
}

Result<int> act(const ConfigOptions& options) {
  const Home home = TRY(find_home());
  if (options.action == "path") {
    if (options.json) print_json(JsonObject{{"path", home.config()}});
    else print_line(home.config());
    return 0;
  }
  if (options.action == "show" && !options.key) return show_all(home.config(), options.json);
  if (options.action == "migrate") return migrate_config(home, options.json);
  if (options.action == "edit") {
    TRY(home.prepare());
    TRY(edit_config_by_hand(home.config()));
    if (options.json) print_json(JsonObject{{"path", home.config()}});
    return 0;
  }
  if (!options.key) return usage_error("config", options.action + " needs a key, such as exec.timeout");
  if (options.action == "show") {
    if (find_config_key(*options.key) || is_config_section(*options.key)) {
      return show(home.config(), *options.key, options.json);
    }
    return refusal(*options.key, "talaria config show lists all keys");
  }
  if (options.action == "get") {
    const bool section = is_config_section(*options.key);
    return section ? show(home.config(), *options.key, options.json) : get(home.config(), *options.key, options.json);
  }
  if (options.action == "unset") {
    if (!is_read(*options.key) && !TRY(get_key(TRY(read_config(home.config())), *options.key))) {
      return refusal(*options.key, "It is not in " + home.config() + ", so there is nothing to unset");
    }
    return change(home, options, [&](std::string_view text) { return unset_key(text, *options.key); });
  }
  if (!options.value) return usage_error("config", "set needs a key and a value");
  const bool read = is_read(*options.key);
  if (!read && !options.force) {
    return refusal(*options.key, "Nothing was changed; --force sets a key that a newer version may know");
  }
  const int done =
      TRY(change(home, options, [&](std::string_view text) { return set_key(text, *options.key, *options.value); }));
  if (!read) complain(why_not_read(*options.key));
  return done;
}

struct ConfigAction {
  const char* name;
  const char* usage;
  size_t most;  // words it takes
};

constexpr ConfigAction config_actions[] = {
    {"show", "[SECTION]", 1}, {"get", "KEY|SECTION", 1}, {"set", "KEY VALUE [--force]", 2},
    {"unset", "KEY", 1},      {"path", "", 0},           {"edit", "", 0},
    {"migrate", "", 0},
};

// Says what is wrong with the words and options, or nothing.
std::string misuse_of(const ConfigOptions& options) {
  std::vector<std::string> names;
  for (const ConfigAction& action : config_actions) {
    names.emplace_back(action.name);
    if (action.name != options.action) continue;
    const size_t count = options.value ? 2 : options.key ? 1 : 0;
    if (count > action.most) return options.action + (action.most == 0 ? " takes no key" : " takes no value");
    if (options.force && options.action != "set") return "--force is an option of set, not of " + options.action;
    return "";
  }
  return no_such("action", options.action, names);
}

int run(const ConfigOptions& options) {
  if (const std::string misuse = misuse_of(options); !misuse.empty()) return usage_error("config", misuse);
  if (options.action != "get" && options.action != "show" && options.action != "path") {
    const Result<> allowed = refuse_inside_job("the configuration cannot be changed");
    if (!allowed) return fail(allowed.error());
  }
  Result<int> code = act(options);
  return code ? *code : fail(code.error());
}

Run declare_config(CommandLine& line) {
  auto options = std::make_shared<ConfigOptions>();
  line.required("ACTION", options->action, "show, get, set, unset, path, edit or migrate");
  line.optional("KEY", options->key, "A key, such as exec.timeout; show and get also take a section, such as exec");
  line.optional("VALUE", options->value, "The value to set, as in the file: 30, true, [a, b]");
  line.flag("--force", options->force, "set: also a key that nothing reads");
  line.flag("--json", options->json, "Print JSON");
  for (const ConfigAction& action : config_actions) {
    const std::string usage = action.usage;
    line.action(action.name, std::string("talaria config ") + action.name + (usage.empty() ? "" : " ") + usage);
  }
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand config_command = {"config", "Read and change config.yaml; comments stay",
                                   R"(  talaria config show
  talaria config set exec.timeout 600
  talaria config get exec.yield_ms
  talaria config get exec       a whole section
  talaria config edit           in $VISUAL or $EDITOR; checked before it counts
  talaria config migrate        asks for the settings that skills want)",
                                   declare_config};

}  // namespace talaria
