#include "config/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

// The edited text, or "error: …".
std::string set(std::string_view text, std::string_view key, std::string_view value) {
  const Result<std::string> edited = set_key(text, key, value);
  return edited ? *edited : "error: " + edited.error().message();
}

std::string unset(std::string_view text, std::string_view key) {
  const Result<std::string> edited = unset_key(text, key);
  return edited ? *edited : "error: " + edited.error().message();
}

std::string get(std::string_view text, std::string_view key) {
  const Result<std::optional<std::string>> value = get_key(text, key);
  return !value ? "error: " + value.error().message() : value->value_or("(nothing)");
}

TEST(SetKeyTest, ReplacesAValueAndKeepsItsComment) {
  EXPECT_EQ(set("# top\nexec:\n  timeout: 30   # half a minute\n\n  host:  auto\n", "exec.timeout", "60"),
            "# top\nexec:\n  timeout: 60   # half a minute\n\n  host:  auto\n");
}

TEST(SetKeyTest, ReplacesAQuotedValueWithItsQuotes) {
  EXPECT_EQ(set("exec:\n  host: \"auto\" # x\n", "exec.host", "node"), "exec:\n  host: node # x\n");
  EXPECT_EQ(set("exec:\n  'host' : ''\n", "exec.host", "node"), "exec:\n  'host' : node\n");
}

TEST(SetKeyTest, FillsAnEmptyText) {
  EXPECT_EQ(set("", "exec.timeout", "60"), "exec:\n  timeout: 60\n");
  EXPECT_EQ(set("\xEF\xBB\xBF", "a", "b"),
            "\xEF\xBB\xBF"
            "a: b\n");
  EXPECT_EQ(set("---\n", "a", "b"), "---\na: b\n");
}

TEST(SetKeyTest, AddsBelowComments) {
  EXPECT_EQ(set("# mine\n", "exec.timeout", "60"), "# mine\nexec:\n  timeout: 60\n");
  EXPECT_EQ(set("# mine", "a", "1"), "# mine\na: 1");
}

TEST(SetKeyTest, AddsToTheEndOfASection) {
  EXPECT_EQ(set("exec:\n  host: auto # h\n  # why\nlog:\n  level: info\n", "exec.timeout", "60"),
            "exec:\n  host: auto # h\n  timeout: 60\n  # why\nlog:\n  level: info\n");
}

TEST(SetKeyTest, AddsASectionAtTheEnd) {
  EXPECT_EQ(set("log:\n  level: info\n\n# end\n", "exec.timeout", "60"),
            "log:\n  level: info\nexec:\n  timeout: 60\n\n# end\n");
}

TEST(SetKeyTest, KeepsAFileWithoutFinalNewlineWithoutOne) {
  EXPECT_EQ(set("exec:\n  host: auto", "exec.timeout", "60"), "exec:\n  host: auto\n  timeout: 60");
  EXPECT_EQ(set("exec:", "exec.timeout", "60"), "exec:\n  timeout: 60");
}

TEST(SetKeyTest, UsesTheFilesIndentation) {
  EXPECT_EQ(set("log:\n    level: info\nexec:\n", "exec.elevated.mode", "ask"),
            "log:\n    level: info\nexec:\n    elevated:\n        mode: ask\n");
}

TEST(SetKeyTest, UsesTheFilesLineEndings) {
  EXPECT_EQ(set("a: 1\r\nb: 2\r\n", "exec.timeout", "60"), "a: 1\r\nb: 2\r\nexec:\r\n  timeout: 60\r\n");
  EXPECT_EQ(set("a: 1\r\nb: 2 # c\r\n", "a", "60"), "a: 60\r\nb: 2 # c\r\n");
}

TEST(SetKeyTest, FillsAnEmptySection) {
  EXPECT_EQ(set("exec: # section\n# after\nlog:\n", "exec.timeout", "60"),
            "exec: # section\n  timeout: 60\n# after\nlog:\n");
  EXPECT_EQ(set("exec: ~ # section\nlog:\n", "exec.timeout", "60"), "exec: # section\n  timeout: 60\nlog:\n");
  EXPECT_EQ(set("exec: null\n", "exec.timeout", "60"), "exec:\n  timeout: 60\n");
}

