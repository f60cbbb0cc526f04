#include "store/database.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "store/scratch_folder.h"

namespace talaria {
namespace {

using testing::HasSubstr;

class DatabaseTest : public testing::Test {
 protected:
  Database open() {
    Result<Database> opened = Database::open(folder_.database());
    CHECK(opened);
    return *std::move(opened);
  }
  static void execute(Database& database, const std::string& sql) {
    Result<> done = database.execute(sql, "test");
    ASSERT_TRUE(done) << done.error().message();
  }
  static int64_t count(Database& database) {
    Result<Statement> statement = database.prepare("SELECT count(*) FROM t", "count");
    CHECK(statement && *statement->step());
    int64_t number = 0;
    statement->read(number);
    return number;
  }

  ScratchFolder folder_;
};

TEST_F(DatabaseTest, MakesTheFilePrivate) {
  Database database = open();
  struct stat info {};
  ASSERT_EQ(::stat(folder_.database().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(DatabaseTest, BindsAndReadsEveryKindOfValue) {
  Database database = open();
  execute(database, "CREATE TABLE t (a INTEGER, b TEXT, c INTEGER, d TEXT, e BLOB, f INTEGER, g TEXT) STRICT");
  const std::string text("naïve\0text", 11);
  const std::optional<std::string> bytes(std::string("\xff\0\xfe", 3));
  {
    Result<Statement> insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", "insert");
    ASSERT_TRUE(insert);
    insert->bind(int64_t{-1} << 40, text, true, std::optional<std::string>()).bind_bytes(bytes);
    Result<int64_t> changed = insert->bind(uint64_t{1} << 63, "").run();
    ASSERT_TRUE(changed) << changed.error().message();
    EXPECT_EQ(*changed, 1);
  }
  Result<Statement> select = database.prepare("SELECT * FROM t", "select");
  ASSERT_TRUE(select && *select->step());
  int64_t a = 0;
  std::string b;
  bool c = false;
  std::optional<std::string> d = "old";
  std::optional<std::string> e;
  uint64_t f = 0;
  std::optional<std::string> g;
  select->read(a, b, c, d, e, f, g);
  EXPECT_EQ(std::tie(a, b, c, d, e, f),
            std::make_tuple(int64_t{-1} << 40, text, true, std::optional<std::string>(), bytes, uint64_t{1} << 63));
  EXPECT_EQ(g, "");
}

TEST_F(DatabaseTest, UsesTheSameStatementTwiceAtOnce) {
  Database database = open();
  execute(database, "CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (1), (2)");
  Result<Statement> outer = database.prepare("SELECT a FROM t ORDER BY a", "read");
  ASSERT_TRUE(outer && *outer->step());
  Result<Statement> inner = database.prepare("SELECT a FROM t ORDER BY a", "read");
  ASSERT_TRUE(inner && *inner->step());
  ASSERT_TRUE(*inner->step());
  int64_t first = 0;
  int64_t second = 0;
  outer->read(first);
  inner->read(second);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

TEST_F(DatabaseTest, ForgetsBindingsBetweenUses) {
  Database database = open();
  const std::string sql = "SELECT ?";
  { ASSERT_TRUE(*database.prepare(sql, "read")->bind(7).step()); }
  Result<Statement> again = database.prepare(sql, "read");
  ASSERT_TRUE(again && *again->step());
  std::optional<int64_t> value = 1;
  again->read(value);
  EXPECT_EQ(value, std::nullopt);
}

TEST_F(DatabaseTest, UndoesATransactionThatIsNotCommitted) {
  Database database = open();
  execute(database, "CREATE TABLE t (a INTEGER) STRICT");
  {
    Result<Transaction> transaction = Transaction::begin(database);
    ASSERT_TRUE(transaction);
    execute(database, "INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(count(database), 0);
  {
    Result<Transaction> transaction = Transaction::begin(database);
    ASSERT_TRUE(transaction);
    execute(database, "INSERT INTO t VALUES (1)");
    ASSERT_TRUE(transaction->commit());
  }
  EXPECT_EQ(count(database), 1);
}

TEST_F(DatabaseTest, SaysThatTheDiskIsFullAndKeepsWhatWasThere) {
  Database database = open();
  execute(database, "CREATE TABLE t (a BLOB) STRICT; INSERT INTO t VALUES (x'00'); PRAGMA max_page_count = 3");
  Result<> written = ok;
  {
    Result<Transaction> transaction = Transaction::begin(database);
    ASSERT_TRUE(transaction);
    written = database.execute("INSERT INTO t VALUES (zeroblob(100000))", "record a job");
  }
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::system);
  EXPECT_EQ(written.error().message(), "record a job in " + folder_.database() +
                                           ": the disk is full. Nothing of it was written; free some space and try "
                                           "again");
  EXPECT_TRUE(means_full_disk(written.error()));
  EXPECT_EQ(count(database), 1);
  execute(database, "INSERT INTO t VALUES (x'01')");
}

TEST_F(DatabaseTest, SaysThatAnotherHasItLocked) {
  Database holder = open();
  execute(holder, "CREATE TABLE t (a INTEGER) STRICT; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  Result<Database> second = Database::open(folder_.database());
  Result<> read = second ? second->execute("SELECT * FROM t", "read") : Result<>(second.error());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::conflict);
  EXPECT_THAT(read.error().message(), HasSubstr(folder_.database() + ": another process has it locked"));
}

TEST_F(DatabaseTest, SaysThatAFileIsDamaged) {
  ASSERT_TRUE(write_file_atomically(folder_.database(), std::string(8192, 'x')));
  Result<Database> opened = Database::open(folder_.database());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(opened.error().message(), HasSubstr("the file is damaged"));
}

}  // namespace
}  // namespace talaria
