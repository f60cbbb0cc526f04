#include "store/notebook.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/scratch_folder.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class NotebookTest : public testing::Test {
 protected:
  int64_t size() const {
    struct stat info {};
    return ::stat(path_.c_str(), &info) == 0 ? info.st_size : -1;
  }

  const ScratchFolder folder_;
  const std::string path_ = folder_.path() + "/talaria.notes";
  const Notebook notebook_{path_};
};

TEST_F(NotebookTest, RemembersRemovedJobsUntilTheyAreCleared) {
  EXPECT_THAT(notebook_.removed(), IsEmpty());
  ASSERT_TRUE(notebook_.note_removed("abcd2345"));
  ASSERT_TRUE(notebook_.note_removed("bcde3456"));
  EXPECT_THAT(Notebook(path_).removed(), ElementsAre("abcd2345", "bcde3456"));
  EXPECT_EQ(*notebook_.next_round(0), 1);
  EXPECT_THAT(notebook_.removed(), SizeIs(2));
  ASSERT_TRUE(notebook_.clear_removed());
  EXPECT_THAT(notebook_.removed(), IsEmpty());
  ASSERT_TRUE(notebook_.note_removed("cdef4567"));
  EXPECT_THAT(notebook_.removed(), ElementsAre("cdef4567"));
  EXPECT_EQ(*notebook_.next_round(0), 2);
}

TEST_F(NotebookTest, ItsRoomIsTakenWhenItIsMadeAndItGrowsOnlyBeyondThat) {
  ASSERT_TRUE(notebook_.make());
  const int64_t made = size();
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(notebook_.note_removed("abcd2345"));
  EXPECT_EQ(size(), made);
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(notebook_.note_removed("abcd2345"));
  EXPECT_GT(size(), made);
  EXPECT_THAT(notebook_.removed(), SizeIs(3000));
  ASSERT_TRUE(notebook_.clear_removed());
  EXPECT_EQ(size(), made);
  EXPECT_THAT(notebook_.removed(), IsEmpty());
}

TEST_F(NotebookTest, ARoundIsNeverGivenTwiceAndIsAboveWhatTheCallerKnows) {
  EXPECT_EQ(*notebook_.next_round(0), 1);
  EXPECT_EQ(*Notebook(path_).next_round(0), 2);
  EXPECT_EQ(*notebook_.next_round(40), 41);
  EXPECT_EQ(*notebook_.next_round(7), 42);
}

TEST_F(NotebookTest, GarbageIsReadAsNothing) {
  ASSERT_TRUE(write_file_atomically(path_, std::string("what is this") + std::string(5000, '\n')));
  EXPECT_THAT(notebook_.removed(), IsEmpty());
  EXPECT_EQ(*notebook_.next_round(3), 4);
  ASSERT_TRUE(notebook_.note_removed("abcd2345"));
}

TEST_F(NotebookTest, SaysWhyNothingCanBeNoted) {
  const Notebook nowhere(folder_.path() + "/missing/talaria.notes");
  EXPECT_EQ(nowhere.note_removed("abcd2345").error().code(), ErrorCode::not_found);
  EXPECT_FALSE(nowhere.next_round(0));
  EXPECT_THAT(nowhere.removed(), IsEmpty());
}

TEST_F(NotebookTest, WhatIsNoRegularFileIsNotTouched) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(notebook_.make());
  EXPECT_FALSE(notebook_.note_removed("abcd2345"));
  EXPECT_THAT(notebook_.removed(), IsEmpty());
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  const std::string other = folder_.path() + "/other";
  ASSERT_TRUE(write_file_atomically(other, "somebody's"));
  ASSERT_EQ(::symlink(other.c_str(), path_.c_str()), 0);
  EXPECT_FALSE(notebook_.make());
  EXPECT_FALSE(notebook_.next_round(0));
  EXPECT_EQ(*read_file(other), "somebody's");
}

TEST_F(NotebookTest, OneThatIsTooLongOrHasNoNumberIsMadeAnew) {
  for (const std::string& text :
       {"round 00000000000x\n" + std::string(100, '\0'), "round 000000000007\n" + std::string((16 << 20) + 1, '\0')}) {
    ASSERT_TRUE(write_file_atomically(path_, text));
    ASSERT_TRUE(notebook_.note_removed("abcd2345"));
    EXPECT_EQ(size(), 16 << 10);
    EXPECT_THAT(notebook_.removed(), ElementsAre("abcd2345"));
    EXPECT_EQ(*notebook_.next_round(0), 1);
  }
}

TEST_F(NotebookTest, AStrayByteSpoilsNoLaterNote) {
  ASSERT_TRUE(notebook_.note_removed("abcd2345"));
  std::string text = *read_file(path_);
  text[text.find('\0')] = '\n';
  ASSERT_TRUE(write_file_atomically(path_, text));
  ASSERT_TRUE(notebook_.note_removed("bcde3456"));
  ASSERT_TRUE(notebook_.note_removed("cdef4567"));
  EXPECT_THAT(notebook_.removed(), ElementsAre("abcd2345", "bcde3456", "cdef4567"));
  ASSERT_TRUE(notebook_.clear_removed());
  EXPECT_THAT(notebook_.removed(), IsEmpty());
}

}  // namespace
}  // namespace talaria