TEST(SetKeyTest, FillsAnEmptyValue) {
  EXPECT_EQ(set("exec:\n  timeout: # later\n  host: auto\n", "exec.timeout", "60"),
            "exec:\n  timeout: 60 # later\n  host: auto\n");
  EXPECT_EQ(set("exec:\n  timeout: ~ # later\n", "exec.timeout", "60"), "exec:\n  timeout: 60 # later\n");
}

TEST(SetKeyTest, EditsFlowMappings) {
  EXPECT_EQ(set("exec: {host: auto, timeout: 5} # c\n", "exec.timeout", "60"), "exec: {host: auto, timeout: 60} # c\n");
  EXPECT_EQ(set("exec: { host: auto } # c\n", "exec.timeout", "60"), "exec: { host: auto, timeout: 60 } # c\n");
  EXPECT_EQ(set("exec: {}\n", "exec.elevated.mode", "ask"), "exec: {elevated: {mode: ask}}\n");
  EXPECT_EQ(set("{}", "exec.timeout", "60"), "{exec: {timeout: 60}}");
  EXPECT_EQ(set("exec: {host: auto,\n  ask: off, # c\n}\n", "exec.timeout", "60"),
            "exec: {host: auto,\n  ask: off, timeout: 60, # c\n}\n");
  EXPECT_EQ(set("{exec: , log}", "exec.timeout", "60"), "{exec: {timeout: 60} , log}");
  EXPECT_EQ(set("{a: 1, log}", "log.level", "error"), "{a: 1, log: {level: error}}");
  EXPECT_EQ(set("x: {a}\n", "x.a", "1"), "x: {a: 1}\n");
  EXPECT_EQ(set("exec: {elevated: ~}\n", "exec.elevated.mode", "ask"), "exec: {elevated: {mode: ask}}\n");
}

TEST(SetKeyTest, ReplacesListsAndKeepsTheCommentOfTheKey) {
  EXPECT_EQ(
      set("terminal:\n  env_passthrough: # mine\n    - A\n    - B\n  x: 1\n", "terminal.env_passthrough", "[C, D]"),
      "terminal:\n  env_passthrough: [C, D] # mine\n  x: 1\n");
  EXPECT_EQ(set("terminal:\n  env_passthrough: [A,\n    B] # c\n", "terminal.env_passthrough", "[]"),
            "terminal:\n  env_passthrough: [] # c\n");
  EXPECT_EQ(set("a:\n - x\n -\nb: 1\n", "a", "[y]"), "a: [y]\nb: 1\n");
}

TEST(SetKeyTest, ReplacesBlockTexts) {
  EXPECT_EQ(set("note: | # why\n  one\n  two\n\nb: 1\n", "note", "short"), "note: short # why\n\nb: 1\n");
  EXPECT_EQ(set("note: >-\n  one\n# c\nb: 1\n", "note", "short"), "note: short\n# c\nb: 1\n");
}

TEST(SetKeyTest, AddsAfterABlockText) {
  EXPECT_EQ(set("exec:\n  note: |\n    one\n\nlog:\n", "exec.timeout", "5"),
            "exec:\n  note: |\n    one\n\n  timeout: 5\nlog:\n");
  EXPECT_EQ(set("note: |+\n  one\n\n", "b", "5"), "note: |+\n  one\n\nb: 5\n");
}

TEST(SetKeyTest, ReplacesAnAlias) { EXPECT_EQ(set("a: &x 1\nb: *x # c\n", "b", "2"), "a: &x 1\nb: 2 # c\n"); }

TEST(SetKeyTest, ReplacesAnUnusedAnchorAndATag) {
  EXPECT_EQ(set("a: &x 1\n", "a", "2"), "a: 2\n");
  EXPECT_EQ(set("a: !!str 1\n", "a", "2"), "a: 2\n");
}

TEST(SetKeyTest, RefusesToChangeWhatAnAliasShares) {
  EXPECT_EQ(set("a: &x 1\nb: *x\n", "a", "2"),
            "error: cannot change a without risk: the alias *x uses the same value (line 2); edit the file by hand");
  EXPECT_THAT(set("a: &x {c: 1}\nb: *x\n", "a.c", "2"), testing::StartsWith("error: cannot change a.c without risk"));
  EXPECT_EQ(set("a: &x {c: 1}\nb: *x\n", "b.c", "2"),
            "error: b is the alias *x (line 2) and cannot hold b.c; make it a section first");
}

