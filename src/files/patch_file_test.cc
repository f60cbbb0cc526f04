#include "files/patch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

#include "files/files_trial.h"
#include "files/patch_result.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The machine's files, of which the nth rename or removal fails.
class FailingFiles : public HostFiles {
 public:
  explicit FailingFiles(int succeed) : left_(succeed) {}
  Result<> rename(const std::string& from, const std::string& to, Existing existing = Existing::replaced) override {
    if (left_-- == 0) return Error::from_number(EIO, "rename " + from);
    return HostFiles::rename(from, to, existing);
  }

 private:
  int left_;
};

class PatchTrial : public FilesTrial {
 public:
  PatchTools tools() { return {files, gate, book, locks}; }
  JsonObject replace(const std::string& name, const std::string& old_string, const std::string& new_string,
                     Audience audience = Audience::program, bool replace_all = false) {
    return patch_file(tools(), {path(name), name, {old_string, new_string, replace_all}, audience});
  }
  JsonObject patch(const std::string& text, Audience audience = Audience::program) {
    return patch_files(tools(), {"*** Begin Patch\n" + text + "*** End Patch\n", folder, audience});
  }
};

JsonObject range(const std::string& path, uint64_t first, uint64_t last) {
  return {{"path", path}, {"first", first}, {"last", last}};
}

TEST(PatchFileTest, ReplacesAPassage) {
  PatchTrial trial;
  trial.put("f.py", "a = 1\nb = 2\nc = 3\n", 0750);
  EXPECT_EQ(trial.replace("f.py", "b = 2\n", "b = 4\nd = 5\n"),
            (JsonObject{{"success", true},
                        {"files_modified", JsonArray{"f.py"}},
                        {"strategy", "exact"},
                        {"replacements", 1},
                        {"ranges", JsonArray{range("f.py", 2, 3)}}}));
  EXPECT_EQ(trial.content("f.py"), "a = 1\nb = 4\nd = 5\nc = 3\n");
  EXPECT_EQ(trial.files.stat(trial.path("f.py"))->mode, 0750u);
  EXPECT_THAT(trial.names(), ElementsAre("f.py"));
}

TEST(PatchFileTest, ShowsTheDifferenceToTheAgentAndToWhoAsksForIt) {
  PatchTrial trial;
  trial.put("f", "a\n");
  EXPECT_THAT(text_or(trial.replace("f", "a", "b", Audience::agent), "diff"), HasSubstr("-a\n+b\n"));
  EXPECT_FALSE(trial.replace("f", "b", "c").contains("diff"));
  const JsonObject asked =
      patch_file(trial.tools(), {trial.path("f"), "f", {"c", "d", false}, Audience::program, ShowDiff::always});
  EXPECT_THAT(text_or(asked, "diff"), HasSubstr("-c\n+d\n"));
}

TEST(PatchFileTest, SaysWhyNothingWasReplaced) {
  PatchTrial trial;
  trial.put("f", "x = 1\ny = 2\nx = 1\n");
  const JsonObject twice = trial.replace("f", "x = 1", "z");
  EXPECT_FALSE(boolean_or(twice, "success", true));
  EXPECT_EQ(twice.at("candidates"),
            (JsonArray{JsonObject{{"first", 1}, {"last", 1}}, JsonObject{{"first", 3}, {"last", 3}}}));
  EXPECT_EQ(integer_or(trial.replace("f", "x = 1", "z", Audience::program, true), "replacements"), 2);
  EXPECT_NE(error_of(trial.replace("f", "nothing of the kind", "nor this")), "");
  const JsonObject applied = trial.replace("f", "x = 1\ny = 2", "z\ny = 2");
  EXPECT_TRUE(boolean_or(applied, "success"));
  EXPECT_TRUE(boolean_or(applied, "no_change"));
  EXPECT_EQ(applied.at("files_modified"), JsonArray());
  EXPECT_EQ(trial.content("f"), "z\ny = 2\nz\n");
}

// As one who patches the file of each match that a search gave.
TEST(PatchFileTest, ReplacesEverywhereAgainWithoutAnError) {
  PatchTrial trial;
  trial.put("f", "old_api_call(1)\nold_api_call(2)\n");
  const auto replace = [&] { return trial.replace("f", "old_api_call(", "new_api_call(", Audience::program, true); };
  EXPECT_EQ(integer_or(replace(), "replacements"), 2);
  EXPECT_EQ(replace(),
            (JsonObject{{"success", true},
                        {"no_change", true},
                        {"note", "Nothing to do: the file already reads as new_string would make it (line 1)."},
                        {"files_modified", JsonArray()},
                        {"strategy", "exact"},
                        {"replacements", 0},
                        {"ranges", JsonArray()}}));
  EXPECT_EQ(trial.content("f"), "new_api_call(1)\nnew_api_call(2)\n");
}

