#include "store/database_holder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/socket.h"
#include "store/database.h"
#include "store/scratch_folder.h"

namespace talaria {
namespace {

TEST(DatabaseHolderTest, IsReadFromTheKernelsList) {
  const std::string locks =
      "1: POSIX  ADVISORY  READ  11 fe:01:77 123 123\n"
      "2: POSIX  ADVISORY  WRITE 12 fe:01:78 120 120\n"
      "2: -> POSIX  ADVISORY  WRITE 13 fe:01:77 120 120\n"
      "3: FLOCK  ADVISORY  WRITE 14 fe:01:79 0 EOF\n"
      "4: POSIX  ADVISORY  WRITE 15 fe:01:77 120 121\n";
  EXPECT_EQ(lock_owner_in(locks, 77, 120, 1), 15);
  EXPECT_EQ(lock_owner_in(locks, 77, 122, 1), 0);
  EXPECT_EQ(lock_owner_in(locks, 77, 120, 15), 0);
  EXPECT_EQ(lock_owner_in(locks, 79, 120, 1), 14);
  EXPECT_EQ(lock_owner_in("nonsense\n\n5: POSIX", 77, 120, 1), 0);
}

TEST(DatabaseHolderTest, NamesTheProcessThatWrites) {
  const ScratchFolder folder;
  Result<Database> database = Database::open(folder.database());
  ASSERT_TRUE(database && database->execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER) STRICT", "test"));
  EXPECT_EQ(find_database_holder(folder.database()), std::nullopt);
  auto [ready_read, ready_write] = *make_pipe();
  auto [end_read, end_write] = *make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    // SQLite refuses a connection that a fork carried over, so a new one.
    Result<Database> own = Database::open(folder.database());
    const bool locked = own && own->execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)", "test");
    char byte = locked ? 'y' : 'n';
    (void)!::write(ready_write.get(), &byte, 1);
    end_write.reset();
    (void)!::read(end_read.get(), &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready_read.get(), &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const std::optional<DatabaseHolder> holder = find_database_holder(folder.database());
  end_write.reset();
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->pid, child);
  EXPECT_EQ(shown(*holder), holder->name + " (pid " + std::to_string(child) + ")");
}

}  // namespace
}  // namespace talaria
