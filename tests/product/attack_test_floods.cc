// Taking more than a share ends at a limit, which the result names, and leaves nothing behind.
#include "os/file.h"
#include "product/attack_test_fixture.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t mebibyte = 1 << 20;

class FloodTest : public AttackTest {
 protected:
  FloodTest() {
    bait_.set("flood_mebibytes", "320");
    bait_.set("flood_inodes", "20000");
    bait_.set("flood_processes", "200");
    bait_.write_list();
    limit("memory_bytes", 128 * mebibyte);
    limit("processes", 60);
    limit("growth_bytes", 96 * mebibyte);
    limit("file_bytes", 80 * mebibyte);
    limit("tmp_bytes", 24 * mebibyte);
    limit("tmp_inodes", 500);
    configure("sandbox.profile", "small");
  }
  void limit(const std::string& name, int64_t value) {
    configure("sandbox.profiles.small.limits." + name, std::to_string(value));
  }
  JsonObject flood(const std::string& name) { return run("./attack bait-list floods/" + name, {{"timeout", 40}}); }
  void expect_stopped(const std::string& name, const std::string& which) {
    const JsonObject result = flood(name);
    EXPECT_EQ(status_of(result), "failed") << name << ": " << write_json(result);
    EXPECT_EQ(text_or(details_of(result), "reason"), "limit") << name;
    const JsonObject* why = object_or_null(details_of(result), "stopped_by");
    ASSERT_TRUE(why) << name << ": " << write_json(result);
    EXPECT_EQ(text_or(*why, "limit"), which) << name;
    EXPECT_GT(integer_or(*why, "peak"), 0) << name;
  }
  void expect_refused(const std::string& name, const std::string& answer) {
    const JsonObject result = flood(name);
    EXPECT_THAT(text_of(result), StartsWith("held: floods/" + name)) << write_json(result);
    EXPECT_THAT(text_of(result), HasSubstr(answer));
  }
};

TEST_F(FloodTest, MemoryEndsAtItsLimitHoweverItIsTaken) {
  for (const char* name : {"memory", "shared_memory", "memory_of_many", "files_in_memory"}) {
    expect_stopped(name, "memory");
  }
}

// What stays in memory without a process: detached segments, and files in /tmp.
TEST_F(FloodTest, MemoryOfNoProcessEndsAtItsLimit) {
  const JsonObject segments = flood("segments");  // refused by the kernel, or stopped
  EXPECT_THAT(text_of(segments), testing::Not(HasSubstr("BROKE"))) << write_json(segments);
  run("ipcs -m | awk '/0x/ {print $2}' | xargs -rn1 ipcrm -m");
  limit("tmp_bytes", 512 * mebibyte);
  expect_stopped("temporary_folder", "memory");
}

TEST_F(FloodTest, EmptyFilesEndAtTheirLimit) {
  bait_.set("flood_inodes", "200000");
  bait_.write_list();
  limit("files", 3000);
  expect_stopped("workspace_inodes", "files");
  EXPECT_LT(list_directory(house_.workspace() + "/many")->size(), 150'000u);
}

TEST_F(FloodTest, PrivateFoldersAreFullAtTheirSize) {
  for (const char* name : {"temporary_folder", "shm_folder", "private_home", "temporary_inodes", "home_inodes"}) {
    expect_refused(name, "ENOSPC");
  }
  expect_refused("shm_inodes", "ENOSPC");
}

TEST_F(FloodTest, TheWorkspaceGrowsToItsLimit) {
  for (const char* name : {"workspace", "workspace_by_many"}) {
    expect_stopped(name, "disk");
    run("rm -f flood-*");
  }
  expect_refused("workspace_allocated", "EOPNOTSUPP");
  expect_refused("large_file", "EFBIG");
}

TEST_F(FloodTest, ProcessesAndThreadsEndAtTheirLimit) {
  expect_refused("threads", "EAGAIN");
  const JsonObject bomb = run("./attack bait-list floods/fork_bomb", {{"timeout", 5}});
  EXPECT_THAT(text_of(bomb), testing::Not(HasSubstr("BROKE"))) << write_json(bomb);
}

TEST_F(FloodTest, DescriptorsAndArgumentsEnd) {
  expect_refused("many_descriptors", "EMFILE");
  expect_refused("large_arguments", "ended with");
}

TEST_F(FloodTest, OutputIsCutAndKeptWithinBounds) {
  configure("exec.max_log_bytes", std::to_string(4 * mebibyte));
  const JsonObject result = run("yes attack | head -c 300M; echo; echo the end");
  EXPECT_TRUE(boolean_or(details_of(result), "truncated")) << write_json(details_of(result));
  EXPECT_THAT(text_of(result), HasSubstr("the end"));
  EXPECT_LT(text_of(result).size(), static_cast<size_t>(mebibyte));
}

}  // namespace
}  // namespace talaria
