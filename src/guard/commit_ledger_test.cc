#include "guard/commit_ledger.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/file.h"

namespace talaria {
namespace {

using testing::Contains;
using testing::Not;

class CommitLedgerTest : public testing::Test {
 protected:
  CommitLedgerTest() {
    std::string pattern = testing::TempDir() + "ledger.XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~CommitLedgerTest() override { (void)remove_tree(folder_); }

  // A ledger of before, with its two further files, changed at this second of its time.
  void put_ledger(const std::string& name, time_t changed) const {
    for (const char* part : {"", ".lock", ".busy"}) {
      ASSERT_TRUE(write_file_atomically(folder_ + "/" + name + part, "", 0600, Durable::no));
    }
    const timespec times[] = {{changed, 0}, {changed, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ + "/" + name).c_str(), times, 0), 0);
  }

  std::string folder_;
};

std::string id_of(int number) { return "id" + std::to_string(number); }

TEST_F(CommitLedgerTest, TheLedgersThatWereIdleLongestMakeRoomForANewOne) {
  for (int i = 0; i < 2000; ++i) put_ledger(id_of(i), 1000 + i);
  const Result<FileLock> used = FileLock::take(folder_ + "/" + id_of(0) + ".busy");
  ASSERT_TRUE(used);
  CommitLedger ledger(folder_, "/some/repository/.git");
  const Result<std::vector<std::string>> names = list_directory(folder_);
  ASSERT_TRUE(names) << names.error().message();
  EXPECT_LT(names->size(), 3100u);
  EXPECT_THAT(*names, Contains(id_of(0))) << "commands run in that repository";
  for (const char* part : {"", ".lock", ".busy"}) EXPECT_THAT(*names, Not(Contains(id_of(1) + part)));
  for (const char* part : {"", ".lock", ".busy"}) EXPECT_THAT(*names, Contains(id_of(1999) + part));
}

TEST_F(CommitLedgerTest, TheLatestFiftyThousandReferencesAreRemembered) {
  std::vector<std::string> tips;
  for (int i = 0; i < 50'010; ++i) tips.push_back(id_of(i));
  CommitLedger ledger(folder_, "/some/repository/.git");
  const std::vector<std::string> own = ledger.record(tips, CommitsOf::person);
  EXPECT_EQ(own.size(), 50'000u);
  EXPECT_THAT(own, Not(Contains(id_of(9))));
  EXPECT_EQ(own.back(), id_of(50'009));
  // One of those that were forgotten is not the person's when commands bring it again.
  CommitLedger later(folder_, "/some/repository/.git");
  EXPECT_THAT(later.record({id_of(9), id_of(10)}, CommitsOf::commands), Not(Contains(id_of(9))));
}

}  // namespace
}  // namespace talaria