TEST(SetKeyTest, RefusesToReplaceASectionOrFillAValue) {
  EXPECT_EQ(set("exec: {}\n", "exec", "5"), "error: exec is a section; set one of its keys");
  EXPECT_EQ(set("x:\n  a: 1\n", "x", "5"), "error: x is a section (line 1); set one of its keys");
  EXPECT_EQ(set("\nexec: 5\n", "exec.timeout", "5"),
            "error: exec is \"5\" (line 2) and cannot hold exec.timeout; make it a section first");
  EXPECT_EQ(set("x: [a]\n", "x.y", "5"), "error: x is a list (line 1) and cannot hold x.y; make it a section first");
  EXPECT_EQ(set("", "exec.timeout.x", "5"),
            "error: exec.timeout is a single value (a number from 0 to 2592000) and holds no keys");
}

TEST(SetKeyTest, ChecksTheValuesOfKnownKeys) {
  EXPECT_EQ(set("", "exec.timeout", "abc"), "error: exec.timeout must be a number from 0 to 2592000, got \"abc\"");
  EXPECT_EQ(set("", "exec.ask", "never"), "error: exec.ask must be one of off, on-miss or always, got \"never\"");
  EXPECT_EQ(set("", "terminal.env_passthrough", "A"),
            "error: terminal.env_passthrough must be a list of texts such as [A, B], got \"A\"");
  EXPECT_EQ(set("", "exec.keep_state", "1"), "error: exec.keep_state must be true or false, got \"1\"");
}

TEST(SetKeyTest, QuotesValuesThatNeedIt) {
  EXPECT_EQ(set("", "a", "x: y"), "a: \"x: y\"\n");
  EXPECT_EQ(set("", "a", "say \"hi\" # no\\comment"), "a: \"say \\\"hi\\\" # no\\\\comment\"\n");
  EXPECT_EQ(set("", "a", "- b"), "a: \"- b\"\n");
  EXPECT_EQ(set("", "a", "*x"), "a: \"*x\"\n");
  EXPECT_EQ(set("", "a", "two\nlines"), "a: \"two\\nlines\"\n");
  EXPECT_EQ(set("", "a", "naïve"), "a: \"naïve\"\n");
  EXPECT_EQ(set("{b: 1}", "a", "x, y"), "{b: 1, a: \"x, y\"}");
}

TEST(SetKeyTest, KeepsPlainValuesPlain) {
  for (const char* value : {"true", "-5", "1.5", "http://localhost:8080/x", "/usr/bin", "gpt-4.1", "a b"}) {
    EXPECT_EQ(set("", "a", value), std::string("a: ") + value + "\n");
  }
}

TEST(SetKeyTest, TakesQuotedValuesAsTyped) {
  EXPECT_EQ(set("", "a", "'null'"), "a: 'null'\n");
  EXPECT_EQ(set("", "a", "\"\""), "a: \"\"\n");
  EXPECT_EQ(set("", "a", "'tis"), "a: \"'tis\"\n");
}

TEST(SetKeyTest, AnyWordForTrueAndFalseIsWrittenAsTheOneThatEveryYamlHas) {
  for (const char* word : {"yes", "ON", "True"})
    EXPECT_EQ(set("", "exec.keep_state", word), "exec:\n  keep_state: true\n");
  for (const char* word : {"no", "Off"}) EXPECT_EQ(set("", "exec.keep_state", word), "exec:\n  keep_state: false\n");
  EXPECT_EQ(set("", "exec.keep_state", "'yes'"),
            "error: exec.keep_state must be true or false, got \"yes\" in quotes (remove them)");
}

