// No memory: the keeper goes on, and so do its jobs; a gateway may end, and the next one knows everything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;

// What it may map from now on, beside what it has. Only the soft limit, so that anybody may lift it.
void leave_it(pid_t pid, uint64_t bytes) {
  const Result<std::string> sizes = read_file("/proc/" + std::to_string(pid) + "/statm");
  ASSERT_TRUE(sizes) << sizes.error().message();
  const uint64_t mapped = std::stoull(*sizes) * static_cast<uint64_t>(::getpagesize());
  const rlimit limit{mapped + bytes, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(pid, RLIMIT_AS, &limit, nullptr), 0);
}

void lift(pid_t pid) {
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(pid, RLIMIT_AS, &none, nullptr), 0);
}

// Whatever becomes of it.
void try_exec(House& house, const std::string& command) {
  RpcClient client = house.connect();
  (void)client.call_object("tools/call", {{"name", "exec"},
                                          {"arguments", JsonObject{{"command", command}, {"timeout", 20}}},
                                          {"client", "cli"},
                                          {"session", JsonObject{{"cwd", house.workspace()}}}});
}

TEST(MemoryTest, AKeeperWithoutMemoryGoesOnAndSoDoItsJobs) {
  PlainHouse house;
  const std::string before = id_of(house.exec("echo begun; read word; echo got $word", {{"background", true}}));
  const pid_t keeper = house.keeper_pid();
  for (const uint64_t left : {0, 64 << 10, 512 << 10, 4 << 20}) {
    leave_it(keeper, left);
    for (int i = 0; i < 5; ++i) try_exec(house, "seq 1 400000; echo $(head -c 100000 /dev/zero | tr '\\0' x)");
    lift(keeper);
    await("service", [&] { return text_of(house.exec("echo served")) == "served\n"; });
  }
  EXPECT_EQ(house.keeper_pid(), keeper);
  EXPECT_EQ(status_of(house.process("write", before, {{"data", "word\n"}})), "running");
  await("its answer", [&] { return text_of(house.process("log", before)).find("got word") != std::string::npos; });
}

TEST(MemoryTest, AGatewayWithoutMemoryEndsWithAWordAndTheNextOneGoesOn) {
  PlainHouse house;
  const std::string job = id_of(house.exec("echo begun; sleep 1000", {{"background", true}}));
  const pid_t gateway = house.gateway_pid(), keeper = house.keeper_pid();
  RpcClient client = house.connect();
  leave_it(gateway, 1 << 20);
  (void)client.call("tools/list", {{"client", std::string(12 << 20, 'x')}});
  await("the gateway to end", [&] { return ::kill(gateway, 0) != 0; });
  EXPECT_THAT(*read_file(house.home().logs() + "/gateway.log"), HasSubstr("talaria-gateway: ends: out of memory\n"));
  EXPECT_EQ(status_of(house.process("poll", job)), "running");
  EXPECT_EQ(house.keeper_pid(), keeper);
  EXPECT_NE(house.gateway_pid(), gateway);
}

}  // namespace
}  // namespace talaria
