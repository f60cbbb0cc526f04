#include "talaria/ending.h"

#include <gtest/gtest.h>

#include "guard/violation.h"

namespace talaria {
namespace {

TEST(EndingTest, LeavesOneWordToTheShellAndQuotesSeveral) {
  EXPECT_EQ(command_from_words({"echo $HOME | wc -c"}), "echo $HOME | wc -c");
  EXPECT_EQ(command_from_words({"echo", "$HOME", "a b", "it's", ""}), "echo '$HOME' 'a b' 'it'\\''s' ''");
  EXPECT_EQ(command_from_words({"ls", "-la", "/tmp"}), "ls -la /tmp");
}

TEST(EndingTest, GivesTheCommandsOwnCode) {
  EXPECT_EQ(exit_code_of({{"status", "completed"}, {"exitCode", 0}}), 0);
  EXPECT_EQ(exit_code_of({{"status", "completed"}, {"exitCode", 3}}), 3);
  EXPECT_EQ(exit_code_of({{"status", "failed"}, {"exitCode", 127}, {"reason", "not-found"}}), 127);
  EXPECT_EQ(exit_code_of({{"status", "running"}}), 0);
}

TEST(EndingTest, GivesOurCodesWhereThereIsNone) {
  EXPECT_EQ(exit_code_of({{"status", "failed"}, {"exitSignal", "SIGKILL"}, {"reason", "signal"}}), 137);
  EXPECT_EQ(exit_code_of({{"status", "failed"}, {"exitSignal", "SIGTERM"}, {"reason", "timeout"}}), 124);
  EXPECT_EQ(exit_code_of({{"status", "denied"}}), 126);
  EXPECT_EQ(exit_code_of({{"status", "pending_approval"}}), 126);
  EXPECT_EQ(exit_code_of({{"status", "lost"}, {"exitCode", nullptr}}), 125);
  EXPECT_EQ(exit_code_of({}), 125);
}

TEST(EndingTest, SaysWhichSandboxHeld) {
  EXPECT_EQ(sandbox_sentence({}), "");
  EXPECT_EQ(sandbox_sentence({{"sandbox", JsonObject{{"tier", 0}, {"reason", "plain host"}}}}),
            "sandbox: none (plain host)");
  EXPECT_EQ(sandbox_sentence(*parse_json_object(
                R"({"sandbox": {"tier": 1, "profile": "read-only", "network": "off", "missing": []}})")),
            "sandbox: profile read-only, network off");
  EXPECT_EQ(sandbox_sentence(*parse_json_object(
                R"({"sandbox": {"tier": 2, "profile": "mine", "network": "on", "missing": ["proc", "cgroups"],
                    "reason": "no user namespaces"}})")),
            "sandbox: profile mine, network on, tier 2; missing here: proc, cgroups (no user namespaces)");
}

TEST(EndingTest, SaysWhatBecameOfWhatACommandLeft) {
  using Kind = Violation::Kind;
  const auto said = [](const std::vector<Violation>& violations) {
    return violations_sentence({{"violations", to_json(violations)}});
  };
  const Violation taken{Kind::quarantined, ".envrc", "direnv", "direnv runs it", "k3v8"};
  const Violation undone{Kind::put_back, "two\nlines", "git", "git runs it", "k3v9"};
  EXPECT_EQ(violations_sentence({}), "");
  EXPECT_EQ(said({{Kind::kept, ".envrc", "direnv", "a commit has it", ""}}), "");
  EXPECT_EQ(said({taken, undone, taken}),
            "the command left something that other programs would run outside the sandbox: .envrc (2 times), "
            "two\\nlines. It was moved away or changed back; to look at it: talaria sandbox quarantine list");
  EXPECT_EQ(said({{Kind::stuck, ".husky", "git", "it is a mount point", ""}}),
            "still there, although it may run outside the sandbox: .husky (it is a mount point)");
}

TEST(EndingTest, SaysWhereFilesWentThatAreNotThere) {
  EXPECT_EQ(private_files_sentence({}), "");
  EXPECT_EQ(
      private_files_sentence({{"private_files", JsonArray{"/home/ada/r.txt", "/tmp/a\nb", "/tmp/c", "/tmp/d"}}}),
      "made in the sandbox's private home or /tmp, which go with the session: /home/ada/r.txt, /tmp/a\\nb, /tmp/c "
      "and 1 more");
}

TEST(EndingTest, SaysThatTheNetworkIsOff) {
  EXPECT_EQ(network_sentence({}), "");
  EXPECT_EQ(
      network_sentence({{"network_tried", "itself"}}),
      "the network is off in this sandbox, and the command tried to reach it; with a network: talaria sandbox run "
      "--network on COMMAND");
  EXPECT_THAT(network_sentence({{"network_tried", "shared"}}), testing::HasSubstr("a command of this session tried"));
}

}  // namespace
}  // namespace talaria
