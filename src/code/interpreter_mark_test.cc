#include "code/interpreter_mark.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"

namespace talaria {
namespace {

class InterpreterMarkTest : public testing::Test {
 protected:
  InterpreterMarkTest() : folder_(testing::TempDir() + "mark." + std::to_string(::getpid())) {
    EXPECT_TRUE(make_directories(folder_));
  }
  ~InterpreterMarkTest() override { (void)remove_tree(folder_); }

  std::string write(const std::string& name, const std::string& content) {
    EXPECT_TRUE(write_file_atomically(folder_ + "/" + name, content, 0644, Durable::no));
    return folder_ + "/" + name;
  }

  std::string folder_;
};

TEST_F(InterpreterMarkTest, AStampTellsOneStateOfAFileFromAnother) {
  const std::string path = write("python3", "one");
  const std::string first = file_stamp(path);
  EXPECT_EQ(file_stamp(path), first);
  EXPECT_NE(file_stamp(write("python3", "two")), first);
  const std::string second = file_stamp(path);
  EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
  EXPECT_NE(file_stamp(path), second);
}

TEST_F(InterpreterMarkTest, ALinkIsAlsoWhatItLeadsTo) {
  const std::string link = folder_ + "/link", target = folder_ + "/target";
  EXPECT_EQ(file_stamp(link), "");
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  const std::string dangling = file_stamp(link);
  EXPECT_TRUE(dangling.ends_with(leads_nowhere));
  write("target", "x");
  EXPECT_NE(file_stamp(link), dangling);
  EXPECT_FALSE(file_stamp(link).ends_with(leads_nowhere));
}

TEST_F(InterpreterMarkTest, ADirectoryChangesWithWhatIsInstalledInIt) {
  const std::string before = file_stamp(folder_);
  write("package", "x");
  EXPECT_NE(file_stamp(folder_), before);
}

TEST_F(InterpreterMarkTest, AMarkDiffersWhenAPathOrAStampDoes) {
  const std::string mark = mark_of({{"/a", "1"}, {"/b", "2"}});
  EXPECT_EQ(mark.size(), 16u);
  EXPECT_EQ(mark_of({{"/a", "1"}, {"/b", "2"}}), mark);
  EXPECT_NE(mark_of({{"/a", "1"}, {"/b", "3"}}), mark);
  EXPECT_NE(mark_of({{"/a", "1"}, {"/c", "2"}}), mark);
  EXPECT_NE(mark_of({{"/a", "1"}}), mark);
  EXPECT_NE(mark_of({{"/a", "1/"}, {"b", "2"}}), mark);
}

}  // namespace
}  // namespace talaria
