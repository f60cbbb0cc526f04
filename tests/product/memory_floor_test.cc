// Memory that shows in no process is bounded by what the machine has left. That a machine has little left is played
// here: the keeper reads a file of ours instead of /proc/meminfo.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>

#include "os/file.h"
#include "product/house.h"
#include "product/own_mounts.h"

namespace talaria {
namespace {

using testing::HasSubstr;

constexpr uint64_t mebibyte = 1 << 20;

// Takes up to 1.5 GiB, and goes on working then: 1 MiB in each file, sent along a socket and closed.
constexpr const char* files_in_flight = R"(
import os, socket
print('begun', flush=True)
block, pairs = b'x' * (1 << 20), []
for count in range(1500):
    if count % 100 == 0: pairs.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
    fd = os.memfd_create('flood')
    os.write(fd, block)
    socket.send_fds(pairs[-1][0], [b'x'], [fd])
    os.close(fd)
while True: os.getppid()
)";

constexpr const char* socket_buffers = R"(
import os, socket
print('begun', flush=True)
block, pairs = b'x' * 65536, []
for count in range(400):
    pairs.append(socket.socketpair())
    pairs[-1][0].setblocking(False)
    pairs[-1][0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    try:
        while True: pairs[-1][0].send(block)
    except BlockingIOError: pass
while True: os.getppid()
)";

// A machine of 16 GiB; always as many bytes, so that whoever reads sees the old ones or the new.
void write_meminfo(const std::string& path, uint64_t available) {
  char text[256];
  const int length =
      std::snprintf(text, sizeof text, "MemTotal:       %10d kB\nMemAvailable:   %10lu kB\nShmem:          %10d kB\n",
                    16 << 20, available >> 10, 0);
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::pwrite(file.get(), text, static_cast<size_t>(length), 0), length);
}

void expect_stopped_at_the_floor(const char* program) {
  in_own_mounts([program] {
    const std::string meminfo = testing::TempDir() + "meminfo-" + std::to_string(::getpid());
    write_meminfo(meminfo, 12ULL << 30);
    ASSERT_EQ(::mount(meminfo.c_str(), "/proc/meminfo", nullptr, MS_BIND, nullptr), 0);
    {
      House house;
      const std::string idle = id_of(house.exec("echo begun; exec sleep 1000", {{"background", true}}));
      ASSERT_TRUE(write_file_atomically(house.workspace() + "/flood.py", program));
      const std::string flood = id_of(house.exec("python3 flood.py", {{"background", true}}));
      await("the flood", [&] { return text_of(house.process("log", flood)).find("begun") != std::string::npos; });
      write_meminfo(meminfo, 100 * mebibyte);
      const JsonObject result = house.process("wait", flood, {{"timeout", 60'000}});
      const JsonObject* why = object_or_null(details_of(result), "stopped_by");
      ASSERT_TRUE(why) << write_json(result);
      EXPECT_EQ(*why, (JsonObject{{"limit", "memory_floor"}, {"max", 256 * mebibyte}, {"peak", 100 * mebibyte}}));
      EXPECT_THAT(text_of(result), HasSubstr("the whole machine had only 100 MiB left; 256 MiB must stay free"));
      EXPECT_EQ(text_or(details_of(result), "reason"), "limit");
      EXPECT_EQ(status_of(house.process("poll", idle)), "running");
      write_meminfo(meminfo, 12ULL << 30);
    }
    ::umount2("/proc/meminfo", MNT_DETACH);
    ::unlink(meminfo.c_str());
  });
}

TEST(MemoryFloorTest, FilesInFlightAreStoppedBeforeTheMachineHasNothingLeft) {
  expect_stopped_at_the_floor(files_in_flight);
}

TEST(MemoryFloorTest, SocketBuffersAreStoppedBeforeTheMachineHasNothingLeft) {
  expect_stopped_at_the_floor(socket_buffers);
}

}  // namespace
}  // namespace talaria
