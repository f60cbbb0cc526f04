// Output that is lost, to a full disk or to somebody who removes files: it is said once, at its place, and an end is an
// end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/file.h"
#include "product/house.h"
#include "rpc/base64.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* gone_reason = "its files are gone (jobs.max_total_bytes was reached, or somebody removed them)";

std::string sequence(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
  return text;
}

std::string text_of_file(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? *text : "(none)";
}

std::string lost_line(size_t bytes, const std::string& because) {
  return "[" + with_commas(bytes) + " bytes of output were lost: " + because + "]\n";
}

class LostOutputTest : public testing::Test {
 protected:
  // A script in namespaces of its own, whose jobs have a disk of 4 KB. The gateway it starts is in them, too, and goes
  // with the house.
  Ran run_on_small_disk(const std::string& script) {
    EXPECT_TRUE(make_directories(house_.home().jobs()));
    const std::string talaria = program_path("talaria");
    Running running = house_.start_program(
        "/usr/bin/unshare",
        {"--map-root-user", "--mount", "sh", "-c",
         "PATH=$1:$PATH\nmount -t tmpfs -o size=4k,mode=0700 none \"$TALARIA_HOME/jobs\" || exit 9\n" + script, "sh",
         talaria.substr(0, talaria.rfind('/'))});
    running.close_input();
    return running.finish();
  }
  std::string text_in(const std::string& name) { return text_of_file(house_.workspace() + "/" + name); }

  // One that ended with so much output that it is in files.
  std::string long_job() {
    const std::string id(trim(house_.run({"exec", "-b", "seq 30000"}).out));
    EXPECT_EQ(house_.run({"wait", id}).code, 0);
    await("its output to be all on disk",
          [&] { return text_of_file(house_.home().job(id) + "/output").size() == sequence(30000).size(); });
    return id;
  }

  PlainHouse house_;
};

TEST_F(LostOutputTest, AFullDiskCostsTheRestAndEverybodyIsToldOnce) {
  const Ran ran = run_on_small_disk(R"(
    talaria exec --no-stdin 'seq 15000' > out 2> err; echo "exec $?"
    id=$(talaria ps -q)
    for command in --raw --follow; do
      talaria log $command $id > out$command 2> err$command; echo "log $?"
    done
    talaria log $id > log 2> /dev/null
    talaria log --offset 0 --limit 1 $id 2> /dev/null
    talaria wait --until 'never printed' $id > /dev/null 2>&1; echo "wait $?")");
  EXPECT_EQ(ran.out, "exec 125\nlog 0\nlog 0\n1\nwait 1\n") << ran.err;
  const std::string whole = sequence(15000), out = text_in("out");
  ASSERT_LT(out.size(), whole.size());
  ASSERT_GE(out.size(), 1u << 16);
  EXPECT_TRUE(whole.starts_with(out));
  const std::string lost = lost_line(whole.size() - out.size(), "the disk was full");
  EXPECT_EQ(text_in("err"), lost + "talaria: the output is not whole; the command's own exit code was 0\n");
  for (const std::string command : {"--raw", "--follow"}) {
    EXPECT_EQ(text_in("out" + command), out) << command;
    EXPECT_EQ(text_in("err" + command), lost) << command;
  }
  EXPECT_THAT(text_in("log"), HasSubstr("[… " + with_commas(whole.size() - out.size()) +
                                        " bytes of output were lost: the disk was full …]"));
}

// Nobody takes it for all there was, so the exit code is the command's.
TEST_F(LostOutputTest, AResultSaysWhatIsMissingAndTheExitCodeStays) {
  const Ran ran = run_on_small_disk(R"(
    talaria exec --json 'seq 15000' > result; echo "exec $?"
    talaria exec --json 'seq 15000; exit 3' > /dev/null; echo "exec $?")");
  EXPECT_EQ(ran.out, "exec 0\nexec 3\n") << ran.err;
  const Result<JsonObject> result = parse_json_object(text_in("result"));
  ASSERT_TRUE(result) << text_in("result");
  const int64_t lost = integer_or(details_of(*result), "lostBytes");
  EXPECT_GT(lost, 0);
  EXPECT_LE(lost, static_cast<int64_t>(sequence(15000).size() - (1u << 16)));
  EXPECT_THAT(text_of(*result), HasSubstr("part of the output was lost"));
}

