#include "skills/index_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "skills/catalog_codec.h"
#include "skills/catalog_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

SkillCard full_card() {
  SkillCard card;
  card.name = "Name";
  card.slug = "name";
  card.description = "Describes \xc3\xa9";
  card.version = "1";
  card.author = "A";
  card.license = "MIT";
  card.compatibility = "all";
  card.platforms = {"linux", "macos"};
  card.tags = {"t"};
  card.related_skills = {"r"};
  card.allowed_tools = {"exec", ""};
  card.conditions = {{"a"}, {"b"}, {"c"}, {"d", "e"}};
  card.environment = {{"KEY", "prompt", "help", "all"}};
  card.commands = {"curl"};
  card.credentials = {{"token.json", "A token"}};
  card.settings = {{"a.b", "description", "prompt", "default"}, {"c", "d", "e", std::nullopt}};
  card.model_invocable = false;
  card.diagnostics = {{Severity::error, 12, "message"}};
  return card;
}

CatalogFolders some_folders(const SkillRoot& root) {
  auto top = std::make_shared<CatalogFolder>();
  top->seen = {{1, -2, 3, 4, 5}, 0, true};
  top->folders = {"a", "b"};
  top->links = {{"l", FolderLink::Target::folder, 6, 7}};
  top->described = true;
  top->description_seen = {{6, 7, 8, 9, 10}, 0, false};
  top->blurb = "What it is";
  auto below = std::make_shared<CatalogFolder>();
  below->path = "a";
  below->linked = true;
  below->real_paths = {"x/y"};
  below->skill_file = "SKILL.md";
  below->skill_seen = {{11, 12, 13, 14, 15}, 0, true};
  below->diagnostics = {{Severity::note, "/p", "m"}};
  auto skill = std::make_shared<Skill>();
  skill->card = full_card();
  skill->directory = root.path + "/a";
  skill->file = root.path + "/a/SKILL.md";
  skill->source = root.source;
  skill->trust = Trust::agent_created;
  skill->stamp = below->skill_seen.stamp;
  below->skill = skill;
  auto unreadable = std::make_shared<CatalogFolder>();
  unreadable->path = "b";
  unreadable->seen.failure = EACCES;
  unreadable->skill_file = "skill.md";
  return {top, below, unreadable};
}

TEST(CatalogCodecTest, GivesBackAllThatWasWritten) {
  const SkillRoot root{"/root", SkillSource::agents, Trust::local};
  const CatalogFolders folders = some_folders(root);
  const std::string bytes = encode_folders(folders);
  const std::optional<CatalogFolders> again = decode_folders(bytes, root);
  ASSERT_TRUE(again);
  EXPECT_EQ(encode_folders(*again), bytes);
  ASSERT_EQ(again->size(), 3U);
  const CatalogFolder& top = *(*again)[0];
  EXPECT_EQ(top.seen, folders[0]->seen);
  EXPECT_EQ(top.folders, folders[0]->folders);
  EXPECT_EQ(top.links, folders[0]->links);
  EXPECT_EQ(top.description_seen, folders[0]->description_seen);
  EXPECT_EQ(top.blurb, "What it is");
  const CatalogFolder& below = *(*again)[1];
  EXPECT_EQ(below.path, "a");
  EXPECT_TRUE(below.linked);
  EXPECT_EQ(below.real_paths, folders[1]->real_paths);
  EXPECT_EQ(below.skill_seen, folders[1]->skill_seen);
  EXPECT_EQ(below.diagnostics, folders[1]->diagnostics);
  ASSERT_TRUE(below.skill);
  EXPECT_EQ(below.skill->card, full_card());
  EXPECT_EQ(below.skill->directory, "/root/a");
  EXPECT_EQ(below.skill->file, "/root/a/SKILL.md");
  EXPECT_EQ(below.skill->source, SkillSource::agents);
  EXPECT_EQ(below.skill->trust, Trust::agent_created);
  EXPECT_EQ(below.skill->stamp, below.skill_seen.stamp);
  EXPECT_EQ((*again)[2]->seen.failure, EACCES);
  EXPECT_EQ((*again)[2]->skill, nullptr);
}

TEST(CatalogCodecTest, TakesNothingThatIsCutOrGoesOn) {
  const SkillRoot root{"/root"};
  const std::string bytes = encode_folders(some_folders(root));
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_folders(bytes.substr(0, length), root)) << length;
  }
  EXPECT_FALSE(decode_folders(bytes + "x", root));
}