TEST(PatchFileTest, JudgesTheEncodingAsReadFileDoes) {
  PatchTrial trial;
  const std::string rest = "\n\xfc\n" + std::string("z\0z\n", 4);
  trial.put("late", std::string(100'000, 'x') + "\nword" + rest);
  EXPECT_EQ(error_of(trial.replace("late", "word", "Öl")), "");
  EXPECT_EQ(trial.content("late"), std::string(100'000, 'x') + "\nÖl" + rest);
}

TEST(PatchFileTest, KeepsTheFormOfTheFile) {
  PatchTrial trial;
  const auto patched = [&](const std::string& bytes, const std::string& from, const std::string& to) {
    trial.put("f", bytes);
    const std::string problem = error_of(trial.replace("f", from, to));
    return problem.empty() ? trial.content("f") : problem;
  };
  EXPECT_EQ(patched("a\r\nb\r\n", "a\nb", "x\ny"), "x\r\ny\r\n");
  EXPECT_EQ(patched("\xef\xbb\xbf"
                    "a\nb",
                    "b", "c"),
            "\xef\xbb\xbf"
            "a\nc");
  EXPECT_EQ(patched("gr\xfc\xdf dich", "dich", "Öl"), "gr\xfc\xdf \xd6l");
  EXPECT_EQ(patched("gr\xfc\xdf dich", "dich", "10 €"),
            "patch f: it is written in latin-1, which does not have all characters of the new text");
  EXPECT_EQ(patched(std::string("\xff\xfe"
                                "a\0\n\0",
                                6),
                    "a", "€"),
            std::string("\xff\xfe\xac\x20\n\0", 6));
}

TEST(PatchFileTest, RefusesWhatItCannotPatch) {
  PatchTrial trial;
  trial.put("binary", std::string("a\0b", 3));
  EXPECT_EQ(error_of(trial.replace("binary", "a", "b")),
            "patch binary: it is a binary file (application/octet-stream), not text");
  trial.put("unknown.dat", "a\n");
  EXPECT_EQ(error_of(trial.replace("unknown.dat", "a", "b")), "");
  trial.put("near.txt", "a");
  const JsonObject missing = trial.replace("neer.txt", "a", "b");
  EXPECT_EQ(missing, (JsonObject{{"success", false},
                                 {"error", "patch neer.txt: no such file (looked for in " + trial.folder + ")"},
                                 {"path", "neer.txt"},
                                 {"similar_files", JsonArray{"near.txt"}}}));
  trial.put(".env", "a");
  EXPECT_NE(error_of(trial.replace(".env", "a", "b")), "");
  trial.put("large", "");
  ASSERT_EQ(::truncate(trial.path("large").c_str(), (64 << 20) + 1), 0);
  EXPECT_EQ(error_of(trial.replace("large", "a", "b")), "patch large: it has 64 MiB; the most is 64 MiB");
  EXPECT_THAT(error_of(trial.replace(".env", "a", "b")), HasSubstr("patch .env: may not read it: it is a credential"));
  EXPECT_EQ(error_of(trial.replace("near.txt/x", "a", "b")), "patch near.txt/x: Not a directory");
  EXPECT_EQ(error_of(trial.replace("near.txt", "q", "b")),
            "patch near.txt: old_string was not found. Nothing in the file is like it: read the file again.");
  EXPECT_NE(error_of(trial.replace("", "a", "b")), "");
}

TEST(PatchFileTest, KnowsTheFileAfterwardsIfItKnewItBefore) {
  PatchTrial trial;
  trial.put("f", "one two\n");
  trial.read("f");
  trial.replace("f", "one", "1");
  EXPECT_EQ(error_of(trial.write("f", "fine\n")), "");
  trial.put("f", "somebody's two\n");
  trial.replace("f", "two", "2");
  EXPECT_TRUE(boolean_or(trial.write("f", "mine\n"), "stale"));
}

TEST(PatchFileTest, LosesNoneOfManyPatchesOfOneFile) {
  FilesTrial trial;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "line " + std::to_string(i) + ".\n";
  trial.put("f", text);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&, i] {
      HostFiles files;
      FileGate gate = open_gate();
      const std::string number = std::to_string(i);
      const JsonObject result =
          patch_file({files, gate, trial.book, trial.locks},
                     {trial.path("f"), "f", {"line " + number + ".", "done " + number + ".", false}});
      if (!boolean_or(result, "success")) ++failures;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  std::string expected;
  for (int i = 0; i < 20; ++i) expected += "done " + std::to_string(i) + ".\n";
  EXPECT_EQ(trial.content("f"), expected);
}

constexpr const char* four_kinds =
    "*** Add File: new/made.txt\n+hello\n+there\n"
    "*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n"
    "*** Delete File: gone.txt\n"
    "*** Update File: from.sh\n*** Move to: to/here.sh\n@@\n-old\n+new\n";

void make_four(FilesTrial& trial) {
  trial.put("a.txt", "one\ntwo\nthree\n");
  trial.put("gone.txt", "bye\n");
  trial.put("from.sh", "old\nrest\n", 0755);
}

TEST(PatchFilesTest, AddsUpdatesDeletesAndMoves) {
  PatchTrial trial;
  make_four(trial);
  const JsonObject result = trial.patch(four_kinds, Audience::agent);
  EXPECT_EQ(error_of(result), "");
  EXPECT_EQ(result.at("files_modified"), (JsonArray{"a.txt", "gone.txt", "new/made.txt", "from.sh", "to/here.sh"}));
  EXPECT_EQ(result.at("ranges"),
            (JsonArray{range("a.txt", 2, 2), range("new/made.txt", 1, 2), range("to/here.sh", 1, 1)}));
  EXPECT_EQ(result.at("replacements"), 5);  // two hunks; one added, one deleted, one moved
  EXPECT_EQ(result.at("strategy"), "exact");
  EXPECT_THAT(text_or(result, "diff"), HasSubstr("--- a/gone.txt\n+++ /dev/null\n"));
  EXPECT_THAT(text_or(result, "diff"), HasSubstr("diff --git a/from.sh b/to/here.sh\nrename from from.sh\n"
                                                 "rename to to/here.sh\n--- a/from.sh\n+++ b/to/here.sh\n"));
  EXPECT_EQ(trial.content("a.txt"), "one\n2\nthree\n");
  EXPECT_EQ(trial.content("new/made.txt"), "hello\nthere\n");
  EXPECT_EQ(trial.content("to/here.sh"), "new\nrest\n");
  EXPECT_EQ(trial.files.stat(trial.path("to/here.sh"))->mode, 0755u);
  EXPECT_THAT(trial.names(), ElementsAre("a.txt", "new", "to"));
}

TEST(PatchFilesTest, NamesEverythingThatDoesNotFitAndWritesNothing) {
  PatchTrial trial;
  make_four(trial);
  trial.put("there.txt", "x\n");
  trial.put("there2.txt", "x\n");
  const JsonObject result = trial.patch(
      "*** Add File: fine.txt\n+x\n"
      "*** Add File: there.txt\n+y\n"
      "*** Update File: a.txt\n@@\n-missing line\n+x\n@@\n-two\n+2\n@@\n-also missing\n+y\n"
      "*** Update File: nowhere.txt\n@@\n-x\n+y\n"
      "*** Update File: from.sh\n*** Move to: there2.txt\n@@\n-old\n+new\n");
  EXPECT_FALSE(boolean_or(result, "success", true));
  std::vector<std::string> failures;
  for (const Json& one : result.at("failures").as_array()) {
    const JsonObject& failure = one.as_object();
    failures.push_back(text_or(failure, "path") + ":" + std::to_string(integer_or(failure, "line")) + ":" +
                       std::to_string(integer_or(failure, "hunk")));
  }
  EXPECT_THAT(failures, ElementsAre("there.txt:4:0", "a.txt:7:1", "a.txt:13:3", "nowhere.txt:16:0", "there2.txt:20:0"));
  EXPECT_THAT(error_of(result), HasSubstr("- a.txt, hunk 3 (line 13 of the patch): "));
  EXPECT_EQ(trial.content("a.txt"), "one\ntwo\nthree\n");
  EXPECT_THAT(trial.names(), ElementsAre("a.txt", "from.sh", "gone.txt", "there.txt", "there2.txt"));
}

TEST(PatchFilesTest, PutsEverythingBackWhenAWriteFails) {
  for (int succeed = 0; succeed < 3; ++succeed) {
    PatchTrial trial;
    make_four(trial);
    FailingFiles failing(succeed);
    const JsonObject result =
        patch_files({failing, trial.gate, trial.book, trial.locks},
                    {std::string("*** Begin Patch\n") + four_kinds + "*** End Patch\n", trial.folder});
    const std::vector<std::string> order = {"a.txt", "new/made.txt", "to/here.sh"};
    EXPECT_EQ(error_of(result), "patch " + order[static_cast<size_t>(succeed)] +
                                    ": Input/output error; all files were put back as they were");
    EXPECT_EQ(trial.content("a.txt"), "one\ntwo\nthree\n");
    EXPECT_EQ(trial.content("gone.txt"), "bye\n");
    EXPECT_EQ(trial.content("from.sh"), "old\nrest\n");
    EXPECT_EQ(trial.files.stat(trial.path("from.sh"))->mode, 0755u);
    EXPECT_THAT(trial.names(), ElementsAre("a.txt", "from.sh", "gone.txt"));
  }
}

TEST(PatchFilesTest, AppliesSeveralChangesOfOneFileInTheirOrder) {
  PatchTrial trial;
  trial.put("f", "one\n");
  EXPECT_EQ(error_of(trial.patch("*** Update File: f\n@@\n-one\n+two\n*** Update File: ./f\n@@\n-two\n+three\n")), "");
  EXPECT_EQ(trial.content("f"), "three\n");
}

TEST(PatchFilesTest, RefusesWhatMayNotBeTouched) {
  PatchTrial trial;
  trial.put("f", "x\n");
  trial.put(".env", "x\n");
  ASSERT_EQ(::symlink("f", trial.path("link").c_str()), 0);
  trial.put("binary", std::string("\0", 1));
  for (const std::string text :
       {"*** Delete File: link\n", "*** Delete File: .env\n", "*** Add File: /etc/talaria\n+x\n",
        "*** Update File: f/g\n@@\n-x\n+y\n", "*** Delete File: binary\n", "nonsense\n"}) {
    const JsonObject result = trial.patch("*** Update File: f\n@@\n-x\n+y\n" + text);
    EXPECT_NE(error_of(result), "") << text;
    EXPECT_EQ(trial.content("f"), "x\n") << text;
  }
  EXPECT_EQ(error_of(trial.patch("*** Update File: link\n@@\n-x\n+y\n")), "");
  EXPECT_EQ(trial.content("f"), "y\n");
}

TEST(PatchFilesTest, SaysThatAPatchWasAppliedBefore) {
  PatchTrial trial;
  make_four(trial);
  const std::string text = "*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n";
  EXPECT_EQ(error_of(trial.patch(text)), "");
  const JsonObject again = trial.patch(text);
  EXPECT_TRUE(boolean_or(again, "success"));
  EXPECT_TRUE(boolean_or(again, "no_change"));
}

JsonObject done_before(const std::string& note) {
  return {{"success", true},
          {"no_change", true},
          {"note", "the files are already as the patch wants them; applied before: " + note},
          {"files_modified", JsonArray()},
          {"strategy", "already_applied"},
          {"replacements", 0},
          {"ranges", JsonArray()}};
}

TEST(PatchFilesTest, KnowsEveryKindOfChangeThatWasMadeBefore) {
  PatchTrial trial;
  make_four(trial);
  EXPECT_EQ(error_of(trial.patch(four_kinds)), "");
  EXPECT_EQ(trial.patch(four_kinds),
            done_before("new/made.txt (added), gone.txt (deleted), from.sh -> to/here.sh (moved)"));
  EXPECT_EQ(trial.patch("*** Move File: from.sh -> to/here.sh\n"), done_before("from.sh -> to/here.sh (moved)"));
  // What is otherwise than the patch would make it was not made by it.
  trial.put("new/made.txt", "hello\n");
  EXPECT_THAT(error_of(trial.patch("*** Add File: new/made.txt\n+hello\n+there\n")),
              HasSubstr("it is there already; update it instead"));
  trial.put("to/here.sh", "another\n");
  EXPECT_THAT(error_of(trial.patch("*** Update File: from.sh\n*** Move to: to/here.sh\n@@\n-old\n+new\n")),
              HasSubstr("- from.sh (line 2 of the patch): there is no such file"));
}

TEST(PatchFilesTest, RefusesToDeleteAFileThatWasNeverThere) {
  PatchTrial trial;
  trial.put("a.txt", "one\n");
  const std::string remove = "*** Delete File: gone.txt\n";
  const std::string refused =
      "- gone.txt (line 2 of the patch): there is no such file (looked for in " + trial.folder + ")";
  EXPECT_THAT(error_of(trial.patch(remove)), HasSubstr(refused));
  EXPECT_THAT(error_of(trial.patch(remove + "*** Update File: a.txt\n@@\n-one\n+two\n")), HasSubstr(refused));
  EXPECT_EQ(trial.content("a.txt"), "one\n");
  // One that this session deleted, or that another part of the patch shows to have been deleted by it, was there.
  trial.put("gone.txt", "bye\n");
  EXPECT_EQ(error_of(trial.patch(remove)), "");
  EXPECT_EQ(trial.patch(remove), done_before("gone.txt (deleted)"));
  trial.put("other.txt", "two\n");
  EXPECT_EQ(error_of(trial.patch("*** Delete File: lost.txt\n*** Update File: other.txt\n@@\n-one\n+two\n")), "");
}

TEST(PatchFilesTest, AppliesTheRestOfAPatchOfWhichSomeWasMadeBefore) {
  PatchTrial trial;
  trial.put("a.txt", "one\ntwo\nthree\n");
  trial.put("new/made.txt", "hello\nthere\n");
  trial.put("to/here.sh", "new\nrest\n");
  EXPECT_EQ(trial.patch(four_kinds),
            (JsonObject{{"success", true},
                        {"files_modified", JsonArray{"a.txt"}},
                        {"strategy", "already_applied, exact"},
                        {"replacements", 1},
                        {"ranges", JsonArray{range("a.txt", 2, 2)}},
                        {"note",
                         "applied before: new/made.txt (added), gone.txt (deleted), from.sh -> to/here.sh "
                         "(moved)"}}));
  EXPECT_EQ(trial.content("a.txt"), "one\n2\nthree\n");
}

TEST(PatchFilesTest, CountsFilesThatComeGoAndMove) {
  PatchTrial trial;
  make_four(trial);
  const JsonObject moved = trial.patch("*** Move File: from.sh -> to.sh\n", Audience::agent);
  EXPECT_EQ(moved, (JsonObject{{"success", true},
                               {"files_modified", JsonArray{"from.sh", "to.sh"}},
                               {"strategy", "exact"},
                               {"replacements", 1},
                               {"ranges", JsonArray()},
                               {"diff",
                                "diff --git a/from.sh b/to.sh\nsimilarity index 100%\nrename from from.sh\n"
                                "rename to to.sh\n"}}));
  const JsonObject deleted = trial.patch("*** Delete File: gone.txt\n");
  EXPECT_EQ(deleted, (JsonObject{{"success", true},
                                 {"files_modified", JsonArray{"gone.txt"}},
                                 {"strategy", "exact"},
                                 {"replacements", 1},
                                 {"ranges", JsonArray()}}));
}

TEST(PatchFilesTest, SaysByTheAskedPathWhatMayNotBe) {
  PatchTrial trial;
  trial.put("f", "x\n");
  const auto problem = [&](const std::string& text) {
    const JsonObject result = trial.patch(text);
    const Json* failures = result.if_contains("failures");
    return failures ? text_or(failures->at(0).as_object(), "reason") : error_of(result);
  };
  const std::string why =
      "may not write it: it is a credential file; the owner can allow it with files.write.allow in the configuration";
  EXPECT_EQ(problem("*** Move File: f -> .env\n"), why);
  EXPECT_EQ(problem("*** Add File: .env\n+x\n"), why);
  EXPECT_EQ(problem("*** Add File: f/g\n+x\n"), "Not a directory");
  EXPECT_EQ(problem("*** Add File: d/\n+x\n"), "line 2 of the patch: 'd/' is a folder, not a file");
  EXPECT_EQ(problem("*** Move File: f -> d/\n"), "line 2 of the patch: 'd/' is a folder, not a file");
  ASSERT_EQ(::mkdir(trial.path("d").c_str(), 0700), 0);
  EXPECT_EQ(problem("*** Delete File: d\n"), "it is a directory");
}

TEST(PatchResultTest, FindsTheLinesThatChanged) {
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nx\nc\n"), (LineRange{2, 2}));
  EXPECT_EQ(changed_lines("a\nc\n", "a\nb\nb\nc\n"), (LineRange{2, 3}));
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nc\n"), (LineRange{2, 1}));
  EXPECT_EQ(changed_lines("", "a\nb\n"), (LineRange{1, 2}));
  EXPECT_EQ(changed_lines("a", "ab"), (LineRange{1, 1}));
}

}  // namespace
}  // namespace talaria
