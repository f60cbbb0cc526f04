// What the file and web tools cost, beside the floors of the same run: a bare round trip, rg.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "os/file.h"
#include "os/proc.h"
#include "product/house.h"
#include "table.h"

extern char** environ;

namespace talaria {
namespace {

std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%s", value, unit);
  return text;
}

JsonObject call_params(House& house, const std::string& tool, JsonObject arguments) {
  return {{"name", tool},
          {"arguments", std::move(arguments)},
          {"session", JsonObject{{"cwd", house.workspace()}}},
          {"audience", "program"}};
}

void check(const Result<JsonObject>& result) {
  if (result && !boolean_or(*result, "isError")) return;
  std::fprintf(stderr, "%s\n", result ? write_json(*result).c_str() : result.error().message().c_str());
  std::exit(1);
}

std::string lines_of(size_t bytes) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i)
    text += "line " + std::to_string(i) + " of a file that has many of them\n";
  return text;
}

void run_quietly(const std::string& program, std::vector<std::string> argv, const std::string& folder) {
  argv.insert(argv.begin(), program);
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  if (::posix_spawn(&pid, program.c_str(), &actions, nullptr, words.data(), environ) == 0) ::waitpid(pid, nullptr, 0);
  ::posix_spawn_file_actions_destroy(&actions);
}

void files(House& house, Table& table) {
  RpcClient socket = house.connect();
  const std::string folder = house.workspace();
  (void)write_file_atomically(folder + "/small", lines_of(4096), 0644, Durable::no);
  (void)write_file_atomically(folder + "/large", lines_of(12'000'000), 0644, Durable::no);
  (void)write_file_atomically(folder + "/million", lines_of(1 << 20), 0644, Durable::no);
  const auto call = [&](const std::string& tool, JsonObject arguments) {
    check(socket.call_object("tools/call", call_params(house, tool, std::move(arguments))));
  };
  int turn = 0;
  const auto swap = [&](const char* file, const std::string& line) {
    const std::string other = line + " changed";
    const bool there = ++turn % 2 == 1;
    call(
        "patch",
        {{"path", file}, {"old_string", (there ? line : other) + "\n"}, {"new_string", (there ? other : line) + "\n"}});
  };
  const std::vector<Times> t =
      measure_together(300, {[&] {
                               (void)socket.call_object("events/ack", {{"id", 1}});
                             },
                             [&] {
                               call("read_file", {{"path", "small"}});
                             },
                             [&] {
                               call("write_file", {{"path", "written"}, {"content", "some lines\nof text\n"}});
                             },
                             [&] { swap("small", "line 5 of a file that has many of them"); }});
  table.add("floor: a call that does nothing, socket", t[0]);
  table.add("read_file 4 KB, socket", t[1], "≤ 0.15 ms", t[1].median <= 0.15);
  table.add("write_file, socket", t[2], "≤ 1 ms", t[2].median <= 1);
  table.add("patch of a small file, socket", t[3], "≤ 1 ms", t[3].median <= 1);
  const Times page = measure(50, [&] { call("read_file", {{"path", "large"}, {"offset", 200'000}, {"limit", 5}}); });
  table.add("five lines of a 12 MB file", page, "≤ 15 ms", page.median <= 15);
  turn = 0;
  const Times million = measure(40, [&] { swap("million", "line 9999 of a file that has many of them"); });
  table.add("patch of a 1 MB file", million, "≤ 20 ms", million.median <= 20);
}

void searches(House& house, Table& table) {
  const std::string folder = house.workspace() + "/tree";
  for (int i = 0; i < 60; ++i) {
    const std::string below = folder + "/part" + std::to_string(i);
    (void)make_directories(below, 0755);
    for (int j = 0; j < 30; ++j) {
      (void)write_file_atomically(below + "/file" + std::to_string(j) + ".txt", lines_of(20'000), 0644, Durable::no);
    }
  }
  RpcClient socket = house.connect();
  const auto search = [&](const char* pattern) {
    check(
        socket.call_object("tools/call", call_params(house, "search_files", {{"pattern", pattern}, {"path", "tree"}})));
  };
  const auto rg = [&](const char* pattern) {
    run_quietly("/usr/bin/rg", {"--json", pattern, "tree"}, house.workspace());
  };
  const std::vector<Times> t = measure_together(20, {[&] { rg("line 17 of"); }, [&] { search("line 17 of"); },
                                                     [&] { rg("line \\d+7 of"); }, [&] { search("line \\d+7 of"); }});
  table.add("floor: rg, 1,800 files, 1,800 matches", t[0]);
  table.add("search_files, the same", t[1], "≤ 1.2 × rg = " + number(1.2 * t[0].median, " ms"),
            t[1].median <= 1.2 * t[0].median);
  table.add("floor: rg, 1,800 files, 80,000 matches", t[2]);
  table.add("search_files, the same", t[3], "≤ 1.2 × rg = " + number(1.2 * t[2].median, " ms"),
            t[3].median <= 1.2 * t[2].median);
}

std::string page_of(size_t bytes) {
  std::string html = "<html><head><title>A page</title></head><body><main><h1>A page</h1>";
  for (size_t i = 0; html.size() < bytes; ++i) {
    html +=
        "<p>Paragraph " + std::to_string(i) +
        " has some <b>words</b>, a <a href=\"/link\">link</a> and <code>code</code> in it, and goes on for a while as "
        "paragraphs do. It says what it has to say, and then, since the reader has come so far, a little more; there "
        "is "
        "no hurry, for the next one is much the same. Numbers, names and dates stand between the words, as they do in "
        "reports, and now and then a sentence is long enough to be read twice.</p>\n";
    if (i % 4 == 0) html += "<ul><li>one thing that matters</li><li>another thing that does not</li></ul>\n";
    if (i % 10 == 0)
      html += "<h2>Part " + std::to_string(i) + "</h2>\n<div class=\"note\"><span>beside the point</span></div>\n";
  }
  return html + "</main></body></html>";
}

// Answers every connection with the same page.
class PageServer {
 public:
  explicit PageServer(std::string page)
      : page_(std::move(page)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    (void)::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size);
    (void)::listen(socket_.get(), 16);
    (void)::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~PageServer() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  void serve() {
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + std::to_string(page_.size()) +
        "\r\nConnection: close\r\n\r\n" + page_;
    while (true) {
      const UniqueFd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      char buffer[4096];
      if (::read(client.get(), buffer, sizeof buffer) <= 0) continue;
      (void)write_all(client.get(), answer);
    }
  }

  std::string page_;
  UniqueFd socket_;
  int port_ = 0;
  std::thread thread_;
};

void web(House& house, Table& table) {
  house.run({"config", "set", "web.allow_private_hosts", "[127.0.0.1]"});
  const std::string html = page_of(5 << 20);
  const PageServer server(html);
  RpcClient socket = house.connect();
  const Times times = measure(10, [&] {
    check(socket.call_object(
        "tools/call",
        call_params(house, "web_extract", {{"urls", JsonArray{Json(server.url())}}, {"char_limit", 1000}})));
  });
  const double speed = static_cast<double>(html.size()) / 1e6 / (times.median / 1000);
  table.add("web_extract of a 5 MB page", times, "≥ 20 MB/s: " + number(speed, " MB/s"), speed >= 20);
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  using namespace talaria;
  Table table;
  {
    House house;
    house.run({"exec", "true"});
    files(house, table);
    searches(house, table);
    web(house, table);
  }
  table.print();
  return 0;
}
