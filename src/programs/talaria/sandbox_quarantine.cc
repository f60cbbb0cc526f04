#include "talaria/sandbox_quarantine.h"

#include <ctime>
#include <filesystem>
#include <optional>

#include "base/columns.h"
#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "guard/quarantine.h"
#include "os/home.h"
#include "talaria/command_line.h"
#include "talaria/job_guard.h"
#include "talaria/print.h"
#include "talaria/sandbox_quarantine_help.h"
#include "talaria/table.h"
#include "talaria/word_check.h"

namespace talaria {
namespace {

constexpr const char* quarantine_name = "sandbox quarantine";
constexpr size_t most_shown = 64 << 10;

struct QuarantineOptions {
  std::string action;
  std::vector<std::string> ids;
  std::optional<std::string> to;
  bool force = false, all = false, json = false;
};

std::string when(EpochMs time_ms) {
  const std::time_t seconds = time_ms / 1000;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%F %T", &parts));
}

std::string size_of(const QuarantinedItem& item) {
  if (item.kind == QuarantinedItem::Kind::folder) return with_commas(item.entries) + " entries";
  return item.kind == QuarantinedItem::Kind::file ? human_bytes(item.bytes) : std::string(name_of(item.kind));
}

int list_items(Quarantine& quarantine, const QuarantineOptions& options) {
  const Result<std::vector<QuarantinedItem>> items = quarantine.list();
  if (!items) return fail(items.error());
  if (options.json) {
    JsonArray rows;
    for (const QuarantinedItem& item : *items) rows.push_back(record_of(item));
    print_json(JsonObject{{"items", std::move(rows)}});
    return 0;
  }
  if (items->empty()) {
    remark("Nothing is in quarantine.");
    return 0;
  }
  Table table({"ID", "AGE", "RULE", "SIZE", "FROM"});
  table.wrap_last_column();
  for (const QuarantinedItem& item : *items) {
    const std::string times = item.times > 1 ? " (" + with_commas(static_cast<uint64_t>(item.times)) + " times)" : "";
    // What could not be brought here is still on its disk, and whoever reads the list should know where and why.
    const std::string still_there = item.beside.empty() ? "" : " (" + shown_line(item.note) + ")";
    table.add({item.id, human_duration(std::max<int64_t>(epoch_ms() - item.last_ms, 0)), shown_line(item.rule),
               size_of(item), shown_line(item.path) + times + still_there});
  }
  table.print_out();
  return 0;
}

void print_facts(const QuarantinedItem& item) {
  const auto fact = [](const std::string& name, const std::string& value) {
    constexpr size_t begin = 11;
    if (value.empty()) return;
    const bool fits = !is_terminal(STDOUT_FILENO);
    const std::string text = shown_line(value);
    const size_t room = std::max<size_t>(terminal_width(), begin + 10) - begin;
    print_line(name + std::string(begin - name.size(), ' ') + (fits ? text : wrap_to_columns(text, room, begin)));
  };
  fact("id", item.id);
  fact("from", item.path);
  fact("what", std::string(name_of(item.kind)) + ", " + human_bytes(item.bytes) +
                   (item.kind == QuarantinedItem::Kind::folder ? ", " + with_commas(item.entries) + " entries" : ""));
  fact("origin", item.origin == QuarantinedItem::Origin::created ? "new: nothing was there before"
                                                                 : "overwritten: something else was there before");
  fact("taken",
       when(item.taken_ms) +
           (item.times > 1 ? ", " + std::to_string(item.times) + " times; the last " + when(item.last_ms) : ""));
  fact("rule", item.rule);
  fact("why", item.why);
  fact("workspace", item.workspace);
  fact("session", item.session);
  fact("now", item.beside);
  fact("note", item.note);
}

int show_item(Quarantine& quarantine, const QuarantineOptions& options) {
  const Result<QuarantinedItem> item = quarantine.find(options.ids[0]);
  if (!item) return fail(item.error());
  const Result<Quarantine::Shown> shown = quarantine.read(*item, most_shown);
  if (options.json) {
    JsonObject object = record_of(*item);
    if (shown) {
      object["content"] = bytes_to_json(shown->bytes.substr(0, cut_at_or_before(shown->bytes, most_shown)));
      object["whole"] = shown->whole;
    }
    print_json(object);
    return 0;
  }
  print_facts(*item);
  if (!shown) return fail(shown.error());
  if (item->kind == QuarantinedItem::Kind::other) return 0;
  const bool is_text = shown->bytes.find('\0') == std::string::npos;
  print("\n");
  if (item->kind == QuarantinedItem::Kind::link) {
    print_line("-> " + shown_line(shown->bytes));
  } else if (is_text) {
    print_line(terminal_text(shown->bytes));
  } else {
    print_line("It is no text.");
  }
  if (!shown->whole) print_line("… more was left out: only the first " + human_bytes(most_shown) + " are shown.");
  return 0;
}

int restore_item(Quarantine& quarantine, const QuarantineOptions& options) {
  const Result<QuarantinedItem> item = quarantine.find(options.ids[0]);
  if (!item) return fail(item.error());
  std::string where = item->path;
  if (options.to) {
    std::error_code failed;
    where = std::filesystem::absolute(*options.to, failed).lexically_normal().string();
    if (failed) return fail(Error::from_number(failed.value(), "look for the current directory"));
  }
  const auto overwrite = options.force ? Quarantine::Overwrite::yes : Quarantine::Overwrite::no;
  const Result<> restored = quarantine.restore(*item, where, overwrite);
  if (!restored) return fail(restored.error());
  if (where == item->path) {
    print_line(shown_line(where) + " is back");
  } else {
    // A lost record has no path.
    const std::string origin = item->path == "/" ? "" : ", taken from " + shown_line(item->path) + ",";
    print_line(item->id + origin + " is now " + shown_line(where) + " and no longer in quarantine");
  }
  return 0;
}

int delete_items(Quarantine& quarantine, const QuarantineOptions& options) {
  std::vector<QuarantinedItem> items;
  if (options.all) {
    Result<std::vector<QuarantinedItem>> found = quarantine.list();
    if (!found) return fail(found.error());
    items = *std::move(found);
    if (items.empty()) remark("Nothing is in quarantine.");
  }
  int code = 0;
  for (const std::string& id : options.ids) {
    Result<QuarantinedItem> item = quarantine.find(id);
    if (item) {
      items.push_back(*std::move(item));
    } else {
      code = fail(item.error());
    }
  }
  // What is named wrong keeps the rest from going: perhaps another was meant.
  if (code != 0) return code;
  for (const QuarantinedItem& item : items) {
    if (const Result<> removed = quarantine.remove(item); !removed) {
      code = fail(removed.error());
    } else {
      print_line(item.id);
    }
  }
  return code;
}

int run_action(const QuarantineOptions& options) {
  const std::string& action = options.action;
  const auto wrong = [](const std::string& message) { return usage_error(quarantine_name, message); };
  const bool takes_one = action == "show" || action == "restore";
  if (!takes_one && action != "list" && action != "delete") {
    return wrong(no_such("action", action, {"list", "show", "restore", "delete"}));
  }
  if (takes_one && options.ids.size() != 1) return wrong(action + " takes one id; list shows them");
  if (action == "list" && !options.ids.empty()) return wrong("list takes no id; show does");
  if (action == "delete" && options.all != options.ids.empty()) return wrong("delete takes ids, or --all");
  if (action != "restore" && (options.to || options.force)) return wrong("--to and --force are for restore");
  if (options.json && action != "list" && action != "show") return wrong("--json is for list and show");
  if (options.all && action != "delete") return wrong("--all is for delete");

  const Result<> allowed = refuse_inside_job("the quarantine is the owner's and cannot be used");
  if (!allowed) return fail(allowed.error());
  const Result<Home> home = Home::find();
  if (!home) return fail(home.error());
  Quarantine quarantine(home->quarantine());
  if (action == "list") return list_items(quarantine, options);
  if (action == "show") return show_item(quarantine, options);
  return action == "restore" ? restore_item(quarantine, options) : delete_items(quarantine, options);
}

}  // namespace

int run_quarantine(std::vector<std::string> words) {
  QuarantineOptions options;
  CommandLine line(quarantine_name, "", "");
  line.required("ACTION", options.action, "list, show, restore or delete");
  line.list("ID", options.ids, CommandLine::AtLeast::none, "Of an item, or the beginning of one");
  line.option("--to", options.to, "PATH", "restore: put it there instead");
  line.flag("-f,--force", options.force, "restore: replace what is there");
  line.flag("-a,--all", options.all, "delete: everything");
  line.flag("--json", options.json, "list, show: print JSON");
  line.action_help("", quarantine_help);
  line.action_help("list", quarantine_list_help);
  line.action_help("show", quarantine_show_help);
  line.action_help("restore", quarantine_restore_help);
  line.action_help("delete", quarantine_delete_help);
  if (const std::optional<int> code = line.parse(std::move(words))) return *code;
  return run_action(options);
}

}  // namespace talaria
