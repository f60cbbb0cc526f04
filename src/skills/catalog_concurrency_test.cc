// Several threads, and several processes, at one time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "skills/catalog.h"
#include "skills/catalog_trial.h"

namespace talaria {
namespace {

TEST(CatalogConcurrencyTest, ThreadsShareOneCatalog) {
  const CatalogTrial trial;
  for (int i = 0; i < 200; ++i) trial.put_skill("skills/a/skill-" + std::to_string(i));
  for (int i = 0; i < 4; ++i) trial.put_skill("project-" + std::to_string(i) + "/own");
  Catalog catalog(trial.index());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      const std::vector<SkillRoot> roots = {trial.root("project-" + std::to_string(number % 2)), trial.root("skills")};
      const std::string own = "skills/mine-" + std::to_string(number);
      for (int i = 0; i < 30; ++i) {
        trial.put_skill(own, "Edit " + std::to_string(i));
        const auto view = catalog.refresh(roots);
        const Skill* skill = view->find("mine-" + std::to_string(number));
        if (!skill || skill->card.description != "Edit " + std::to_string(i)) ++wrong;
        const SkillLookUp found = catalog.look_up(roots, "skill-" + std::to_string(i));
        if (!found.skill || found.skill->card.name != "skill-" + std::to_string(i)) ++wrong;
        if (!catalog.recent(roots)) ++wrong;
        if (catalog.unsaved() && !catalog.save()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CatalogConcurrencyTest, AnEditBeforeTheCallIsInTheAnswerWhoeverElseSweeps) {
  const CatalogTrial trial;
  for (int i = 0; i < 100; ++i) trial.put_skill("skills/skill-" + std::to_string(i));
  Catalog catalog(trial.index());
  const std::vector<SkillRoot> roots = {trial.root("skills")};
  std::atomic<bool> stop = false;
  std::thread sweeper([&] {
    while (!stop) (void)catalog.refresh(roots);
  });
  for (int i = 0; i < 100; ++i) {
    const std::string name = "new-" + std::to_string(i);
    trial.put_skill("skills/" + name);
    EXPECT_TRUE(catalog.refresh(roots)->find(name)) << i;
  }
  stop = true;
  sweeper.join();
}

// Edits, looks and saves as another gateway would; 0 when all it did was seen.
int edit_and_index(const CatalogTrial& trial, int number) {
  const std::vector<SkillRoot> roots = {trial.root("skills")};
  for (int round = 0; round < 15; ++round) {
    Catalog catalog(trial.index());
    for (int i = 0; i < 5; ++i) {
      const std::string name = "p" + std::to_string(number) + "-" + std::to_string(i);
      const std::string description = "Round " + std::to_string(round);
      trial.put_skill("skills/c" + std::to_string(i) + "/" + name, description);
      const auto view = catalog.refresh(roots);
      const Skill* skill = view->find(name);
      if (!skill || skill->card.description != description) return 1;
      if (!view->find("fixed-7")) return 2;
      for (const CatalogDiagnostic& diagnostic : view->diagnostics()) {
        if (diagnostic.path == trial.index()) return 3;
      }
    }
    if (!catalog.save()) return 4;
  }
  return 0;
}

TEST(CatalogConcurrencyTest, ProcessesShareOneIndexFile) {
  const CatalogTrial trial;
  for (int i = 0; i < 50; ++i) trial.put_skill("skills/fixed-" + std::to_string(i));
  std::vector<pid_t> children;
  for (int number = 0; number < 4; ++number) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(edit_and_index(trial, number));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const std::vector<SkillRoot> roots = {trial.root("skills")};
  Catalog indexed(trial.index());
  Catalog cold(trial.path("none/index"));
  const auto view = indexed.refresh(roots);
  EXPECT_EQ(view->skills().size(), 70U);
  EXPECT_EQ(found_folders(*view, roots[0].path), found_folders(*cold.refresh(roots), roots[0].path));
  for (const Skill* skill : view->skills()) {
    if (skill->card.name.starts_with("p")) {
      EXPECT_EQ(skill->card.description, "Round 14");
    }
  }
}

}  // namespace
}  // namespace talaria