TEST(SetKeyTest, ItemsOfAListThatHoldVariablesArePutIntoQuotes) {
  const std::string before = "skills:\n  external_dirs: ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[~/ext, ${HOME}/ext2]", "[~/ext, '${HOME}/ext2']"},
      {"[${A}, b ,${C}/${D} , e]", "['${A}', b ,'${C}/${D}' , e]"},
      {"['${A}, x', \"${B}\\\"]\"]", "['${A}, x', \"${B}\\\"]\"]"}};
  for (const auto& [typed, written] : cases) {
    EXPECT_EQ(set("", "skills.external_dirs", typed), before + written + "\n");
  }
  for (const char* wrong :
       {"[${A]", "[${A}, [b]]", "[{a: ${B}}]", "[${A}: b]", "[${A}'s]", "[a,\n${B}]", "[${A}] # c"}) {
    EXPECT_THAT(set("", "skills.external_dirs", wrong), testing::HasSubstr("is not a list of texts")) << wrong;
  }
}

TEST(SetKeyTest, RefusesNothingAndSections) {
  EXPECT_THAT(set("", "a", "  "), testing::StartsWith("error: the value is empty"));
  EXPECT_THAT(set("", "a", "null"), testing::StartsWith("error: the value is empty"));
  EXPECT_THAT(set("", "a", "{b: c}"), testing::StartsWith("error: a section cannot be set at once"));
  EXPECT_THAT(set("", "a", "[b"), testing::HasSubstr("is not a list of texts"));
  EXPECT_THAT(set("", "a", "[b: c]"), testing::HasSubstr("is not a list of texts"));
  EXPECT_THAT(set("", "a", "[b] # c"), testing::HasSubstr("is not a list of texts"));
  EXPECT_THAT(set("", "a", "\xFF"), testing::StartsWith("error: "));
}

TEST(SetKeyTest, RefusesWhatIsNoKey) {
  for (const char* key : {"", ".", "a.", ".a", "a..b", " a", "a.b ", "a\nb\x01"}) {
    EXPECT_THAT(set("", key, "1"), testing::HasSubstr("is not a key")) << key;
  }
}

TEST(SetKeyTest, QuotesKeysThatNeedIt) { EXPECT_EQ(set("", "a b.c: d", "1"), "a b:\n  \"c: d\": 1\n"); }

TEST(SetKeyTest, RefusesAnInvalidTextWithItsPlace) {
  EXPECT_EQ(set("a: 1\na: 2\n", "b", "1"), "error: 2:1: the key \"a\" is already on line 1; keep one of them");
}

TEST(SetKeyTest, RefusesExplicitKeysRatherThanDamageThem) {
  EXPECT_THAT(set("? a\n: b\n", "c", "1"), testing::HasSubstr("edit the file by hand"));
}

TEST(SetKeyTest, SettingTheSameAgainChangesNothing) {
  const std::string text = "exec:\n  timeout: 60 # c\n";
  EXPECT_EQ(set(text, "exec.timeout", "60"), text);
}

TEST(SetKeyTest, EditsBeforeADocumentEnd) {
  EXPECT_EQ(set("--- # x\na: 1\n...\n", "b", "2"), "--- # x\na: 1\nb: 2\n...\n");
}

TEST(SetKeyTest, ValuesOnTheNextLineAreReplacedThere) {
  EXPECT_EQ(set("a:\n  # why\n  long\nb: 1\n", "a", "short"), "a:\n  # why\n  short\nb: 1\n");
}

TEST(UnsetKeyTest, RemovesTheLineAndKeepsCommentsAbove) {
  EXPECT_EQ(unset("exec:\n  # why\n  timeout: 5 # c\n  host: auto\n", "exec.timeout"),
            "exec:\n  # why\n  host: auto\n");
}

TEST(UnsetKeyTest, AnAbsentKeyChangesNothing) {
  EXPECT_EQ(unset("a: 1\n", "b.c"), "a: 1\n");
  EXPECT_EQ(unset("", "b.c"), "");
}

TEST(UnsetKeyTest, TakesAnEmptiedSectionAlong) {
  EXPECT_EQ(unset("a: 1\nexec:\n  elevated:\n    mode: ask\nb: 2\n", "exec.elevated.mode"), "a: 1\nb: 2\n");
  EXPECT_EQ(unset("exec: {elevated: {mode: ask}}\n", "exec.elevated.mode"), "");
}

