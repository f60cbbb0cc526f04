#include "talaria/sandbox_show.h"

#include "base/text.h"

namespace talaria {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> texts_of(const JsonObject& object, std::string_view name) {
  std::vector<std::string> texts;
  const Json* list = object.if_contains(name);
  if (!list || !list->is_array()) return texts;
  for (const Json& item : list->get_array())
    texts.push_back(item.is_string() ? std::string(item.get_string()) : write_json(item));
  return texts;
}

// "memory 4 GiB", "512 processes" of {"memory_bytes": …, "processes": …}.
std::string limit_text(std::string name, const Json& value) {
  boost::json::error_code failure;
  const auto amount = value.is_number() ? value.to_number<uint64_t>(failure) : 0;
  const bool bytes = name.ends_with("_bytes");
  if (bytes) name.resize(name.size() - 6);
  for (char& c : name) c = c == '_' ? ' ' : c;
  return name + ": " + (amount == 0 ? "no limit of ours" : bytes ? human_bytes(amount) : with_commas(amount));
}

std::string profile_text(const JsonObject& explained) {
  const std::string profile = text_or(explained, "profile"), base = text_or(explained, "base");
  return profile + (base.empty() || base == profile ? "" : ", based on " + base);
}

std::string holds_text(const JsonObject& explained) {
  const std::vector<std::string> missing = texts_of(explained, "missing");
  const std::string reason = text_or(explained, "reason");
  const std::string tier = "tier " + std::to_string(integer_or(explained, "tier", 1));
  return tier + (missing.empty() ? ", nothing missing" : ", missing here: " + join(missing, ", ")) +
         (reason.empty() ? "" : " (" + reason + ")");
}

// What the guard does about names that make other programs run something, a sentence each.
std::vector<std::string> watched_texts(const JsonObject& explained) {
  const Json* watched = explained.if_contains("watched");
  if (!watched) return {};  // an older gateway
  if (!watched->is_object()) return {"nothing: this profile has no guard"};
  const JsonObject& names = watched->get_object();
  std::vector<std::string> texts = {
      "at any depth of the workspace, while a command of the session runs; what you change at other times stays",
      "in git directories: hooks, config, config.worktree, info and commondir cannot be changed, and a new one is "
      "moved "
      "to quarantine; a new repository may stay, without settings and hooks that run something"};
  const auto say = [&](const char* kind, const std::string& meaning) {
    const std::vector<std::string> list = texts_of(names, kind);
    if (!list.empty()) texts.push_back(std::string(kind) + " (" + meaning + "): " + join(list, ", "));
  };
  say("locked", "what is there cannot be changed, a new one is moved to quarantine");
  say("held", "a version that a commit of yours has stays, any other is undone or moved to quarantine");
  say("own", "what is there cannot be changed, a new one stays, and Talaria trusts nothing in it");
  say("reported", "nothing is done: they run only when you ask for it");
  if (const JsonObject* quarantine = object_or_null(names, "quarantine")) {
    texts.push_back("the quarantine is " + text_or(*quarantine, "folder") + ": until you delete it, at most " +
                    with_commas(static_cast<uint64_t>(integer_or(*quarantine, "most_items"))) + " items and " +
                    human_bytes(static_cast<uint64_t>(integer_or(*quarantine, "most_bytes"))) +
                    " (talaria sandbox quarantine list)");
  }
  return texts;
}

class RowList {
 public:
  explicit RowList(Medium medium) : medium_(medium) {}

  void add(const std::string& name, const std::vector<std::string>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      rows_.push_back({i > 0 && medium_ == Medium::terminal ? "" : name, values[i]});
    }
  }
  Rows take() { return std::move(rows_); }

 private:
  Medium medium_;
  Rows rows_;
};

}  // namespace

Rows explain_rows(const JsonObject& explained, Medium medium) {
  RowList rows(medium);
  const bool writable = boolean_or(explained, "workspace_writable");
  rows.add("profile", {profile_text(explained)});
  rows.add("holds", {holds_text(explained)});
  rows.add("network", {text_or(explained, "network")});
  rows.add("workspace", {text_or(explained, "workspace") + (writable ? ", writable" : ", read-only")});
  for (const char* name : {"writable", "readable", "protected", "hidden"}) rows.add(name, texts_of(explained, name));
  rows.add("watched", watched_texts(explained));
  std::vector<std::string> variables, limits;
  if (const JsonObject* environment = object_or_null(explained, "environment")) {
    for (const auto& [name, value] : *environment) {
      variables.push_back(std::string(name) + "=" +
                          (value.is_string() ? std::string(value.get_string()) : write_json(value)));
    }
  }
  if (const JsonObject* given = object_or_null(explained, "limits")) {
    for (const auto& [name, value] : *given) limits.push_back(limit_text(name, value));
  }
  rows.add("environment", variables);
  rows.add("limits", limits);
  rows.add("note", texts_of(explained, "notes"));
  return rows.take();
}

Rows probe_rows(const JsonObject& probed, Medium medium) {
  Rows rows;
  const auto add = [&](const std::string& name, const std::string& state, const std::string& detail,
                       const std::string& fix) {
    if (medium == Medium::pipe) return rows.push_back({name, state, detail, fix});
    rows.push_back({name, state, detail});
    if (!fix.empty()) rows.push_back({"", "", "→ " + fix});
  };
  const auto add_all = [&](const char* list_name, const std::string& prefix, const char* state, const char* detail) {
    const Json* list = probed.if_contains(list_name);
    if (!list || !list->is_array()) return;
    for (const Json& item : list->get_array()) {
      const JsonObject* one = item.if_object();
      if (!one) continue;
      add(prefix + text_or(*one, "name"), boolean_or(*one, state) ? "yes" : "no", text_or(*one, detail),
          text_or(*one, "fix"));
    }
  };
  add_all("capabilities", "", "ok", "detail");
  add_all("profiles", "profile ", "holds", "reason");
  add("identity", "", text_or(probed, "identity"), "");
  add("limits", "", text_or(probed, "limits"), "");
  return rows;
}

}  // namespace talaria
