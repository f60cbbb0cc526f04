#include "sandbox/numbered_fd.h"

#include <gtest/gtest.h>

#include "sandbox/space_trial.h"

namespace talaria {
namespace {

std::string complaint(const std::vector<int>& numbers, StreamKind streams = StreamKind::pipes) {
  const Result<> checked = check_numbers(numbers, streams);
  return checked ? "" : checked.error().message();
}

TEST(NumberedFdTest, TakesStderrAndThreeToSixtyThree) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint({2, 3, 63}), "");
  EXPECT_EQ(complaint({3}, StreamKind::terminal), "");
  EXPECT_EQ(complaint({9, 8, 7, 6, 5, 4, 3, 2}), "");
}

TEST(NumberedFdTest, SaysWhatItDoesNotTake) {
  EXPECT_EQ(complaint({0}), "descriptor 0 cannot be given to a command: only 2 (its stderr) and 3 to 63 can");
  EXPECT_EQ(complaint({3, 1}), "descriptor 1 cannot be given to a command: only 2 (its stderr) and 3 to 63 can");
  EXPECT_EQ(complaint({64}), "descriptor 64 cannot be given to a command: only 2 (its stderr) and 3 to 63 can");
  EXPECT_EQ(complaint({5, 5}), "descriptor 5 is given to the command twice");
  EXPECT_EQ(complaint({2}, StreamKind::terminal),
            "descriptor 2 cannot be given to a command with a terminal: its stderr is the terminal");
  EXPECT_EQ(complaint({2, 3, 4, 5, 6, 7, 8, 9, 10}), "a command can be given 8 numbered descriptors, not 9");
}

// A descriptor that says who it is.
UniqueFd file_with(const std::string& text) {
  auto [reading, writing] = *make_pipe();
  CHECK(write_all(writing.get(), text));
  return std::move(reading);
}

// Crossed with the numbers they have where they are placed from.
std::vector<NumberedFd> eight() {
  std::vector<NumberedFd> fds;
  for (const int number : {10, 9, 8, 7, 6, 5, 4, 63}) fds.push_back({number, file_with(std::to_string(number) + " ")});
  return fds;
}

SPACE_TEST(NumberedFdTest, ACommandFindsEachUnderItsNumberAndNoOther) {
  SpaceTrial trial;
  EXPECT_EQ(trial.run("for n in 4 5 6 7 8 9 10 63; do cat <&$n; done", eight()).output, "4 5 6 7 8 9 10 63 ");
  std::vector<NumberedFd> one;
  one.push_back({7, file_with("")});
  EXPECT_EQ(trial.run_program({"/bin/ls", "/proc/self/fd"}, std::move(one)).output,
            "0\n1\n2\n3\n7\n");  // 3: the listing
}

SPACE_TEST(NumberedFdTest, ASocketTalksFromInside) {
  SpaceTrial trial;
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  ASSERT_TRUE(write_all(mine.get(), "question\n"));
  std::vector<NumberedFd> further;
  further.push_back({3, std::move(theirs)});
  EXPECT_EQ(trial.run("read -u 3 line; echo \"answer to $line\" >&3", std::move(further)), (Outcome{0, ""}));
  char answer[64] = {};
  EXPECT_GT(::read(mine.get(), answer, sizeof answer - 1), 0);
  EXPECT_STREQ(answer, "answer to question\n");
}

SPACE_TEST(NumberedFdTest, AnOrderWithAWrongNumberIsRefused) {
  SpaceTrial trial;
  std::vector<NumberedFd> further;
  further.push_back({1, file_with("")});
  EXPECT_EQ(trial.run("true", std::move(further)),
            (Outcome{-1, "descriptor 1 cannot be given to a command: only 2 (its stderr) and 3 to 63 can"}));
}

}  // namespace
}  // namespace talaria
