// What a long history costs: every call in a home with 100,000 finished jobs beside the same call in an empty one, and
// how long the gateway is away while it sweeps them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/id.h"
#include "base/text.h"
#include "product/house.h"
#include "store/store.h"
#include "table.h"

namespace talaria {
namespace {

constexpr int history = 100'000;
constexpr int kept_by_a_sweep = 50;

std::string rounded(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%s", value, unit);
  return text;
}

void fill(House& house) {
  Result<Store> store = Store::open(house.home().database());
  const EpochMs now = epoch_ms();
  const Result<> filled = store->batch([&]() -> Result<> {
    for (int i = 0; i < history; ++i) {
      JobRow row;
      row.id = id_from(0x9e3779b97f4a7c15 * static_cast<uint64_t>(i + 1));
      row.session = i % 2 ? "history" : "another";
      row.command = "make part" + std::to_string(i) + " && ./part --check --verbose";
      row.name = "make part";
      row.cwd = "/home/ada/project";
      row.host = "sandbox";
      row.state = JobState::ended;
      row.exit_code = 0;
      row.started_ms = now - 120'000 - i;
      row.ended_ms = row.started_ms + 10;
      row.output_inline = std::string(300, 'x');
      row.output_bytes = 300;
      TRY(store->jobs().insert(row));
    }
    return ok;
  });
  if (!filled) std::printf("%s\n", filled.error().message().c_str());
}

// A home and a connection to it, with a job of its own.
struct Side {
  PlainHouse house;
  std::unique_ptr<RpcClient> client;
  std::string job;

  void open() {
    client = std::make_unique<RpcClient>(house.connect());
    job = id_of(house.exec("echo hi"));
  }
  JsonObject call(const std::string& method, JsonObject params) {
    Result<JsonObject> result = client->call_object(method, std::move(params));
    if (!result) std::printf("%s: %s\n", method.c_str(), result.error().message().c_str());
    return result ? *std::move(result) : JsonObject();
  }
  JsonObject process(JsonObject arguments) { return call("jobs/process", {{"arguments", std::move(arguments)}}); }
  JsonObject tool(const std::string& name, JsonObject arguments) {
    return call(
        "tools/call",
        {{"name", name}, {"arguments", std::move(arguments)}, {"session", JsonObject{{"cwd", house.workspace()}}}});
  }
  int64_t finished() { return integer_or(call("gateway/status", {}).at("jobs").as_object(), "finished"); }
};

void compare(Table& table, const std::string& what, Side& empty, Side& full, int rounds,
             const std::function<void(Side&)>& work) {
  const std::vector<Times> t = measure_together(rounds, {[&] { work(empty); }, [&] { work(full); }});
  table.add(what + ", empty home", t[0]);
  table.add(what + ", 100,000 finished", t[1], "≤ 1.2 × empty = " + rounded(1.2 * t[0].median, " ms"),
            t[1].median <= 1.2 * t[0].median);
}

void compare_calls(Table& table, Side& empty, Side& full) {
  compare(table, "exec true", empty, full, 200, [](Side& side) { side.tool("exec", {{"command", "true"}}); });
  compare(table, "process list", empty, full, 200, [](Side& side) { side.tool("process", {{"action", "list"}}); });
  compare(table, "list of all sessions, 20 rows", empty, full, 200, [](Side& side) {
    side.process({{"action", "list"}, {"limit", 20}});
  });
  compare(table, "poll", empty, full, 200, [](Side& side) {
    side.process({{"action", "poll"}, {"sessionId", side.job}});
  });
  compare(table, "log", empty, full, 200, [](Side& side) {
    side.process({{"action", "log"}, {"sessionId", side.job}});
  });
  compare(table, "gateway/status", empty, full, 200, [](Side& side) { side.call("gateway/status", {}); });
  compare(table, "talaria ps", empty, full, 50, [](Side& side) { side.house.run({"ps"}); });
  compare(table, "talaria serve --status", empty, full, 50, [](Side& side) { side.house.run({"serve", "--status"}); });
  table.add("list with text, through all 100,000", measure(5, [&] {
              full.process({{"action", "list"}, {"text", "nowhere"}});
            }));
}

void compare_memory(Table& table, Side& empty, Side& full) {
  const auto megabytes = [](Side& side) {
    return static_cast<double>(integer_or(side.call("gateway/status", {}), "memory_bytes")) / 1048576;
  };
  const double less = megabytes(empty), more = megabytes(full);
  table.note("memory of the gateway, empty home", rounded(less, " MB"));
  table.note("memory of the gateway, 100,000 finished", rounded(more, " MB"), "≤ empty + 8 MB", more <= less + 8);
}

void compare_starts(Table& table, Side& empty, Side& full) {
  const auto start = [](Side& side) {
    side.house.kill_gateway();
    side.house.run({"exec", "true"});
  };
  compare(table, "first command after kill -9", empty, full, 10, start);
  empty.open();
  full.open();
}

// Round trips, one a millisecond, while `going`.
std::vector<double> ping(Side& side, const std::function<bool()>& going) {
  std::vector<double> times;
  auto looked = Clock::now();
  while (true) {
    const auto begin = Clock::now();
    side.process({{"action", "list"}, {"limit", 1}});
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    if (Clock::now() - looked > 100ms) {
      looked = Clock::now();
      if (!going()) return times;
    }
    std::this_thread::sleep_for(1ms);
  }
}

void note_pauses(Table& table, const std::string& what, std::vector<double> times, const std::string& goal = {}) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) { return times[static_cast<size_t>(static_cast<double>(times.size() - 1) * part)]; };
  table.note(what, rounded(times.back(), " ms"), goal, times.back() <= 10);
  table.note("  median and 99.9 % of " + std::to_string(times.size()),
             rounded(at(0.5), " / ") + rounded(at(0.999), " ms"));
}

void sweep(Table& table, Side& empty, Side& full) {
  // What ran here meanwhile is too young to go.
  const int64_t rest = std::max<int64_t>(full.finished() - history, kept_by_a_sweep) + 5;
  full.house.run({"config", "set", "exec.job_ttl", "60"});
  full.house.kill_gateway();
  full.open();
  const auto begin = Clock::now();
  std::vector<double> during = ping(full, [&] { return full.finished() > rest; });
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto until = Clock::now() + (Clock::now() - begin);
  note_pauses(table, "longest answer, empty home, same time", ping(empty, [&] { return Clock::now() < until; }));
  note_pauses(table, "longest answer while 100,000 are swept", std::move(during), "≤ 10 ms");
  table.note("100,000 swept in", rounded(seconds, " s"), "≥ 400 a second", seconds <= history / 400.0);
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  using namespace talaria;
  Table table;
  {
    Side empty, full;
    (void)full.house.home().prepare();
    fill(full.house);
    empty.open();
    full.open();
    compare_calls(table, empty, full);
    compare_memory(table, empty, full);
    compare_starts(table, empty, full);
    sweep(table, empty, full);
  }
  table.print();
  return 0;
}
