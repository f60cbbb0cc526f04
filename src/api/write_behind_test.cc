#include "api/write_behind.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/socket.h"
#include "store/scratch_folder.h"

namespace talaria {
namespace {

// A process that has done something to a database and stays until it is let go.
class Neighbour {
 public:
  explicit Neighbour(const std::function<bool()>& act) {
    auto [ready_read, ready_write] = *make_pipe();
    auto [end_read, end_write] = *make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
      char byte = act() ? 'y' : 'n';
      (void)!::write(ready_write.get(), &byte, 1);
      end_write.reset();
      (void)!::read(end_read.get(), &byte, 1);
      ::_exit(0);
    }
    char byte = 0;
    CHECK(::read(ready_read.get(), &byte, 1) == 1 && byte == 'y');
    end_ = std::move(end_write);
  }
  ~Neighbour() { leave(); }
  void leave() {
    if (!end_) return;
    end_.reset();
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
  UniqueFd end_;
};

TEST(WriteNoticeTest, NamesWhoLocksTheDatabaseBeforeAnythingHadToWait) {
  const ScratchFolder folder;
  const Result<Store> store = Store::open(folder.database());
  ASSERT_TRUE(store);
  EXPECT_EQ(write_notice(*store, Locks::all), "");
  Neighbour neighbour([&] {
    static Result<Database> own = Database::open(folder.database());
    return own && own->execute("BEGIN IMMEDIATE", "test");
  });
  EXPECT_THAT(write_notice(*store, Locks::all), testing::HasSubstr("is locked by "));
  neighbour.leave();
  EXPECT_EQ(write_notice(*store, Locks::all), "");
}

// The kernel's list of locks is read only when something cannot be written: to make it, the kernel stops every process
// that locks a file, and who reads it waits for that.
TEST(WriteNoticeTest, AsksNobodyWhileTheDatabaseCanBeWritten) {
  const ScratchFolder folder;
  const Result<Store> store = Store::open(folder.database());
  ASSERT_TRUE(store);
  // In that list it looks as if it locked all of the file, but SQLite does not mind it.
  Neighbour neighbour([&] {
    const int fd = ::open((folder.database() + "-shm").c_str(), O_RDWR | O_CLOEXEC);
    return ::flock(fd, LOCK_EX) == 0;
  });
  EXPECT_EQ(write_notice(*store, Locks::all), "");
}

}  // namespace
}  // namespace talaria
