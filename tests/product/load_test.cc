// Much at once, and much of it.
#include <gtest/gtest.h>
#include <signal.h>

#include <unistd.h>

#include <optional>
#include <thread>

#include "base/text.h"
#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"

namespace talaria {
namespace {

size_t open_fds(pid_t pid) { return list_directory("/proc/" + std::to_string(pid) + "/fd")->size(); }

uint64_t disk_used(const std::string& folder) {
  uint64_t total = 0;
  const Result<std::vector<std::string>> names = list_directory(folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    struct stat info {};
    if (::lstat((folder + "/" + name).c_str(), &info) == 0) total += static_cast<uint64_t>(info.st_size);
  }
  return total;
}

// `count` execs on one connection, one after the other; the answers that were wrong.
std::vector<std::string> exec_many(House& house, int client, int count) {
  RpcClient connection = house.connect();
  std::vector<std::string> wrong;
  for (int i = 0; i < count; ++i) {
    const std::string word = std::to_string(client) + "-" + std::to_string(i);
    // A machine that stands still for ten seconds is no reason for the answer "still running".
    const JsonObject arguments{{"command", "echo " + word + "; exit " + std::to_string(i % 7)}, {"yieldMs", 120'000}};
    const Result<JsonObject> result =
        connection.call_object("tools/call", {{"name", "exec"},
                                              {"arguments", arguments},
                                              {"client", "cli"},
                                              {"session", JsonObject{{"cwd", house.workspace()}}}});
    const bool right =
        result && text_of(*result).starts_with(word) && integer_or(details_of(*result), "exitCode", -1) == i % 7;
    if (!right) wrong.push_back(word + ": " + (result ? write_json(*result) : result.error().message()));
  }
  return wrong;
}

void exec_from_many(House& house, int clients, int each) {
  std::vector<std::vector<std::string>> wrong(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] { wrong[static_cast<size_t>(client)] = exec_many(house, client, each); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::string>& of_one : wrong) EXPECT_EQ(of_one, std::vector<std::string>());
}

// What lives below the keeper beside its spawner and the sandboxes of sessions.
size_t left_of(pid_t keeper) {
  size_t left = 0;
  for (const pid_t pid : descendants_of(keeper)) {
    const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
    if (name && *name != "talaria-spawner\n" && *name != "talaria-sandbox\n" && *name != "talaria-guard\n") ++left;
  }
  return left;
}

// Gateway and keeper hide themselves from other processes of their user, so only root can look into them.
struct Used {
  size_t fds = 0;
  size_t memory = 0;
};
std::optional<Used> look_into(pid_t pid) {
  if (::geteuid() != 0) return std::nullopt;
  return Used{open_fds(pid), private_bytes(pid).value()};
}

constexpr int64_t most_keeper_growth = 2 << 20, most_gateway_growth = 5 << 20;

// Of their memory, in bytes.
struct Growth {
  int64_t gateway = 0, keeper = 0;
  bool is_small() const { return gateway < most_gateway_growth && keeper < most_keeper_growth; }
};

Growth growth_by_a_crowd(House& house, pid_t gateway, pid_t keeper) {
  const std::optional<Used> gateway_before = look_into(gateway), keeper_before = look_into(keeper);
  exec_from_many(house, 64, 100);
  await("nothing to be left", [&] { return left_of(keeper) == 0; });
  if (!gateway_before || !keeper_before) return {};
  await("fds to be closed",
        [&] { return open_fds(gateway) <= gateway_before->fds + 2 && open_fds(keeper) <= keeper_before->fds + 2; });
  const auto difference = [](const Used& before, const Used& after) {
    return static_cast<int64_t>(after.memory) - static_cast<int64_t>(before.memory);
  };
  return {difference(*gateway_before, *look_into(gateway)), difference(*keeper_before, *look_into(keeper))};
}

TEST(LoadTest, SixtyFourClientsTimesAHundredExecsAreAllRightAndNothingGrows) {
  PlainHouse house;
  exec_from_many(house, 64, 40);  // caches are warm, pools are full, the allocator has met the crowd
  const pid_t gateway = house.gateway_pid(), keeper = house.keeper_pid();
  await("the jobs to be gone", [&] { return left_of(keeper) == 0; });
  // Ten times the work may cost the allocator some slack, but nothing per command: 6,400 jobs × 1 KB would be 6 MB.
  // What is taken once, on a busy machine, is no growth: what grows with each command grows in every round.
  Growth growth = growth_by_a_crowd(house, gateway, keeper);
  for (int again = 0; again < 2 && !growth.is_small(); ++again) growth = growth_by_a_crowd(house, gateway, keeper);
  EXPECT_LT(growth.keeper, most_keeper_growth);
  EXPECT_LT(growth.gateway, most_gateway_growth);
}

TEST(LoadTest, AFloodOfOutputNeedsConstantMemoryAndBoundedDisk) {
  PlainHouse house;
  ASSERT_EQ(house.run({"config", "set", "exec.max_log_bytes", "4194304"}).code, 0);
  const std::string id = id_of(house.exec("yes 0123456789abcdef", {{"background", true}}));
  const pid_t keeper = house.keeper_pid();
  await("the first 64 MB", [&] {
    return integer_or(details_of(house.process("log", id, {{"limit", 1}})), "totalBytes") > (64 << 20);
  });
  const std::optional<Used> before = look_into(keeper);
  await("another 256 MB", [&] {
    return integer_or(details_of(house.process("log", id, {{"limit", 1}})), "totalBytes") > (320 << 20);
  });
  if (before) {
    EXPECT_LT(look_into(keeper)->memory, before->memory + (1 << 20));
  }
  // A new segment begins a moment before the oldest goes.
  await("no more on the disk than its limit", [&] { return disk_used(house.home().job(id)) <= (4u << 20) + 4096; });
  EXPECT_EQ(text_of(house.exec("echo responsive")), "responsive\n");
  EXPECT_EQ(status_of(house.process("kill", id)), "failed");
  const JsonObject tail = house.process("log", id, {{"limit", 2}});
  EXPECT_NE(text_of(tail).find("0123456789abcdef"), std::string::npos) << text_of(tail);
}

TEST(LoadTest, LongOutputComesAsHeadAndTailWithTheExactCountLeftOut) {
  PlainHouse house;
  const JsonObject result = house.exec("seq 1 100000");
  std::string whole;
  for (int i = 1; i <= 100000; ++i) whole += std::to_string(i) + "\n";
  const std::string text = text_of(result);
  EXPECT_LE(text.size(), 30200u);
  EXPECT_TRUE(text.starts_with("1\n2\n3\n"));
  EXPECT_NE(text.find("\n99999\n100000"), std::string::npos);
  ASSERT_TRUE(boolean_or(details_of(result), "truncated"));
  EXPECT_EQ(*read_file(text_or(details_of(result), "outputFile")), whole);
  const size_t mark = text.find("bytes left out");
  ASSERT_NE(mark, std::string::npos);
  const size_t begin = text.rfind('\n', mark) + 1, end = text.find('\n', mark) + 1;
  std::string number;
  for (char c : text.substr(begin, mark - begin)) {
    if (c >= '0' && c <= '9') number += c;
  }
  const std::string head = text.substr(0, begin),
                    tail = text.substr(end, text.find("\n\n(The rest is in the log") - end);
  EXPECT_EQ(head.size() + std::stoul(number) + tail.size(), whole.size() - 1);  // the last newline gave way to the note
}

TEST(LoadTest, EveryKindOfOutputArrivesAsValidText) {
  PlainHouse house;
  const auto output = [&](const std::string& command) { return text_of(house.exec(command)); };
  EXPECT_EQ(output("printf 'no newline'"), "no newline");
  EXPECT_EQ(output("printf 'a\\000b\\001c'"), "a\\x00b\\x01c");
  EXPECT_EQ(output("printf '\\377\\376 broken \\303'"), "\uFFFD\uFFFD broken \uFFFD");
  EXPECT_EQ(output("printf '\\033[1;3'; sleep 0.05; printf '1mred\\033[0m'"), "red");
  EXPECT_EQ(output("printf '\\303'; sleep 0.05; printf '\\244'"), "ä");
  EXPECT_EQ(output("head -c 1048576 /dev/zero | tr '\\0' x").find("xxxx"), 0u);
  EXPECT_EQ(output("true"), "(no output)");
  const Ran raw = house.run({"exec", "head -c 1000000 /dev/urandom | tee " + house.workspace() + "/random"});
  EXPECT_EQ(raw.out, *read_file(house.workspace() + "/random"));  // a person's pipe gets every byte as it was
}

}  // namespace
}  // namespace talaria
