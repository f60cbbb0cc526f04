#include "patch/v4a.h"

#include <gtest/gtest.h>

namespace talaria {

void PrintTo(const FileChange& change, std::ostream* out) {
  *out << static_cast<int>(change.kind) << " '" << change.path << "' '" << change.new_path << "' '" << change.content
       << "' line " << change.line;
  for (const Hunk& hunk : change.hunks) {
    *out << "\n  hunk, line " << hunk.line << (hunk.at_end ? ", at end" : "");
    for (const std::string& hint : hunk.hints) *out << "\n  @@" << hint;
    for (const PatchLine& line : hunk.lines) *out << "\n  " << line.kind << line.text;
  }
}

namespace {

using Kind = FileChange::Kind;

struct ParsedCase {
  std::string name;
  std::string patch;
  std::vector<FileChange> changes;
};

FileChange update(std::string path, std::vector<Hunk> hunks, size_t line) {
  return {Kind::update, std::move(path), "", "", std::move(hunks), line};
}

const std::vector<PatchLine> a_to_b = {{'-', "a"}, {'+', "b"}};

const std::vector<ParsedCase> parsed_cases = {
    {"an update",
     "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n",
     {update("f", {{{}, a_to_b, false, 3}}, 2)}},
    {"without begin and end", "*** Update File: f\n@@\n-a\n+b", {update("f", {{{}, a_to_b, false, 2}}, 1)}},
    {"without @@",
     "*** Begin Patch\n*** Update File: f\n-a\n+b\n*** End Patch",
     {update("f", {{{}, a_to_b, false, 3}}, 2)}},
    {"line ends of Windows",
     "*** Begin Patch\r\n*** Update File: f\r\n@@ x\r\n-a\r\n+b\r\n*** End Patch\r\n",
     {update("f", {{{"x"}, a_to_b, false, 3}}, 2)}},
    {"hints",
     "*** Update File: f\n@@ class A\n@@ def f @@\n-a\n+b\n",
     {update("f", {{{"class A", "def f"}, a_to_b, false, 2}}, 1)}},
    {"blank lines are context",
     "*** Update File: f\n@@\n a\n\n b\n",
     {update("f", {{{}, {{' ', "a"}, {' ', ""}, {' ', "b"}}, false, 2}}, 1)}},
    {"the end of the file",
     "*** Update File: f\n@@\n-a\n+b\n*** End of File\n@@\n-a\n+b\n",
     {update("f", {{{}, a_to_b, true, 2}, {{}, a_to_b, false, 6}}, 1)}},
    {"a blank line after the end of the file",
     "*** Update File: f\n-a\n+b\n*** End of File\n\n*** End Patch\n",
     {update("f", {{{}, a_to_b, true, 2}}, 1)}},
    {"two updates of a file are one",
     "*** Update File: f\n-a\n+b\n*** Update File: ./f\n@@ x\n-a\n+b\n",
     {update("f", {{{}, a_to_b, false, 2}, {{"x"}, a_to_b, false, 5}}, 1)}},
    {"an addition",
     "*** Begin Patch\n*** Add File: d/f\n+a\n+\n+ b\n*** End Patch\n",
     {{Kind::add, "d/f", "", "a\n\n b\n", {}, 2}}},
    {"an addition with a bare blank line", "*** Add File: f\n+a\n\n+b\n\n", {{Kind::add, "f", "", "a\n\nb\n", {}, 1}}},
    {"an addition of nothing", "*** Add File: f\n", {{Kind::add, "f", "", "", {}, 1}}},
    {"an addition with stars",
     "*** Add File: f\n+*** Update File: g\n",
     {{Kind::add, "f", "", "*** Update File: g\n", {}, 1}}},
    {"a removal", "*** Delete File: f\n\n", {{Kind::remove, "f", "", "", {}, 1}}},
    {"a move", "*** Move File: a b -> c d\n", {{Kind::move, "a b", "c d", "", {}, 1}}},
    {"a move with a change",
     "*** Update File: f\n*** Move to: g\n@@\n-a\n+b\n",
     {{Kind::move, "f", "g", "", {{{}, a_to_b, false, 3}}, 1}}},
    {"a move with nothing else", "*** Update File: f\n*** Move to: g\n", {{Kind::move, "f", "g", "", {}, 1}}},
    {"several files",
     "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n-a\n+b\n*** End Patch",
     {{Kind::add, "a", "", "x\n", {}, 2},
      {Kind::remove, "b", "", "", {}, 4},
      update("c", {{{}, a_to_b, false, 6}}, 5)}},
    {"a code fence",
     "```diff\n*** Begin Patch\n*** Delete File: f\n*** End Patch\n```\n",
     {{Kind::remove, "f", "", "", {}, 3}}},
    {"a here-document",
     "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: f\n*** End Patch\nEOF\n",
     {{Kind::remove, "f", "", "", {}, 3}}},
    {"a bare here-document", "<<EOF\n*** Delete File: f\nEOF", {{Kind::remove, "f", "", "", {}, 2}}},
    {"both", "```sh\napply_patch <<\"PATCH\"\n*** Delete File: f\nPATCH\n```", {{Kind::remove, "f", "", "", {}, 3}}},
    {"blank lines around", "\n\n*** Delete File: f\n\n\n", {{Kind::remove, "f", "", "", {}, 3}}},
    {"an absolute path", "*** Delete File: /d/f\n", {{Kind::remove, "/d/f", "", "", {}, 1}}},
    {"dots that lead nowhere", "*** Delete File: d/..f/...\n", {{Kind::remove, "d/..f/...", "", "", {}, 1}}},
};

struct WrongCase {
  std::string name;
  std::string patch;
  std::string message;
};

const std::string headers =
    "'*** Update File: path', '*** Add File: path', '*** Delete File: path' or '*** Move File: old -> new'";

const std::vector<WrongCase> wrong_cases = {
    {"nothing", "", "the patch is empty: it names no file. Expected " + headers},
    {"only its frame", "*** Begin Patch\n*** End Patch\n", "the patch is empty: it names no file. Expected " + headers},
    {"other text", "hello\n", "line 1 of the patch: expected " + headers + ", found 'hello'"},
    {"another header", "*** Rename File: a\n",
     "line 1 of the patch: expected " + headers + ", found '*** Rename File: a'"},
    {"text after the end", "*** Delete File: f\n*** End Patch\nmore\n",
     "line 3 of the patch: expected nothing after '*** End Patch', found 'more'"},
    {"a line without its mark", "*** Update File: f\n@@\n a\nb\n",
     "line 4 of the patch: expected a line that begins with ' ', '-', '+' or '@@', found 'b'"},
    {"an update of nothing", "*** Update File: f\n*** End Patch\n",
     "line 2 of the patch: expected lines to change in 'f', found '*** End Patch'"},
    {"a hint without lines", "*** Update File: f\n@@ x\n",
     "line 3 of the patch: expected the lines of the change after '@@', found the end of the patch"},
    {"an end of file without lines", "*** Update File: f\n@@\n*** End of File\n",
     "line 3 of the patch: expected the lines of a change before '*** End of File', found '*** End of File'"},
    {"an addition without its mark", "*** Add File: f\n+a\nb\n",
     "line 3 of the patch: expected a line of the new file, which begins with '+', found 'b'"},
    {"a removal with lines", "*** Delete File: f\n-a\n",
     "line 2 of the patch: expected the next file, as a file to delete has no lines, found '-a'"},
    {"a move to nowhere", "*** Move File: a\n",
     "line 1 of the patch: expected '*** Move File: old -> new', found '*** Move File: a'"},
    {"a move to an empty path", "*** Move File: a ->\n", "line 1 of the patch: the path is empty"},
    {"a move onto itself", "*** Move File: a -> ./a\n", "line 1 of the patch: the file is moved onto itself"},
    {"an empty path", "*** Update File:\n-a\n", "line 1 of the patch: the path is empty"},
    {"a way out", "*** Update File: ../f\n-a\n",
     "line 1 of the patch: the path '../f' has '..' in it; name the file without"},
    {"a way out within", "*** Delete File: a/../../f\n",
     "line 1 of the patch: the path 'a/../../f' has '..' in it; name the file without"},
    {"a way out as a target", "*** Update File: f\n*** Move to: ../g\n",
     "line 2 of the patch: the path '../g' has '..' in it; name the file without"},
    {"a NUL byte", std::string("*** Delete File: a\0b\n", 21), "line 1 of the patch: the path has a NUL byte in it"},
    {"a folder", "*** Add File: d/\n+a\n", "line 1 of the patch: 'd/' is a folder, not a file"},
    {"added twice", "*** Add File: f\n+a\n*** Add File: f\n+b\n",
     "line 3 of the patch: 'f' is to be added, but line 1 says it is added"},
    {"updated and deleted", "*** Update File: f\n-a\n*** Delete File: ./f\n",
     "line 3 of the patch: './f' is to be deleted, but line 1 says it is updated"},
    {"deleted and added", "*** Delete File: f\n*** Add File: f\n+a\n",
     "line 2 of the patch: 'f' is to be added, but line 1 says it is deleted"},
    {"moved and updated", "*** Move File: f -> g\n*** Update File: f\n-a\n",
     "line 2 of the patch: 'f' is to be updated, but line 1 says it is moved away"},
    {"two moves to one file", "*** Move File: a -> c\n*** Move File: b -> c\n",
     "line 2 of the patch: 'c' is to be the target of a move, but line 1 says it is the target of a move"},
};

TEST(ParseV4aTest, EveryFormOfAPatchIsRead) {
  for (const ParsedCase& each : parsed_cases) {
    SCOPED_TRACE(each.name);
    const Result<std::vector<FileChange>> changes = parse_v4a(each.patch);
    if (changes) {
      EXPECT_EQ(*changes, each.changes);
    } else {
      ADD_FAILURE() << changes.error().message();
    }
  }
}

TEST(ParseV4aTest, AnErrorNamesTheLineAndWhatWasExpected) {
  for (const WrongCase& each : wrong_cases) {
    SCOPED_TRACE(each.name);
    const Result<std::vector<FileChange>> changes = parse_v4a(each.patch);
    ASSERT_FALSE(changes);
    EXPECT_EQ(changes.error(), invalid(each.message));
  }
}

}  // namespace
}  // namespace talaria
