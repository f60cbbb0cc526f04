#include "skills/skill_report.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/file.h"

namespace talaria {
namespace {

using Texts = std::vector<std::string>;

class SkillReportTest : public testing::Test {
 protected:
  SkillReportTest() : root_(testing::TempDir() + "skill_report." + std::to_string(::getpid())) {}
  ~SkillReportTest() override { (void)remove_tree(root_); }

  std::string write(const std::string& path, std::string_view content) {
    const std::string file = root_ + "/" + path;
    EXPECT_TRUE(make_directories(file.substr(0, file.rfind('/'))));
    EXPECT_TRUE(write_file_atomically(file, content, 0644, Durable::no));
    return file;
  }

  // What is said about a skill with this front matter and body.
  Texts said(const std::string& source, const std::string& body = "Text\n", const KnownTools& known = {}) {
    const std::string file = write("a/SKILL.md", "---\nname: a\ndescription: d\n" + source + "---\n" + body);
    const std::vector<SkillReport> reports = check_skills(file, known);
    EXPECT_EQ(reports.size(), 1u);
    return lines(reports.front());
  }

  static Texts lines(const SkillReport& report) {
    Texts all;
    for (const SkillDiagnostic& diagnostic : report.diagnostics) {
      all.push_back(std::string(name_of(diagnostic.severity)) + " " + std::to_string(diagnostic.line) + ": " +
                    diagnostic.message);
    }
    return all;
  }

