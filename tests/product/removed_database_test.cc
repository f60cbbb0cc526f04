// The database is removed or replaced while the gateway has it open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "product/house.h"
#include "store/database.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class RemovedDatabaseTest : public testing::Test {
 protected:
  RemovedDatabaseTest() { id_ = finished("echo one"); }

  std::string finished(const std::string& command) {
    const JsonObject result = house_.exec(command);
    EXPECT_EQ(status_of(result), "completed") << write_json(result);
    return id_of(result);
  }
  std::string path(const std::string& suffix = "") const { return house_.home().database() + suffix; }
  ino_t inode() const {
    struct stat info {};
    return ::stat(path().c_str(), &info) == 0 ? info.st_ino : 0;
  }
  std::string log() { return *read_file(house_.home().logs() + "/gateway.log"); }
  // Rows of that job in the file that is at the path.
  int64_t rows(const std::string& id) {
    Result<Database> found = Database::open_existing(path());
    Result<Statement> statement =
        found ? found->prepare("SELECT count(*) FROM jobs WHERE id = ?", "count") : Result<Statement>(found.error());
    int64_t number = 0;
    if (statement && statement->bind(id).step()) statement->read(number);
    return number;
  }
  void await_written_again(size_t times) {
    await("it is written again", [&] {
      const std::string text = log();
      size_t count = 0;
      for (size_t at = 0; (at = text.find("It was written again", at)) != std::string::npos; ++at) ++count;
      return count == times;
    });
  }

  PlainHouse house_;
  std::string id_;
};

TEST_F(RemovedDatabaseTest, OneThatWasRemovedIsWrittenAgainAndNothingIsLost) {
  await("the row is stored", [&] { return rows(id_) == 1; });
  ASSERT_EQ(::unlink(path().c_str()), 0);
  const std::string during = finished("echo two");
  await_written_again(1);
  const std::string after = finished("echo three");
  for (const std::string& id : {id_, during, after}) {
    await("the row is in the new file", [&] { return rows(id) == 1; });
  }
  for (const char* suffix : {"", "-wal", "-shm"}) ASSERT_EQ(::unlink(path(suffix).c_str()), 0) << suffix;
  await_written_again(2);
  const Ran status = house_.run({"serve", "--status"});
  EXPECT_THAT(status.out + status.err, HasSubstr("was removed while the gateway was running"));
  EXPECT_THAT(house_.run({"doctor"}).out, HasSubstr("was removed while the gateway was running"));
  house_.kill_gateway();
  for (const std::string& id : {id_, during, after}) {
    EXPECT_EQ(status_of(house_.process("poll", id)), "completed") << id;
  }
  EXPECT_EQ(house_.run({"serve", "--status"}).out.find("set aside"), std::string::npos);
}

TEST_F(RemovedDatabaseTest, OneThatWasReplacedIsLeftAloneAndAPersonIsToldWhatToDo) {
  await("the row is stored", [&] { return rows(id_) == 1; });
  const std::string backup = path(".backup");
  {
    Result<Database> database = Database::open_existing(path());
    ASSERT_TRUE(database && database->execute("VACUUM INTO '" + backup + "'", "make a backup"));
  }
  const std::string later = finished("echo later");
  await("the row is stored", [&] { return rows(later) == 1; });
  ASSERT_EQ(::rename(backup.c_str(), path().c_str()), 0);
  const ino_t placed = inode();
  await("it is told", [&] { return log().find("was replaced by another file") != std::string::npos; });
  EXPECT_THAT(house_.run({"doctor"}).out, HasSubstr("talaria serve --replace"));
  EXPECT_EQ(status_of(house_.process("poll", later)), "completed") << "the gateway has it still";
  EXPECT_EQ(inode(), placed);
  EXPECT_EQ(house_.run({"serve", "--replace"}).code, 0);
  EXPECT_EQ(inode(), placed);
  EXPECT_EQ(status_of(house_.process("poll", id_)), "completed");
  EXPECT_THAT(text_of(house_.process("poll", later)), HasSubstr("No job found"));
}

TEST_F(RemovedDatabaseTest, AStopRightAfterTheRemovalLosesNothing) {
  await("the row is stored", [&] { return rows(id_) == 1; });
  for (const char* suffix : {"", "-wal", "-shm"}) ASSERT_EQ(::unlink(path(suffix).c_str()), 0) << suffix;
  const Ran stopped = house_.run({"serve", "--stop"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_EQ(rows(id_), 1);
  EXPECT_EQ(status_of(house_.process("poll", id_)), "completed");
}

TEST_F(RemovedDatabaseTest, AStopSaysThatItCouldNotBeWrittenAgain) {
  ASSERT_TRUE(make_directories(path("-again")));  // where it would be written
  ASSERT_EQ(::unlink(path().c_str()), 0);
  EXPECT_THAT(house_.run({"serve", "--stop"}).err, HasSubstr("could not be written again"));
}

}  // namespace
}  // namespace talaria
