#include "talaria/sandbox_show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using Rows = std::vector<std::vector<std::string>>;

const char* const explained = R"({"profile": "mine", "base": "read-only", "network": "off", "workspace": "/w",
    "workspace_writable": false, "tier": 1, "missing": ["cgroups"], "hidden": ["/home", "/run"], "readable": ["/usr"],
    "writable": [], "protected": [], "environment": {"HOME": "/home/a"},
    "limits": {"processes": 1512, "memory_bytes": 4294967296, "open_files": 0}, "notes": ["a note"]})";

TEST(SandboxShowTest, ExplainsOneThingARow) {
  EXPECT_EQ(explain_rows(*parse_json_object(explained), Medium::pipe), (Rows{{"profile", "mine, based on read-only"},
                                                                             {"holds", "tier 1, missing here: cgroups"},
                                                                             {"network", "off"},
                                                                             {"workspace", "/w, read-only"},
                                                                             {"readable", "/usr"},
                                                                             {"hidden", "/home"},
                                                                             {"hidden", "/run"},
                                                                             {"environment", "HOME=/home/a"},
                                                                             {"limits", "processes: 1,512"},
                                                                             {"limits", "memory: 4 GiB"},
                                                                             {"limits", "open files: no limit of ours"},
                                                                             {"note", "a note"}}));
}

TEST(SandboxShowTest, NamesAListOnceOnATerminal) {
  const Rows rows = explain_rows(*parse_json_object(explained), Medium::terminal);
  EXPECT_EQ(rows[5], (std::vector<std::string>{"hidden", "/home"}));
  EXPECT_EQ(rows[6], (std::vector<std::string>{"", "/run"}));
}

TEST(SandboxShowTest, TellsWhatBecomesOfNamesThatRunSomething) {
  const JsonObject told = *parse_json_object(R"({"watched": {"locked": [".claude", ".env"], "held": [".envrc"],
      "reported": ["Makefile"], "quarantine": {"folder": "/q", "most_items": 1000, "most_bytes": 1073741824}}})");
  std::vector<std::string> said;
  for (const auto& row : explain_rows(told, Medium::pipe)) {
    if (row[0] == "watched") said.push_back(row[1]);
  }
  EXPECT_THAT(
      said,
      testing::ElementsAre(
          "at any depth of the workspace, while a command of the session runs; what you change at other times stays",
          testing::StartsWith("in git directories: hooks, config, "),
          "locked (what is there cannot be changed, a new one is moved to quarantine): .claude, .env",
          testing::EndsWith("any other is undone or moved to quarantine): .envrc"),
          "reported (nothing is done: they run only when you ask for it): Makefile",
          "the quarantine is /q: until you delete it, at most 1,000 items and 1 GiB (talaria sandbox "
          "quarantine list)"));
  const Rows none = explain_rows(*parse_json_object(R"({"watched": null})"), Medium::pipe);
  EXPECT_THAT(none, testing::Contains(std::vector<std::string>{"watched", "nothing: this profile has no guard"}));
}

const char* const probed = R"({"capabilities": [{"name": "mounts", "ok": true, "detail": "works", "fix": ""},
    {"name": "cgroups", "ok": false, "detail": "not delegated", "fix": "delegate them"}],
    "profiles": [{"name": "full", "holds": true, "reason": ""}], "identity": "uid 64000", "limits": "cgroups"})";

TEST(SandboxShowTest, ShowsWhatTheMachineCanDo) {
  EXPECT_EQ(probe_rows(*parse_json_object(probed), Medium::pipe),
            (Rows{{"mounts", "yes", "works", ""},
                  {"cgroups", "no", "not delegated", "delegate them"},
                  {"profile full", "yes", "", ""},
                  {"identity", "", "uid 64000", ""},
                  {"limits", "", "cgroups", ""}}));
  const Rows rows = probe_rows(*parse_json_object(probed), Medium::terminal);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"cgroups", "no", "not delegated"}));
  EXPECT_EQ(rows[2], (std::vector<std::string>{"", "", "→ delegate them"}));
}

}  // namespace
}  // namespace talaria
