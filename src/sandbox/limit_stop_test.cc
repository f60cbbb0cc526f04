#include "sandbox/limit_stop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

constexpr uint64_t mebibyte = 1ULL << 20;
constexpr uint64_t gibibyte = 1ULL << 30;
constexpr Limits limits{.processes = 10, .memory_bytes = 1000, .growth_bytes = 100 * mebibyte};
constexpr DiskSample roomy{.free_bytes = 50 * gibibyte, .total_bytes = 100 * gibibyte};

CommandSample processes(uint64_t count) { return {.usage = {.processes = count}}; }
CommandSample memory(uint64_t bytes) { return {.usage = {.memory_bytes = bytes}}; }
CommandSample wrote(uint64_t bytes, uint64_t free_at_start) {
  return {.usage = {.written_bytes = bytes}, .free_at_start = free_at_start};
}
std::optional<Stop> judged(const std::vector<CommandSample>& commands, std::optional<DiskSample> disk = roomy) {
  return decide(limits, commands, disk);
}

TEST(LimitStopTest, StopsNothingAtOrBelowTheLimits) {
  EXPECT_EQ(judged({}), std::nullopt);
  EXPECT_EQ(judged({processes(4), processes(6)}), std::nullopt);
  EXPECT_EQ(judged({memory(999), memory(1)}), std::nullopt);
  EXPECT_EQ(judged({wrote(100 * mebibyte, 60 * gibibyte)}), std::nullopt);
}

TEST(LimitStopTest, StopsTheCommandWithTheLargestShareOfWhatAllShare) {
  EXPECT_EQ(judged({processes(4), processes(5), processes(2)}), (Stop{1, {"processes", 10, 11}}));
  EXPECT_EQ(judged({memory(700), memory(200), memory(101)}), (Stop{0, {"memory", 1000, 1001}}));
  EXPECT_EQ(judged({memory(1), memory(1000)}), (Stop{1, {"memory", 1000, 1001}}));
}