TEST(CatalogCodecTest, ReadsAnyBytesWithoutHarm) {
  const SkillRoot root{"/root"};
  const std::string bytes = encode_folders(some_folders(root));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ change);
      const std::optional<CatalogFolders> folders = decode_folders(other, root);
      if (folders) {
        EXPECT_EQ(encode_folders(*folders).size(), other.size()) << i;
      }
    }
  }
}

TEST(IndexFileTest, GivesBackItsSections) {
  const std::vector<IndexSection> sections = {
      {"/a", 5, "some bytes"}, {"/b", 7, ""}, {"/c", 9, std::string(3000, 'x')}};
  const Result<std::vector<IndexSection>> again = parse_index(write_index(sections));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, sections);
}

TEST(IndexFileTest, RefusesEveryChangeOfAByte) {
  const std::string bytes = write_index({{"/a", 5, "some bytes"}, {"/b", 7, "more bytes, and more"}});
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char change : {'\x04', '\x10', '\xff'}) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ change);
      EXPECT_FALSE(parse_index(other)) << i;
    }
  }
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(parse_index(bytes.substr(0, length))) << length;
}

class IndexInCatalogTest : public testing::Test {
 protected:
  IndexInCatalogTest() {
    for (int i = 0; i < 20; ++i) trial.put_skill("skills/a/skill-" + std::to_string(i), "Number " + std::to_string(i));
    Catalog catalog(trial.index());
    settle(catalog, roots);
    CHECK(catalog.save());
    bytes = *read_file(trial.index());
  }

  // What a start with these bytes as the index shows is what a start without one shows.
  void expect_all_found(const std::string& index) {
    trial.put("cache/skills.index", index);
    Catalog catalog(trial.index());
    const auto view = catalog.refresh(roots);
    EXPECT_EQ(view->skills().size(), 20U);
    EXPECT_EQ(view->find("skill-7")->card.description, "Number 7");
    problem = view->diagnostics().empty() ? "" : view->diagnostics()[0].message;
    EXPECT_LE(view->diagnostics().size(), 1U);
    looked_at = catalog.work().folders_looked_at;
  }

  CatalogTrial trial;
  const std::vector<SkillRoot> roots = {trial.root("skills")};
  std::string bytes;
  std::string problem;
  size_t looked_at = 0;
};

TEST_F(IndexInCatalogTest, SparesTheNextStartTheReading) {
  expect_all_found(bytes);
  EXPECT_EQ(looked_at, 0U);
  EXPECT_EQ(problem, "");
}

TEST_F(IndexInCatalogTest, IsNotWrittenAgainWithoutNeed) {
  Catalog catalog(trial.index());
  EXPECT_FALSE(catalog.unsaved());
  (void)catalog.refresh(roots);
  EXPECT_FALSE(catalog.unsaved());
  trial.put_skill("skills/new");
  (void)catalog.refresh(roots);
  EXPECT_TRUE(catalog.unsaved());
  ASSERT_TRUE(catalog.save());
  EXPECT_FALSE(catalog.unsaved());
}

