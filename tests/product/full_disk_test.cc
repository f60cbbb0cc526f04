// A home on a disk that is full: nothing free to write into, or no inode for a new file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::MatchesRegex;

// How the disk of the home is made and filled, as shell functions: mount_home and fill.
struct FullDisk {
  const char* name;
  const char* mount;  // its options
  const char* fill;
};

// Some file systems count a block's last bytes to its file: the second one takes them.
const FullDisk no_bytes{"NoBytes", "size=3m",
                        "cat /dev/zero > \"$TALARIA_HOME/filler\"; cat /dev/zero > \"$TALARIA_HOME/filler.2\""};
const FullDisk no_inodes{"NoInodes", "size=3m,nr_inodes=150",
                         "i=0; while : > \"$TALARIA_HOME/filler.$i\"; do i=$((i + 1)); done"};

class FullDiskTest : public testing::TestWithParam<FullDisk> {
 protected:
  // Runs the script in a mount namespace of its own, where the home is that disk.
  Ran run(const std::string& script) {
    EXPECT_TRUE(make_directories(house_.root()));
    const std::string talaria = program_path("talaria");
    const std::string begin = std::string("PATH=$1:$PATH; kind=$2\nmount -t tmpfs -o mode=0700,") + GetParam().mount +
                              " none \"$TALARIA_HOME\" || exit 9\n" + functions + "fill() { { " + GetParam().fill +
                              "; } 2> /dev/null; }\n";
    Running running =
        house_.start_program("/usr/bin/unshare", {"--map-root-user", "--mount", "bash", "-c",
                                                  begin + script + "\ntalaria serve --stop --end-jobs > /dev/null\n",
                                                  "bash", talaria.substr(0, talaria.rfind('/')), GetParam().name});
    running.close_input();
    return running.finish();
  }

  static constexpr const char* functions = R"sh(
    printf 'exec:\n  host: gateway\n' > "$TALARIA_HOME/config.yaml"
    free() { rm -f "$TALARIA_HOME"/filler*; }
    status() { talaria serve --status --json | tr ',' '\n'; }
    pid_of() { status | sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p"; }
    # Until a command succeeds; the test's time limit is the end of its patience.
    until_true() { until "$@" > /dev/null 2>&1; do sleep 0.02; done; }
    is_over() { [ ! -e "/proc/$1" ] || grep -q '^State:[[:space:]]*Z' "/proc/$1/status"; }
    end() { kill -9 "$1"; until_true is_over "$1"; }
    # A job that runs, another that has ended, and the reserve are there; then the disk is full.
    begin() {
      running=$(talaria exec -b 'echo one; sleep 300')
      talaria exec 'seq 20000' > /dev/null
      until_true test -e "$TALARIA_HOME/reserve/8"
      until_true test -s "$TALARIA_HOME/jobs/$running/output"
      fill
    }
)sh";

  House house_;
};

TEST_P(FullDiskTest, JobsRunAreReadAndEndAndStatusSaysWhatIsNotKept) {
  const Ran ran = run(R"sh(
    begin
    mkdir -p other; cd other
    talaria exec 'echo two; exit 3'; echo "code $?"
    talaria log "$running"
    talaria ps | grep -c "$running"
    talaria kill "$running" > /dev/null; echo "killed $?"
    [ "$kind" = NoInodes ] || until_true eval 'status | grep "the disk is full"'
    free
    until_true eval '! status | grep "the disk is full"'
    grep -c 'the disk is full' "$TALARIA_HOME/logs/gateway.log"
    end "$(pid_of pid)"
    talaria ps | grep -c 'echo two')sh");
  // The log had no room for its line while there was none.
  EXPECT_THAT(ran.out, MatchesRegex("two\ncode 3\none\n1\nkilled 0\n[01]\n1\n")) << ran.err;
}

TEST_P(FullDiskTest, AGatewayThatWasKilledStartsAgainAndHasTheJobs) {
  const Ran ran = run(R"sh(
    begin
    talaria exec 'echo before; exit 4'; echo "code $?"
    end "$(pid_of pid)"
    talaria log "$running"
    talaria ps | grep -c "$running"
    talaria exec 'echo after'; echo "code $?"
    talaria kill "$running" > /dev/null; echo "killed $?")sh");
  EXPECT_EQ(ran.out, "before\ncode 4\none\n1\nafter\ncode 0\nkilled 0\n") << ran.err;
}

TEST_P(FullDiskTest, EverythingStartsAgainWhenNothingIsLeftRunning) {
  const Ran ran = run(R"sh(
    begin
    keeper=$(pid_of keeper_pid)
    end "$(pid_of pid)"
    end "$keeper"
    rm -f "$TALARIA_HOME"/run/keeper.* "$TALARIA_HOME"/run/*.sock "$TALARIA_HOME"/logs/* "$TALARIA_HOME"/talaria.db-shm
    fill
    talaria exec 'echo after'; echo "code $?"
    talaria log "$running" | grep -c one)sh");
  EXPECT_EQ(ran.out, "after\ncode 0\n1\n") << ran.err;
}

TEST_P(FullDiskTest, AGatewayStartsAlsoWhenTheReserveIsSpent) {
  const Ran ran = run(R"sh(
    begin
    rm -f "$TALARIA_HOME"/reserve/*
    end "$(pid_of pid)"
    fill
    talaria exec 'echo after'; echo "code $?"
    talaria log "$running")sh");
  EXPECT_EQ(ran.out, "after\ncode 0\none\n") << ran.err;
}

TEST_P(FullDiskTest, WhatIsRemovedMakesRoom) {
  const Ran ran = run(R"sh(
    begin
    big=$(talaria ps | grep 'seq 20000' | grep -o '^[a-z0-9]\{8\}')
    talaria rm "$big" > /dev/null; echo "code $?"
    until_true test ! -e "$TALARIA_HOME/jobs/$big"
    talaria ps | grep -c "$big"
    until_true eval '! status | grep "the disk is full"'; echo kept)sh");
  EXPECT_EQ(ran.out, "code 0\n0\nkept\n") << ran.err;
}

TEST_P(FullDiskTest, WhatIsRemovedStaysSoWhenTheGatewayIsKilled) {
  const Ran ran = run(R"sh(
    short=$(talaria exec -b 'echo short')
    talaria wait "$short" > /dev/null
    begin
    big=$(talaria ps | grep 'seq 20000' | grep -o '^[a-z0-9]\{8\}')
    talaria rm "$short" > /dev/null; echo "code $?"
    talaria rm "$big" > /dev/null; echo "code $?"
    until_true test ! -e "$TALARIA_HOME/jobs/$big"
    fill
    end "$(pid_of pid)"
    fill
    talaria ps | grep -c -e "$short" -e "$big"
    free
    end "$(pid_of pid)"
    talaria ps | grep -c -e "$short" -e "$big"
    talaria ps | grep -c "$running")sh");
  EXPECT_EQ(ran.out, "code 0\ncode 0\n0\n0\n1\n") << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Of, FullDiskTest, testing::Values(no_bytes, no_inodes),
                         [](const auto& disk) { return std::string(disk.param.name); });

}  // namespace
}  // namespace talaria
