// The person commits in a repository while a sandboxed job attacks it: every commit succeeds or says in git's own words
// that somebody else holds a lock, and nothing of the job's runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "os/file.h"
#include "product/left_behind_attack.h"

namespace talaria {
namespace {

class HostAtWorkTest : public LeftBehindAttacksTest {
 protected:
  // A hundred commits take some seconds; TALARIA_TEST_COMMITS=2000 makes it a matter of a minute.
  static int commits() {
    const char* wanted = std::getenv("TALARIA_TEST_COMMITS");
    return wanted ? std::atoi(wanted) : 100;
  }

  void expect_both_right(const std::string& attack) {
    const LeftBehindAttack place = {.name = "host at work",
                                    .before = "git config extensions.worktreeConfig true; git worktree add -q wt",
                                    .inside = {}};
    const std::string folder = begin(place);
    const std::string job = "i=0; while :; do i=$((i + 1))\n" + attack + "\ndone >/dev/null 2>&1";
    std::string id;
    for (int made = 0; made < commits(); made += 20) {
      // One that fights too hard is stopped, and comes again.
      if (id.empty() || state(folder, id) != "running") id = id_of(inside(folder, job, {{"background", true}}));
      host(folder, R"(for n in 1 2 3 4 5 6 7 8 9 10; do for place in @B@/w @B@/w/wt; do
  cd $place; echo $n$RANDOM > mine; git add mine 2>> @B@/said
  if git commit -q -m "by the person" 2>> @B@/said; then echo done >> @B@/made; fi; git status >/dev/null 2>> @B@/said
done; done)");
      ASSERT_FALSE(exists(folder + "/PWNED")) << "after " << made << " commits";
    }
    house_.call_in(folder + "/w", "process", {{"action", "kill"}, {"sessionId", id}});
    await("the job to end", [&] { return state(folder, id) != "running"; });
    EXPECT_TRUE(exists(folder + "/made")) << "no commit succeeded";
    expect_only_locks(folder);
    expect_nothing_runs(place, folder);
    host(folder, "git fsck && git -C wt fsck && touch @B@/sound");
    const Result<std::string> log = read_file(folder + "/log");
    EXPECT_TRUE(exists(folder + "/sound"))
        << (log ? log->substr(log->size() - std::min<size_t>(log->size(), 1500)) : "");
  }

 private:
  std::string state(const std::string& folder, const std::string& id) {
    return status_of(house_.call_in(folder + "/w", "process", {{"action", "poll"}, {"sessionId", id}}));
  }
  // git explains a lock in several lines; the first of them is the complaint. It also complains about a file that
  // somebody writes while it is read.
  static void expect_only_locks(const std::string& folder) {
    const Result<std::string> said = read_file(folder + "/said");
    ASSERT_TRUE(said);
    std::istringstream lines(*said);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("fatal:") && !line.starts_with("error:")) continue;
      EXPECT_TRUE(line.find("lock") != std::string::npos || line.find("File exists") != std::string::npos ||
                  line.find("short read while indexing") != std::string::npos)
          << line;
    }
  }
};

TEST_F(HostAtWorkTest, WhileAJobWritesToWhatIsLocked) {
  expect_both_right(R"(evil .git/hooks/pre-commit; evil .git/hooks/reference-transaction; ln -sf ../x .git/hooks
cp .git/config c; git config -f c core.fsmonitor "$P;false"; cat c > .git/config; mv -f c .git/config
mv .git g; rm -f .git/config; echo 'gitdir: ../e' > wt/.git)");
}

TEST_F(HostAtWorkTest, WhileAJobPlantsElsewhereAndCommits) {
  expect_both_right(
      R"(mkdir -p d$((i % 9)); echo evil > d$((i % 9))/.envrc; evil .husky/pre-commit; echo evil > .mcp.json
git init -q d$((i % 9))/r; git -C d$((i % 9))/r config core.fsmonitor "$P;false"
echo $i > theirs; git add theirs; git commit -q -m "by the job"; git branch b$i; git stash -q; git stash drop -q)");
}

}  // namespace
}  // namespace talaria