TEST_F(IndexInCatalogTest, IsForItsOwnerOnly) {
  struct stat info {};
  ASSERT_EQ(::stat(trial.index().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  EXPECT_THAT(*list_directory(trial.path("cache")), ElementsAre("skills.index"));
}

TEST_F(IndexInCatalogTest, NeverShowsWhatIsNoLongerSo) {
  trial.put_skill("skills/a/skill-7", "Edited");
  trial.remove("skills/a/skill-8");
  trial.rename("skills/a/skill-9", "skills/skill-9");
  trial.put_skill("skills/b/new");
  Catalog catalog(trial.index());
  const auto view = catalog.refresh(roots);
  EXPECT_EQ(view->find("skill-7")->card.description, "Edited");
  EXPECT_EQ(view->find("skill-8"), nullptr);
  EXPECT_EQ(view->find("skill-9")->category, "");
  EXPECT_TRUE(view->find("new"));
}

TEST_F(IndexInCatalogTest, DamageAnywhereOnlyCostsTime) {
  for (size_t i = 0; i < bytes.size(); i += 1 + i / 40) {
    std::string other = bytes;
    other[i] = static_cast<char>(~other[i]);
    expect_all_found(other);
    EXPECT_NE(problem, "") << i;
  }
}

TEST_F(IndexInCatalogTest, ACutOnlyCostsTime) {
  for (size_t length = 0; length < bytes.size(); length += 1 + length / 20) {
    expect_all_found(bytes.substr(0, length));
    EXPECT_THAT(problem, HasSubstr("damaged")) << length;
  }
}

TEST_F(IndexInCatalogTest, ANewerFormatIsSaid) {
  std::string newer = bytes;
  newer[8] = static_cast<char>(catalog_format + 1);
  expect_all_found(newer);
  EXPECT_THAT(problem, HasSubstr("newer version"));
}

TEST_F(IndexInCatalogTest, AnOlderFormatIsReadAnewInSilence) {
  std::string older = bytes;
  older[8] = static_cast<char>(catalog_format - 1);
  expect_all_found(older);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(looked_at, 22U);
}

TEST_F(IndexInCatalogTest, AProblemIsSaidUntilTheIndexIsMadeAnew) {
  trial.put("cache/skills.index", "rubbish");
  Catalog catalog(trial.index());
  EXPECT_THAT(catalog.refresh(roots)->diagnostics(), ElementsAre(Field(&CatalogDiagnostic::path, trial.index())));
  EXPECT_EQ(catalog.refresh(roots), catalog.refresh(roots));
  EXPECT_TRUE(catalog.unsaved());
  ASSERT_TRUE(catalog.save());
  EXPECT_THAT(catalog.refresh(roots)->diagnostics(), IsEmpty());
  expect_all_found(*read_file(trial.index()));
  EXPECT_EQ(problem, "");
}

TEST_F(IndexInCatalogTest, SomethingElseInItsPlaceDoesNotHoldItUp) {
  trial.remove("cache/skills.index");
  ASSERT_EQ(::mkfifo(trial.index().c_str(), 0600), 0);
  Catalog catalog(trial.index());
  EXPECT_EQ(catalog.refresh(roots)->skills().size(), 20U);
  ASSERT_TRUE(catalog.save());
  expect_all_found(*read_file(trial.index()));
  trial.remove("cache/skills.index");
  trial.make_folder("cache/skills.index/full");
  Catalog other(trial.index());
  EXPECT_EQ(other.refresh(roots)->skills().size(), 20U);
  EXPECT_FALSE(other.save());
}

TEST_F(IndexInCatalogTest, AFullDiskIsSaidAndNotTriedAgainForNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    Catalog catalog(trial.index());
    trial.put_skill("skills/new");
    (void)catalog.refresh(roots);
    const bool failed = ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && !catalog.save();
    const auto view = catalog.refresh(roots);
    const bool said = view->diagnostics().size() == 1 && view->skills().size() == 21;
    ::_exit(failed && said ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(*list_directory(trial.path("cache")), ElementsAre("skills.index"));
  EXPECT_EQ(*read_file(trial.index()), bytes);
}

TEST_F(IndexInCatalogTest, RemembersOtherRootsToo) {
  trial.put_skill("other/one");
  const std::vector<SkillRoot> other = {trial.root("other")};
  {
    Catalog catalog(trial.index());
    settle(catalog, other);
    ASSERT_TRUE(catalog.save());
  }
  Catalog catalog(trial.index());
  (void)catalog.refresh(roots);
  (void)catalog.refresh(other);
  EXPECT_EQ(catalog.work().folders_looked_at, 0U);
}

TEST_F(IndexInCatalogTest, ForgetsTheRootsThatWereUsedLongestAgo) {
  std::vector<IndexSection> sections;
  for (size_t i = 0; i < most_index_roots + 5; ++i) {
    sections.push_back({"/" + std::to_string(i), static_cast<EpochMs>(i), "x"});
  }
  ASSERT_TRUE(save_roots(trial.index(), sections));
  const Result<std::vector<IndexSection>> kept = parse_index(*read_file(trial.index()));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), most_index_roots);
  EXPECT_THAT(*kept, testing::Not(testing::Contains(Field(&IndexSection::root, "/4"))));
  EXPECT_THAT(*kept, testing::Contains(Field(&IndexSection::root, trial.path("skills"))));
}

}  // namespace
}  // namespace talaria
