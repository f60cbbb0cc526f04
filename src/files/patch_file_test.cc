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
using testing::IsEmpty;

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
  EXPECT_NE(error_of(trial.replace("f", "nothing of the kind", "z")), "");
  const JsonObject applied = trial.replace("f", "x = 1\ny = 2", "z\ny = 2");
  EXPECT_TRUE(boolean_or(applied, "success"));
  EXPECT_TRUE(boolean_or(applied, "no_change"));
  EXPECT_EQ(applied.at("files_modified"), JsonArray());
  EXPECT_EQ(trial.content("f"), "z\ny = 2\nz\n");
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
                                 {"error", "patch neer.txt: no such file"},
                                 {"path", "neer.txt"},
                                 {"similar_files", JsonArray{"near.txt"}}}));
  trial.put(".env", "a");
  EXPECT_NE(error_of(trial.replace(".env", "a", "b")), "");
  trial.put("large", "");
  ASSERT_EQ(::truncate(trial.path("large").c_str(), (64 << 20) + 1), 0);
  EXPECT_EQ(error_of(trial.replace("large", "a", "b")),
            "patch large: " + trial.path("large") + " has 64 MiB; the most is 64 MiB");
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
  EXPECT_EQ(result.at("replacements"), 3);
  EXPECT_EQ(result.at("strategy"), "exact");
  EXPECT_THAT(text_or(result, "diff"), HasSubstr("--- a/gone.txt\n+++ /dev/null\n"));
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
      "*** Add File: there.txt\n+x\n"
      "*** Update File: a.txt\n@@\n-missing line\n+x\n@@\n-two\n+2\n@@\n-also missing\n+y\n"
      "*** Delete File: nowhere.txt\n"
      "*** Update File: from.sh\n*** Move to: there2.txt\n@@\n-old\n+new\n");
  EXPECT_FALSE(boolean_or(result, "success", true));
  std::vector<std::string> failures;
  for (const Json& one : result.at("failures").as_array()) {
    const JsonObject& failure = one.as_object();
    failures.push_back(text_or(failure, "path") + ":" + std::to_string(integer_or(failure, "line")) + ":" +
                       std::to_string(integer_or(failure, "hunk")));
  }
  EXPECT_THAT(failures, ElementsAre("there.txt:4:0", "a.txt:7:1", "a.txt:13:3", "nowhere.txt:16:0", "there2.txt:17:0"));
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
    EXPECT_THAT(error_of(result), HasSubstr("all files were put back as they were")) << succeed;
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

TEST(PatchResultTest, FindsTheLinesThatChanged) {
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nx\nc\n"), (LineRange{2, 2}));
  EXPECT_EQ(changed_lines("a\nc\n", "a\nb\nb\nc\n"), (LineRange{2, 3}));
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nc\n"), (LineRange{2, 1}));
  EXPECT_EQ(changed_lines("", "a\nb\n"), (LineRange{1, 2}));
  EXPECT_EQ(changed_lines("a", "ab"), (LineRange{1, 1}));
}

}  // namespace
}  // namespace talaria
