// Somebody removes or replaces the sockets, or their folder, under a live gateway and keeper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/lock_holder.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RemovedSocketTest : public testing::Test {
 protected:
  void SetUp() override {
    gateway_ = house_.gateway_pid();
    keeper_ = house_.keeper_pid();
  }
  std::string start_job() { return id_of(house_.exec("echo begun; sleep 300", {{"background", true}})); }
  // Asked in the way of a person: nothing that the test holds open leads to the gateway.
  void expect_same_gateway_and_job(const std::string& job) {
    const Ran status = house_.run({"serve", "--status", "--json"});
    EXPECT_EQ(status.code, 0) << status.err;
    const Result<JsonObject> told = parse_json_object(status.out);
    ASSERT_TRUE(told) << status.out;
    EXPECT_EQ(integer_or(*told, "pid"), gateway_);
    EXPECT_EQ(integer_or(*told, "keeper_pid"), keeper_);
    EXPECT_THAT(house_.run({"ps"}).out, HasSubstr(job));
  }

  PlainHouse house_;
  pid_t gateway_ = 0, keeper_ = 0;
};

TEST_F(RemovedSocketTest, AGatewayListensAgainWhateverBecameOfItsSocket) {
  const std::string job = start_job();
  const std::string socket = house_.home().gateway_socket();
  const std::vector<std::function<void()>> ways = {
      [&] { ::unlink(socket.c_str()); },
      [&] { ASSERT_TRUE(remove_tree(house_.home().runtime)); },
      [&] { ASSERT_TRUE(write_file_atomically(socket, "no socket")); },
      [&] {
        ::unlink(socket.c_str());
        ASSERT_EQ(::symlink("/no/such/file", socket.c_str()), 0);
      },
  };
  for (const auto& way : ways) {
    way();
    expect_same_gateway_and_job(job);
  }
}

TEST_F(RemovedSocketTest, AGatewayWhoseLockWasRemovedTakesItAgain) {
  const std::string lock = house_.home().gateway_lock();
  ::unlink(lock.c_str());
  await("the lock", [&] { return *holder_of(lock) == LockHolder{true, gateway_}; });
  ASSERT_TRUE(remove_tree(house_.home().runtime));
  expect_same_gateway_and_job(start_job());
}

TEST_F(RemovedSocketTest, AKeeperIsFoundAgainByTheNextGatewayWithItsJobs) {
  const std::string job = start_job();
  const int64_t pid = integer_or(details_of(house_.process("poll", job)), "pid");
  house_.kill_gateway();
  ASSERT_TRUE(remove_tree(house_.home().runtime));
  const Ran ran = house_.run({"exec", "echo fine"});
  EXPECT_EQ(ran.out, "fine\n") << ran.err;
  gateway_ = house_.gateway_pid();
  expect_same_gateway_and_job(job);
  EXPECT_EQ(integer_or(details_of(house_.process("poll", job)), "pid"), pid);
}

TEST_F(RemovedSocketTest, AGatewayThatCannotBeReachedIsNamedAndStopped) {
  const std::string job = start_job();
  ::kill(gateway_, SIGSTOP);
  ::unlink(house_.home().gateway_socket().c_str());
  const std::string name = "pid " + std::to_string(gateway_);
  Running doctor = house_.start({"doctor", "--json"}), status = house_.start({"serve", "--status", "--json"}),
          list = house_.start({"ps"});
  for (Running* program : {&doctor, &status, &list}) program->close_input();
  const Ran told = status.finish(), complained = list.finish(), examined = doctor.finish();
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.out, AllOf(HasSubstr("\"answers\""), HasSubstr(std::to_string(gateway_))));
  EXPECT_NE(complained.code, 0);
  EXPECT_THAT(complained.err, AllOf(HasSubstr(name), HasSubstr("talaria serve --stop")));
  EXPECT_EQ(examined.code, 1);
  EXPECT_THAT(examined.out, AllOf(HasSubstr(name), HasSubstr("talaria serve --stop")));
  const Ran stopped = house_.run({"serve", "--stop"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_THAT(stopped.err, AllOf(HasSubstr(name), HasSubstr("SIGTERM")));
  EXPECT_FALSE(holder_of(house_.home().gateway_lock())->held);
  EXPECT_THAT(house_.run({"ps"}).out, HasSubstr(job));
}

TEST_F(RemovedSocketTest, AGatewayThatDoesNotAnswerIsReplaced) {
  const std::string job = start_job();
  ::kill(gateway_, SIGSTOP);
  const Ran replaced = house_.run({"serve", "--replace"});
  EXPECT_EQ(replaced.code, 0) << replaced.err;
  EXPECT_THAT(replaced.err, HasSubstr("pid " + std::to_string(gateway_)));
  EXPECT_NE(house_.gateway_pid(), gateway_);
  EXPECT_EQ(house_.keeper_pid(), keeper_);
  EXPECT_THAT(house_.run({"ps"}).out, HasSubstr(job));
}

}  // namespace
}  // namespace talaria