TEST(UnsetKeyTest, KeepsAnEmptiedSectionThatHoldsComments) {
  EXPECT_EQ(unset("exec: # mine\n  timeout: 5\nb: 2\n", "exec.timeout"), "exec: # mine\nb: 2\n");
  EXPECT_EQ(unset("exec:\n  # t\n  timeout: 5\nb: 2\n", "exec.timeout"), "exec:\n  # t\nb: 2\n");
  EXPECT_EQ(unset("exec:\n  timeout: 5\n\n  # host: auto\nb: 2\n", "exec.timeout"), "exec:\n\n  # host: auto\nb: 2\n");
  EXPECT_EQ(unset("exec:\n  timeout: 5\n# of b\nb: 2\n", "exec.timeout"), "# of b\nb: 2\n");
}

TEST(UnsetKeyTest, RemovesFromFlowMappings) {
  EXPECT_EQ(unset("x: {a: 1, b: 2, c: 3}\n", "x.a"), "x: {b: 2, c: 3}\n");
  EXPECT_EQ(unset("x: {a: 1, b: 2, c: 3}\n", "x.b"), "x: {a: 1, c: 3}\n");
  EXPECT_EQ(unset("x: {a: 1, b: 2, c: 3}\n", "x.c"), "x: {a: 1, b: 2}\n");
  EXPECT_EQ(unset("x: {a: 1, # c\n  b: 2}\n", "x.b"), "x: {a: 1, # c\n  }\n");
  EXPECT_EQ(unset("x: {a: 1, # c\n  b: 2}\n", "x.a"), "x: { # c\n  b: 2}\n");
  EXPECT_EQ(unset("{a: 1}", "a"), "{}");
  EXPECT_EQ(unset("{a: 1,}", "a"), "{}");
}

TEST(UnsetKeyTest, RemovesWholeSectionsListsAndTexts) {
  EXPECT_EQ(unset("a: 1\nexec:\n  host: auto\n  # c\n  ask: off\nb: 2\n", "exec"), "a: 1\nb: 2\n");
  EXPECT_EQ(unset("l:\n- a\n- b # c\nm: |\n  t\n\nn: 1\n", "l"), "m: |\n  t\n\nn: 1\n");
  EXPECT_EQ(unset("l: 1\nm: |\n  t\n\nn: 1\n", "m"), "l: 1\nn: 1\n");
  EXPECT_EQ(unset("l: 1\nm:", "m"), "l: 1\n");
}

TEST(UnsetKeyTest, KeepsTheByteOrderMark) {
  EXPECT_EQ(unset("\xEF\xBB\xBF"
                  "a: 1\r\nb: 2\r\n",
                  "a"),
            "\xEF\xBB\xBF"
            "b: 2\r\n");
}

TEST(UnsetKeyTest, RefusesToRemoveWhatAnAliasNeeds) {
  EXPECT_THAT(unset("a: &x 1\nb: *x\n", "a"), testing::StartsWith("error: cannot change a without risk"));
  EXPECT_EQ(unset("s:\n  a: &x 1\n  c: 2\nb: *x\n", "s"),
            "error: cannot change s without changing something else in the file; edit the file by hand");
}

TEST(GetKeyTest, GivesValuesOnOneLine) {
  const std::string text = "a: 'x y'\nl:\n- 1\n- 'b, c'\ns: {t: u, v: ~}\nr: &r q\nq: *r\nb: |\n  one\n  two\n";
  EXPECT_EQ(get(text, "a"), "x y");
  EXPECT_EQ(get(text, "l"), "[1, \"b, c\"]");
  EXPECT_EQ(get(text, "s"), "{t: u, v: null}");
  EXPECT_EQ(get(text, "s.t"), "u");
  EXPECT_EQ(get(text, "q"), "q");
  EXPECT_EQ(get(text, "b"), "one\ntwo\n");
}

TEST(GetKeyTest, GivesNothingForAbsentAndNull) {
  EXPECT_EQ(get("a: 1\nn: ~\n", "b"), "(nothing)");
  EXPECT_EQ(get("a: 1\nn: ~\n", "a.b"), "(nothing)");
  EXPECT_EQ(get("a: 1\nn: ~\n", "n"), "(nothing)");
  EXPECT_EQ(get("", "exec.timeout"), "(nothing)");
}

TEST(GetKeyTest, RefusesToUnfoldABomb) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + ", " + before +
            ", " + before + "]\n";
  }
  EXPECT_EQ(get(text, "a11"), "error: a11 is too long to show on one line");
}

}  // namespace
}  // namespace talaria