TEST_F(LostOutputTest, WhatIsPrintedAfterTheDiskHasRoomAgainFollowsTheGap) {
  const Ran ran = run_on_small_disk(R"(
    cat /dev/zero > "$TALARIA_HOME/jobs/filler" 2> /dev/null
    talaria exec --no-stdin 'seq 15000; touch printed; until [ -e room ]; do sleep 0.02; done; echo the end' \
      > out 2> err &
    until [ -e printed ]; do sleep 0.02; done
    id=$(talaria ps -q)
    until talaria log $id 2> /dev/null | grep -q 'disk was full'; do sleep 0.02; done
    rm "$TALARIA_HOME/jobs/filler"; touch room
    wait $!; echo "exec $?"
    talaria log --follow $id > again 2> /dev/null; echo "log $?")");
  EXPECT_EQ(ran.out, "exec 125\nlog 0\n") << ran.err;
  const std::string whole = sequence(15000), out = text_in("out");
  ASSERT_TRUE(out.ends_with("the end\n")) << out.substr(out.size() - 100);
  const std::string kept = out.substr(0, out.size() - 8);
  EXPECT_TRUE(whole.starts_with(kept));
  EXPECT_THAT(text_in("err"), StartsWith(lost_line(whole.size() - kept.size(), "the disk was full")));
  EXPECT_EQ(text_in("again"), out);
}

TEST_F(LostOutputTest, ShortOutputIsWholeOnAFullDisk) {
  const Ran ran = run_on_small_disk(R"(
    cat /dev/zero > "$TALARIA_HOME/jobs/filler" 2> /dev/null
    talaria exec --no-stdin 'seq 1000; sleep 0.2; echo the end' > out 2> err; echo "exec $?"
    talaria log --raw $(talaria ps -q) > again)");
  EXPECT_EQ(ran.out, "exec 0\n") << ran.err;
  EXPECT_EQ(text_in("out"), sequence(1000) + "the end\n");
  EXPECT_EQ(text_in("again"), sequence(1000) + "the end\n");
  EXPECT_EQ(text_in("err"), "");
}

TEST_F(LostOutputTest, AJobWhoseFilesWereRemovedEndsItsFollowersAndSaysWhy) {
  const std::string id = long_job();
  ASSERT_TRUE(remove_tree(house_.home().job(id)));
  const std::string size = with_commas(sequence(30000).size());
  for (const char* how : {"--follow", "--raw"}) {
    const Ran followed = house_.run({"log", how, id});
    EXPECT_EQ(followed.code, 0);
    EXPECT_EQ(followed.out, "");
    EXPECT_EQ(followed.err, lost_line(sequence(30000).size(), gone_reason)) << how;
  }
  EXPECT_THAT(house_.run({"log", id}).err, HasSubstr(gone_reason));
  EXPECT_THAT(house_.run({"poll", id}).out, HasSubstr(size + " bytes of output were lost: " + gone_reason));
  EXPECT_EQ(house_.run({"wait", "--until", "never printed", id}).code, 1);
}

TEST_F(LostOutputTest, FilesRemovedUnderAFollowerCostTheRestAndNotTheEnd) {
  Running running = house_.start(
      {"exec", "--no-stdin", "seq 30000; until [ -e go ]; do sleep 0.02; done; seq 30000; echo the end; exit 3"});
  running.await_output("\n30000\n");
  const std::string id(trim(house_.run({"ps", "-q"}).out));
  ASSERT_TRUE(remove_tree(house_.home().job(id)));
  ASSERT_TRUE(write_file_atomically(house_.workspace() + "/go", "", 0600, Durable::no));
  const Ran ran = running.finish();
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, sequence(30000));
  EXPECT_THAT(ran.err, StartsWith(lost_line(sequence(30000).size() + 8, gone_reason)));
}

TEST_F(LostOutputTest, ASubscriberHearsOfALossOnceBeforeTheEnd) {
  const std::string id = long_job();
  ASSERT_TRUE(remove_tree(house_.home().job(id)));
  RpcClient client = house_.connect();
  ASSERT_TRUE(client.call("jobs/subscribe", {{"id", id}, {"offset", 100}, {"follow", "gone"}, {"client", "test"}}));
  const RpcMessage lost = *client.wait();
  const auto& output = std::get<RpcNotification>(lost);
  EXPECT_EQ(output.method, "jobs/output");
  const auto size = static_cast<int64_t>(sequence(30000).size());
  EXPECT_EQ(integer_or(output.params, "offset"), size);
  EXPECT_EQ(integer_or(output.params, "next"), size);
  EXPECT_EQ(text_or(output.params, "data"), "");
  EXPECT_EQ(integer_or(output.params, "lost"), size - 100);
  EXPECT_EQ(text_or(output.params, "lostBecause"), gone_reason);
  EXPECT_EQ(std::get<RpcNotification>(*client.wait()).method, "jobs/ended");
}

}  // namespace
}  // namespace talaria
