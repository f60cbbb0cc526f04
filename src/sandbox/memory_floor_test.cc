#include "sandbox/memory_floor.h"

#include <gtest/gtest.h>

#include <vector>

namespace talaria {
namespace {

constexpr uint64_t mebibyte = 1 << 20;
constexpr MachineMemory roomy{8ULL << 30, 16ULL << 30}, noticed{1ULL << 30, 16ULL << 30},
    low{200 * mebibyte, 16ULL << 30};

using Commands = std::vector<MemoryFloor::Command>;

MemoryFloor::Command command(pid_t init, uint64_t mebibytes, Clock::duration worked = {}) {
  return {init, {.memory_bytes = mebibytes * mebibyte, .system_time = worked}};
}

TEST(MemoryFloorTest, IsAPartOfASmallMachine) {
  EXPECT_EQ(memory_floor_of(64ULL << 30), 256 * mebibyte);
  EXPECT_EQ(memory_floor_of(1000 * mebibyte), 50 * mebibyte);
  EXPECT_EQ(memory_floor_of(0), 0u);
}

TEST(MemoryFloorTest, StopsWhoGrewMostNotWhoHasMost) {
  MemoryFloor floor;
  const auto now = Clock::now();
  EXPECT_FALSE(floor.wants_look(roomy, now));
  ASSERT_TRUE(floor.wants_look(noticed, now));
  EXPECT_EQ(floor.judge(noticed, Commands{command(1, 5000), command(2, 10)}, now), std::nullopt);
  ASSERT_TRUE(floor.wants_look(low, now + 100ms));
  EXPECT_EQ(floor.judge(low, Commands{command(1, 5001), command(2, 300)}, now + 100ms),
            (Stop{1, {"memory_floor", 256 * mebibyte, 200 * mebibyte}}));
}

TEST(MemoryFloorTest, TakesTheKernelsWorkForMemoryThatNobodySees) {
  MemoryFloor floor;
  const auto now = Clock::now();
  ASSERT_TRUE(floor.wants_look(noticed, now));
  (void)floor.judge(noticed, Commands{command(1, 100, 3s), command(2, 5)}, now);
  EXPECT_EQ(floor.judge(low, Commands{command(1, 120, 3s), command(2, 5, 400ms)}, now + 500ms)->index, 1u);
  // One that came meanwhile has taken all it has since.
  EXPECT_EQ(floor.judge(low, Commands{command(1, 120, 3s), command(3, 900)}, now + 500ms)->index, 1u);
}

TEST(MemoryFloorTest, StopsNobodyForWhatOthersTook) {
  MemoryFloor floor;
  const auto now = Clock::now();
  EXPECT_EQ(floor.judge(low, Commands{command(1, 5000)}, now), std::nullopt);  // nothing is known of it yet
  EXPECT_EQ(floor.judge(low, Commands{command(1, 5001, 10ms)}, now + 1s), std::nullopt);
  EXPECT_EQ(floor.judge(low, {}, now + 2s), std::nullopt);
}

TEST(MemoryFloorTest, LooksOnlyWhenMemoryFalls) {
  MemoryFloor floor;
  auto now = Clock::now();
  ASSERT_TRUE(floor.wants_look(noticed, now));
  (void)floor.judge(noticed, Commands{command(1, 1)}, now, 1ms);
  EXPECT_FALSE(floor.wants_look({900 * mebibyte, 16ULL << 30}, now + 1ms));  // it was dear
  now += 1s;
  EXPECT_FALSE(floor.wants_look(noticed, now));
  EXPECT_TRUE(floor.wants_look({900 * mebibyte, 16ULL << 30}, now));
  EXPECT_TRUE(floor.wants_look(low, now));
  EXPECT_EQ(floor.pause(low, now), 100ms);  // nobody looked lately
  (void)floor.judge(low, Commands{command(1, 1)}, now);
  EXPECT_EQ(floor.pause(low, now), 10ms);
  EXPECT_EQ(floor.pause(noticed, now), 100ms);
  EXPECT_FALSE(floor.wants_look(roomy, now));
}

}  // namespace
}  // namespace talaria