  std::string root_;
};

TEST_F(SkillReportTest, AGoodSkillHasNothingSaidAboutIt) { EXPECT_EQ(said("license: MIT\n"), Texts()); }

TEST_F(SkillReportTest, TheReportIsOneJsonObject) {
  const std::string file = write("my-skill/SKILL.md",
                                 "---\nname: my-skill\ndescription: |\n  Does\n  it.\nversion: 1.0\ndate: 2026-01-02\n"
                                 "platforms: macOS\nuser-invocable: false\nlicense:\n"
                                 "metadata: {hermes: {tags: \"x, y\", requires_tools: t, requires_toolsets: [s], "
                                 "fallback_for_tools: [f], fallback_for_toolsets: g}}\n---\n\n# Title\n");
  const SkillReport report = check_skills(file).front();
  EXPECT_EQ(
      write_json(to_json(report)),
      R"({"path":")" + file +
          R"(","front_matter":{"name":"my-skill","description":"Does\nit.\n","version":"1.0","date":"2026-01-02",)"
          R"("platforms":"macOS","user-invocable":false,"license":null,"metadata":{"hermes":{"tags":"x, y",)"
          R"("requires_tools":"t","requires_toolsets":["s"],"fallback_for_tools":["f"],"fallback_for_toolsets":"g"}}},)"
          R"("name":"my-skill","description":"Does it.","version":"1.0","tags":["x","y"],"requires_tools":["t"],)"
          R"("requires_toolsets":["s"],"fallback_for_tools":["f"],"fallback_for_toolsets":["g"],"platforms":["macos"],)"
          R"("body":"\n# Title\n","loads":true,)"
          R"("diagnostics":[{"severity":"note","line":7,"message":"date: no key that is known here; kept"}]})");
}

TEST_F(SkillReportTest, WithoutFrontMatterItIsNull) {
  const JsonObject json = to_json(check_skills(write("plain/SKILL.md", "# T\n\nText\n")).front());
  EXPECT_TRUE(json.at("front_matter").is_null());
  EXPECT_EQ(json.at("name"), "plain");
  EXPECT_EQ(json.at("description"), "Text");
  EXPECT_EQ(json.at("body"), "# T\n\nText\n");
  EXPECT_TRUE(json.at("loads").get_bool());
}

TEST_F(SkillReportTest, AFolderIsItsOwnSkillAndThoseBelow) {
  write("all/b/SKILL.md", "---\nname: b\n---\n");
  write("all/a/skill.md", "---\nname: a\n---\n");
  write("all/a/nested/SKILL.md", "---\nname: nested\n---\n");
  write("all/a/references/x/SKILL.md", "not looked at");
  write("all/c/d/e/SKILL.md", "---\nname: e\n---\n");
  write("all/node_modules/x/SKILL.md", "not looked at");
  write("all/.git/x/SKILL.md", "not looked at");
  const auto paths = [](const std::vector<SkillReport>& reports) {
    Texts all;
    for (const SkillReport& report : reports) all.push_back(report.path);
    return all;
  };
  EXPECT_EQ(paths(check_skills(root_ + "/all")), (Texts{root_ + "/all/a/skill.md", root_ + "/all/a/nested/SKILL.md",
                                                        root_ + "/all/b/SKILL.md", root_ + "/all/c/d/e/SKILL.md"}));
  EXPECT_EQ(paths(check_skills(root_ + "/all/b/")), (Texts{root_ + "/all/b/SKILL.md"}));
  EXPECT_EQ(paths(check_skills(root_ + "/all/a")),
            (Texts{root_ + "/all/a/skill.md", root_ + "/all/a/nested/SKILL.md"}));
}

TEST_F(SkillReportTest, LinksInACircleEnd) {
  write("loop/a/SKILL.md", "---\nname: a\n---\n");
  ASSERT_EQ(::symlink("..", (root_ + "/loop/a-link").c_str()), 0);
  EXPECT_EQ(check_skills(root_ + "/loop").size(), 1u);
}

TEST_F(SkillReportTest, WhatCannotBeReadDoesNotLoad) {
  EXPECT_TRUE(make_directories(root_ + "/empty"));
  EXPECT_TRUE(make_directories(root_ + "/folder/SKILL.md"));
  write("pipe/x", "");
  ASSERT_EQ(::mkfifo((root_ + "/pipe/SKILL.md").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("nowhere", (root_ + "/empty/SKILL.md").c_str()), 0);
  for (std::string path : {"/nothing", "/nothing/SKILL.md", "/empty", "/folder", "/pipe", "/pipe/SKILL.md"}) {
    const std::vector<SkillReport> reports = check_skills(root_ + path);
    ASSERT_EQ(reports.size(), 1u) << path;
    EXPECT_FALSE(reports[0].loads) << path;
    ASSERT_EQ(reports[0].diagnostics.size(), 1u) << path;
    EXPECT_EQ(reports[0].diagnostics[0].severity, Severity::error);
    const JsonObject json = to_json(reports[0]);
    EXPECT_TRUE(json.at("front_matter").is_null());
    EXPECT_FALSE(json.at("loads").get_bool());
  }
  EXPECT_EQ(lines(check_skills(root_ + "/pipe").front()),
            (Texts{"error 0: " + root_ + "/pipe/SKILL.md is not a regular file"}));
}

TEST_F(SkillReportTest, WhatTheProductDoesNotLoadDoesNotLoadHere) {
  const std::string large = write("large/SKILL.md", "---\nname: large\n---\n" + std::string(6 << 20, 'x'));
  write("linked/x", "");
  write("other/secret.txt", "hidden-text");
  ASSERT_EQ(::symlink("../other/secret.txt", (root_ + "/linked/SKILL.md").c_str()), 0);
  for (const std::string& path : {root_ + "/large", large}) {
    const SkillReport report = check_skills(path).front();
    EXPECT_FALSE(report.loads);
    EXPECT_EQ(lines(report), (Texts{"error 0: " + large + " is larger than 4 MiB"}));
  }
  const std::string linked = root_ + "/linked/SKILL.md";
  for (const std::string& path : {root_ + "/linked", linked}) {
    const SkillReport report = check_skills(path).front();
    EXPECT_FALSE(report.loads);
    EXPECT_EQ(lines(report), (Texts{"error 0: " + linked + " is a link to a file of another name"}));
    EXPECT_EQ(write_json(to_json(report)).find("hidden-text"), std::string::npos);
  }
}

TEST_F(SkillReportTest, AFolderThatCannotBeListedIsSaid) {
  write("some/a/SKILL.md", "---\nname: a\ndescription: d\n---\nText\n");
  write("some/closed/b/SKILL.md", "---\nname: b\n---\n");
  for (const char* open : {"", "/some", "/some/a"}) ASSERT_EQ(::chmod((root_ + open).c_str(), 0755), 0);
  ASSERT_EQ(::chmod((root_ + "/some/closed").c_str(), 0), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // as someone whom file modes hold for
    const bool ordinary = ::geteuid() != 0 || ::setuid(65534) == 0;
    const std::vector<SkillReport> reports = check_skills(root_ + "/some");
    const bool said = reports.size() == 2 && reports[0].loads && !reports[1].loads &&
                      reports[1].path == root_ + "/some/closed" &&
                      lines(reports[1]) == Texts{"error 0: list it: Permission denied; its skills are not shown"};
    ::_exit(ordinary && said ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(::chmod((root_ + "/some/closed").c_str(), 0755), 0);
}

TEST_F(SkillReportTest, WhatIsNotReadAsASkillThoughItIsCalledSoIsSaid) {
  const std::string text = "---\nname: x\ndescription: d\n---\nText\n";
  write("odd/mixed/Skill.md", text);
  write("odd/x/SKILL.md", text);
  write("odd/x/skill.md", text);
  ASSERT_TRUE(make_directories(root_ + "/odd/folder/SKILL.md"));
  const std::vector<SkillReport> reports = check_skills(root_ + "/odd");
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].path, root_ + "/odd/folder/SKILL.md");
  EXPECT_EQ(lines(reports[0]), (Texts{"error 0: is a folder, so it is not read as a skill"}));
  EXPECT_EQ(reports[1].path, root_ + "/odd/mixed/Skill.md");
  EXPECT_EQ(lines(reports[1]), (Texts{"error 0: is not read: a skill's file is called SKILL.md"}));
  EXPECT_TRUE(reports[2].loads);
  EXPECT_EQ(lines(reports[2]), (Texts{"warning 0: skill.md: is not read: SKILL.md beside it is"}));
  EXPECT_EQ(lines(check_skills(root_ + "/odd/mixed/Skill.md").front()).front(),
            "warning 0: is not found by this name: a skill's file is called SKILL.md");
}

TEST_F(SkillReportTest, ARootWithoutSkillsHasNoReports) {
  ASSERT_TRUE(make_directories(root_ + "/none/folder"));
  EXPECT_TRUE(check_skill_root(root_ + "/none").empty());
}

TEST_F(SkillReportTest, OneBrokenSkillTouchesNoOther) {
  write("many/a/SKILL.md", "---\nname: a\ndescription: d\nmetadata: {hermes: {requires_toolsets: }}\n---\nText\n");
  write("many/b/SKILL.md", "---\nname: b\ndescription: d\n---\nText\n");
  const std::vector<SkillReport> reports = check_skills(root_ + "/many");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(lines(reports[0]), (Texts{"warning 4: requires_toolsets: expects names, not null; ignored"}));
  EXPECT_EQ(lines(reports[1]), Texts());
}

TEST_F(SkillReportTest, UnknownKeysAreNotes) {
  EXPECT_EQ(said("licence: MIT\nzzzzzz: 1\n"), (Texts{"note 4: licence: no key that is known here; is license meant?",
                                                      "note 5: zzzzzz: no key that is known here; kept"}));
}

TEST_F(SkillReportTest, OnlyASlipIsTakenForAnotherKey) {
  const std::vector<std::pair<std::string, std::string>> slips = {
      {"desciption2", ""},
      {"platform", "platforms"},
      {"allowed_tools", "allowed-tools"},
      {"userInvocable", "user-invocable"},
      {"disable_model_invocation", "disable-model-invocation"},
      {"required_enviroment_variables", "required_environment_variables"},
      {"Tags", "tags"},
      {"authors", "author"},
      {"date", ""},
      {"base", ""},
      {"same", ""},
      {"type", ""},
      {"mode", ""},
      {"content", ""},
      {"language", ""},
      {"category", ""},
      {"title", ""}};
  for (const auto& [key, meant] : slips) {
    EXPECT_EQ(said(key + ": x\n"), (Texts{"note 4: " + key + ": no key that is known here; " +
                                          (meant.empty() ? "kept" : "is " + meant + " meant?")}));
  }
}

TEST_F(SkillReportTest, SlipsFurtherDownAreTakenForTheKeysThatAreMeant) {
  EXPECT_EQ(
      said("required_environment_variables:\n  - {name: A, promt: p}\n  - {name: B, promt: p}\n"
           "required_credential_files:\n  - {path: a.json, descripton: d}\n"
           "metadata:\n  hermes:\n    requires_toolset: [web]\n    fallback_for_tool: [web_search]\n"
           "    config:\n      - {key: a.b, description: d, defualt: x}\n    mine: 1\n  their: {requires_tool: x}\n"),
      (Texts{"note 5: required_environment_variables.promt: no key that is known here; is prompt meant?",
             "note 8: required_credential_files.descripton: no key that is known here; is description meant?",
             "note 11: metadata.hermes.requires_toolset: no key that is known here; is requires_toolsets meant?",
             "note 12: metadata.hermes.fallback_for_tool: no key that is known here; is fallback_for_tools meant?"}));
  EXPECT_EQ(said("prerequisites: {env_var: [A], command: [git]}\nmetadata: {herms: {}}\n"),
            (Texts{"note 4: prerequisites.env_var: no key that is known here; is env_vars meant?",
                   "note 4: prerequisites.command: no key that is known here; is commands meant?",
                   "note 5: metadata.herms: no key that is known here; is hermes meant?"}));
}

TEST_F(SkillReportTest, OfVeryManyUnknownKeysTheFirstAreNamed) {
  std::string source;
  for (int i = 0; i < 40'000; ++i) source += "k" + std::to_string(i) + ": v\n";
  const Texts texts = said(source + "licence: MIT\n");
  ASSERT_EQ(texts.size(), 52u);
  EXPECT_EQ(texts.front(), "note 0: 39,950 more keys are not known here");
  EXPECT_EQ(texts[1], "note 4: k0: no key that is known here; kept");
  EXPECT_EQ(texts.back(), "note 40004: licence: no key that is known here; is license meant?");
}

TEST_F(SkillReportTest, CharactersThatNobodySeesAreSaid) {
  EXPECT_EQ(said("", "Harmless.\n\x1b[8mSend it\x1b[0m\nMore.\n"),
            (Texts{"warning 6: has 2 control characters (the first is U+001B), which a terminal would obey"}));
  EXPECT_EQ(said("", "Text\n\u009b8m\n"),
            (Texts{"warning 6: has a control character (U+009B), which a terminal would obey"}));
  EXPECT_EQ(said("version: 1\u202e2\n", "a\u200bb\n\U000E0041\uFEFF\n"),
            (Texts{"warning 4: has an invisible character (U+202E), which programs read and people do not see",
                   "warning 6: has 3 invisible characters (the first is U+200B), which programs read and people do not "
                   "see"}));
}

TEST_F(SkillReportTest, JoinersOfEmojiAndScriptsAreNoSecrets) {
  EXPECT_EQ(said("", "👩\u200d💻 می\u200cخواهم\n"), Texts());
  EXPECT_EQ(said("", "a\u200db\n").size(), 1u);
  EXPECT_EQ(said("", "é\u200d\u200d\n").size(), 1u);
}

TEST_F(SkillReportTest, ALineOfManyLinksIsReadOnce) {
  std::string line;
  for (int i = 0; i < 200'000; ++i) line += "`x`[a](#b)";
  EXPECT_EQ(said("", line + " `[c](no.md)` [d](gone.md)\n").front(), "warning 5: gone.md is not in the skill's folder");
}

TEST_F(SkillReportTest, VariablesThatAreNeverPassedAreNamed) {
  EXPECT_EQ(said("required_environment_variables: [MY_TOKEN, LD_PRELOAD]\n"),
            (Texts{"warning 4: required_environment_variables: 'LD_PRELOAD' cannot be passed to commands and programs: "
                   "it injects code or options into every program"}));
  EXPECT_EQ(said("prerequisites: {env_vars: [PATH]}\n"),
            (Texts{"warning 4: prerequisites: 'PATH' cannot be passed to commands and programs: it decides which "
                   "programs and modules run"}));
}

TEST_F(SkillReportTest, SettingsHaveKeysOfPlainNames) {
  const Texts texts = said("metadata: {hermes: {config: [{key: 'a b/c', description: d}]}}\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_NE(texts[0].find("\"a b/c\" is no key"), std::string::npos) << texts[0];
}

TEST_F(SkillReportTest, TheFormOfTheOpenFormatIsCompared) {
  const std::string note = "note 4: allowed-tools: the open format has one text with blanks between the tools";
  EXPECT_EQ(said("allowed-tools: Read Write\n"), Texts());
  EXPECT_EQ(said("allowed-tools: Read, Write\n"), (Texts{note}));
  EXPECT_EQ(said("allowed-tools: [Read]\n"), (Texts{note}));
  EXPECT_EQ(said("compatibility: " + std::string(501, 'x') + "\n"),
            (Texts{"warning 4: compatibility: is longer than 500 characters"}));
  EXPECT_EQ(said("compatibility: " + std::string(500, 'x') + "\n"), Texts());
}

TEST_F(SkillReportTest, CredentialsMustBeFilesOfTheSkillsOwn) {
  const std::string escape = " is refused: it must be a path below the home";
  const std::string master = " is refused: it belongs to the program, not to a skill";
  const std::string field = "warning 4: required_credential_files: ";
  EXPECT_EQ(said("required_credential_files: [a.json, google/b.json]\n"), Texts());
  for (std::string path : {"/etc/passwd", "../x", "a/../../b", "~/x"}) {
    EXPECT_EQ(said("required_credential_files: ['" + path + "']\n"), (Texts{field + "\"" + path + "\"" + escape}));
  }
  for (std::string path :
       {".env", "config.yaml", "exec-approvals.json", "talaria.db", "talaria.db-wal", "tokens/x", "./.env"}) {
    EXPECT_EQ(said("required_credential_files: ['" + path + "']\n"), (Texts{field + "\"" + path + "\"" + master}));
  }
}

TEST_F(SkillReportTest, ConditionsAreComparedWithWhatThereIs) {
  const std::string source =
      "metadata:\n  hermes:\n    requires_tools: [web_serch, read_file]\n    fallback_for_toolsets: [zzzzzz]\n";
  EXPECT_EQ(said(source), Texts());
  EXPECT_EQ(said(source, "Text\n", {{"web_search", "read_file"}, {"web"}}),
            (Texts{"note 6: requires_tools: there is no tool \"web_serch\" here; is web_search meant?",
                   "note 7: fallback_for_toolsets: there is no toolset \"zzzzzz\" here"}));
}

TEST_F(SkillReportTest, FilesThatTheBodyNamesMustBeThere) {
  write("a/scripts/run.py", "");
  write("a/references/a b.md", "");
  const std::string body =
      "Run `python3 ${HERMES_SKILL_DIR}/scripts/run.py` or ${HERMES_SKILL_DIR}/scripts/gone.py.\n"
      "See [one](references/a%20b.md \"t\"), [two](gone.md#part), [web](https://x/y), [part](#p), [mail](mailto:x).\n"
      "Not `[this](no.md)`, ${HERMES_SKILL_DIR}/<file>, ${HERMES_SKILL_DIR}/*.py, [that]({path}), [root](/etc).\n"
      "```\n[in code](no.md) ${HERMES_SKILL_DIR}/scripts/lost.py\n```\n"
      "[up](../other/x.md) and again [two](gone.md)\n";
  EXPECT_EQ(said("", body), (Texts{"warning 5: scripts/gone.py is not in the skill's folder",
                                   "warning 6: gone.md is not in the skill's folder",
                                   "warning 9: scripts/lost.py is not in the skill's folder",
                                   "warning 11: ../other/x.md leads out of the skill's folder"}));
}

TEST_F(SkillReportTest, InlineShellIsNoted) {
  const std::string note = ": inline shell: runs only where skills.inline_shell is true and the skill is trusted";
  EXPECT_EQ(said("", "Today: !`date`\nand !`date`\n"), (Texts{"note 5" + note}));
  EXPECT_EQ(said("", "Wow! `date` and ``!`` \n```\n!`date`\n```\n"), Texts());
}

TEST_F(SkillReportTest, LongInstructionsAreNoted) {
  std::string body;
  for (int i = 0; i < 500; ++i) body += "x\n";
  const std::string advice = "; move what is rarely needed into files beside it";
  EXPECT_EQ(said("", body), (Texts{"note 5: the instructions have 500 lines, 500 or more" + advice}));
  EXPECT_EQ(said("", body.substr(2)), Texts());
  EXPECT_EQ(said("", std::string(20'000, 'x') + "\n"),
            (Texts{"note 5: the instructions have about 5,000 tokens, 5,000 or more" + advice}));
  EXPECT_EQ(said("", " \n\n"), (Texts{"warning 5: there are no instructions"}));
}

}  // namespace
}  // namespace talaria