TEST(LimitStopTest, StopsAsManyCommandsAsItTakesForTooManyProcesses) {
  const std::vector<CommandSample> many(14, processes(1));
  const std::vector<Stop> stops = decide_all(limits, many, roomy);
  ASSERT_EQ(stops.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(stops[i], (Stop{13 - i, {"processes", 10, 14}}));
  EXPECT_EQ(decide_all(limits, {processes(3), processes(9), processes(1)}, roomy).size(), 1u);
  EXPECT_EQ(decide_all(limits, {memory(900), memory(900), memory(900)}, roomy),
            (std::vector<Stop>{{2, {"memory", 1000, 2700}}}));
  EXPECT_EQ(decide_all(limits, {processes(10)}, roomy), std::vector<Stop>());
}

TEST(LimitStopTest, StopsTheLaterOfTwoAlike) {
  EXPECT_EQ(judged({processes(6), processes(6)}), (Stop{1, {"processes", 10, 12}}));
  EXPECT_EQ(judged({memory(600), memory(600), memory(0)}), (Stop{1, {"memory", 1000, 1200}}));
}

TEST(LimitStopTest, NamesProcessesBeforeMemoryBeforeTheDisk) {
  const CommandSample all{.usage = {11, 1001, 200 * mebibyte}, .free_at_start = 51 * gibibyte};
  EXPECT_EQ(judged({all})->why.limit, "processes");
  EXPECT_EQ(decide({.memory_bytes = 1000, .growth_bytes = 1}, std::vector{all}, roomy)->why.limit, "memory");
  EXPECT_EQ(decide({.growth_bytes = 1}, std::vector{all}, roomy)->why.limit, "disk");
}

TEST(LimitStopTest, TakesZeroAsNoLimit) {
  const CommandSample all{.usage = {1000, 1000 * gibibyte, 1000 * gibibyte}, .free_at_start = 100 * gibibyte};
  EXPECT_EQ(decide({.file_bytes = 1}, std::vector{all}, roomy), std::nullopt);
}

TEST(LimitStopTest, StopsNothingWithoutAnyLimitEvenBelowTheFloor) {
  const CommandSample all{.usage = {1000, 1000 * gibibyte, 1000 * gibibyte}, .free_at_start = 100 * gibibyte};
  EXPECT_EQ(decide({}, std::vector{all}, DiskSample{.free_bytes = 0, .total_bytes = 100 * gibibyte}), std::nullopt);
}

TEST(LimitStopTest, StopsGrowthThatIsBothWrittenAndGone) {
  EXPECT_EQ(judged({wrote(101 * mebibyte, 51 * gibibyte)}), (Stop{0, {"disk", 100 * mebibyte, 101 * mebibyte}}));
  EXPECT_EQ(judged({wrote(1000 * mebibyte, 50 * gibibyte + 200 * mebibyte)}),
            (Stop{0, {"disk", 100 * mebibyte, 200 * mebibyte}}));
}

constexpr DiskSample many_files{
    .free_bytes = 50 * gibibyte, .total_bytes = 100 * gibibyte, .files = 500'000, .most_files = 5'000'000};

CommandSample made(Clock::duration worked, uint64_t files_at_start) {
  return {.usage = {.system_time = worked}, .files_at_start = files_at_start};
}
std::optional<Stop> judged_files(const std::vector<CommandSample>& commands, const DiskSample& disk = many_files) {
  return decide({.files = 1000}, commands, disk);
}

TEST(LimitStopTest, StopsWhoMadeTooManyFiles) {
  EXPECT_EQ(judged_files({made(1s, 499'000)}), std::nullopt);
  EXPECT_EQ(judged_files({made(1s, 498'999)}), (Stop{0, {"files", 1000, 1001}}));
  EXPECT_EQ(judged_files({made(1s, 490'000), made(1s, 400'000)}), (Stop{1, {"files", 1000, 100'000}}));
  EXPECT_EQ(decide({.files = 0, .open_files = 1}, std::vector{made(1s, 1)}, many_files), std::nullopt);
  EXPECT_TRUE(disk_is_suspect({.files = 1000}, std::vector{made(0s, 1)}, many_files));
  EXPECT_FALSE(disk_is_suspect({.files = 1000}, std::vector{made(0s, 499'000)}, many_files));
}

TEST(LimitStopTest, BlamesNobodyForFilesThatOthersMade) {
  EXPECT_EQ(judged_files({made(0s, 100), made(2ms, 100)}), std::nullopt);
  EXPECT_EQ(judged_files({made(1s, 0)}), std::nullopt);  // nobody could say how many there were
}

TEST(LimitStopTest, KeepsRoomForMoreFiles) {
  const DiskSample nearly{
      .free_bytes = 50 * gibibyte, .total_bytes = 100 * gibibyte, .files = 4'995'000, .most_files = 5'000'000};
  EXPECT_EQ(decide({.open_files = 1}, std::vector{made(1s, 4'990'000)}, nearly),
            (Stop{0, {"files_floor", 10'000, 5'000}}));
  EXPECT_EQ(decide({.open_files = 1}, std::vector{made(1s, 4'994'500)}, nearly), std::nullopt);  // it made few
  EXPECT_TRUE(disk_is_suspect({.open_files = 1}, {}, nearly));
  EXPECT_FALSE(disk_is_suspect({.open_files = 1}, {}, roomy));  // the filesystem has no number of its own
}

TEST(LimitStopTest, BlamesNobodyForWhatOthersWroteOrForWhatWasDeletedAgain) {
  EXPECT_EQ(judged({wrote(99 * mebibyte, 90 * gibibyte)}), std::nullopt);  // someone else filled the disk
  EXPECT_EQ(judged({wrote(90 * gibibyte, 50 * gibibyte)}), std::nullopt);  // temporary files
  EXPECT_EQ(judged({wrote(90 * gibibyte, 40 * gibibyte)}), std::nullopt);  // there is more room than before
  EXPECT_EQ(judged({wrote(60 * mebibyte, 51 * gibibyte), wrote(60 * mebibyte, 51 * gibibyte)}), std::nullopt);
}

TEST(LimitStopTest, StopsTheOneThatGrewMost) {
  EXPECT_EQ(judged({wrote(150 * mebibyte, 51 * gibibyte), wrote(300 * mebibyte, 51 * gibibyte),
                    wrote(900 * mebibyte, 50 * gibibyte + 120 * mebibyte)}),
            (Stop{1, {"disk", 100 * mebibyte, 300 * mebibyte}}));
}

TEST(LimitStopTest, KeepsAFloorThatFitsTheDisk) {
  EXPECT_EQ(floor_of(gibibyte), gibibyte / 100);
  EXPECT_EQ(floor_of(25 * gibibyte), 256 * mebibyte);
  EXPECT_EQ(floor_of(1000 * gibibyte), 256 * mebibyte);
  EXPECT_EQ(floor_of(0), 0u);
}

TEST(LimitStopTest, StopsTheOneThatWroteMostBelowTheFloor) {
  const DiskSample full{.free_bytes = 255 * mebibyte, .total_bytes = 100 * gibibyte};
  const auto now = full.free_bytes;
  EXPECT_EQ(judged({wrote(17 * mebibyte, now), wrote(20 * mebibyte, now), wrote(18 * mebibyte, now)}, full),
            (Stop{1, {"disk_floor", 256 * mebibyte, 255 * mebibyte}}));
  EXPECT_EQ(judged({wrote(16 * mebibyte, now)}, full), std::nullopt);
  EXPECT_EQ(judged({}, full), std::nullopt);
  EXPECT_EQ(judged({wrote(17 * mebibyte, now)}, DiskSample{256 * mebibyte, 100 * gibibyte}), std::nullopt);
}

TEST(LimitStopTest, DoesNotJudgeADiskItCouldNotSee) {
  EXPECT_EQ(judged({wrote(gibibyte, 90 * gibibyte)}, std::nullopt), std::nullopt);
  EXPECT_EQ(judged({wrote(gibibyte, 0)}, DiskSample{}), std::nullopt);
  EXPECT_EQ(judged({memory(2000)}, std::nullopt), (Stop{0, {"memory", 1000, 2000}}));
}

TEST(LimitStopTest, SuspectsADiskOnlyWhenSomeoneCouldBeStoppedForIt) {
  const auto suspect = [](uint64_t free_at_start, const DiskSample& disk) {
    return disk_is_suspect(limits, std::vector{wrote(0, 0), wrote(0, free_at_start)}, disk);
  };
  EXPECT_FALSE(suspect(50 * gibibyte + 100 * mebibyte, roomy));
  EXPECT_TRUE(suspect(50 * gibibyte + 100 * mebibyte + 1, roomy));
  EXPECT_FALSE(suspect(0, {.free_bytes = 256 * mebibyte, .total_bytes = 100 * gibibyte}));
  EXPECT_TRUE(suspect(0, {.free_bytes = 255 * mebibyte, .total_bytes = 100 * gibibyte}));
  EXPECT_FALSE(disk_is_suspect({}, std::vector{wrote(0, 90 * gibibyte)}, roomy));
}

TEST(LimitStopTest, SurvivesTheJourney) {
  const LimitStop stop{"memory", 4 * gibibyte, 5 * gibibyte};
  EXPECT_EQ(write_json(to_json(stop)), R"({"limit":"memory","max":4294967296,"peak":5368709120})");
  EXPECT_EQ(*limit_stop_from_json(*parse_json_object(write_json(to_json(stop)))), stop);
}

TEST(LimitStopTest, RefusesWhatIsNoStop) {
  const auto problem = [](const char* text) {
    return limit_stop_from_json(*parse_json_object(text)).error().message();
  };
  EXPECT_EQ(problem(R"({"limit":"memory","max":1})"), R"(limit stop "limit", "max" and "peak" are needed)");
  EXPECT_EQ(problem(R"({"limit":"luck","max":1,"peak":2})"), R"(limit stop "limit" is one that nobody knows: luck)");
  EXPECT_THAT(problem(R"({"limit":"disk","max":-1,"peak":2})"), testing::HasSubstr("max"));
  EXPECT_THAT(problem(R"({"limit":"disk","max":1,"peak":2,"more":3})"), testing::HasSubstr("more"));
}

}  // namespace
}  // namespace talaria
