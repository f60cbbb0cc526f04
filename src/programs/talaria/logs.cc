#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.h"
#include "os/home.h"
#include "process/clean_text.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct LogsOptions {
  bool follow = false;
  std::optional<int64_t> lines;
  bool keeper = false;
  bool json = false;
};

std::string last_lines(const std::string& text, size_t count) {
  if (count == 0) return "";
  size_t begin = text.size();
  if (begin > 0 && text[begin - 1] == '\n') --begin;
  while (begin > 0) {
    const size_t newline = text.rfind('\n', begin - 1);
    if (newline == std::string::npos) return text;
    if (--count == 0) return text.substr(newline + 1);
    begin = newline;
  }
  return text;
}

bool same_file(int fd, const std::string& path) {
  struct stat ours {
  }, theirs{};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &theirs) == 0 && ours.st_ino == theirs.st_ino &&
         ours.st_dev == theirs.st_dev;
}

// `2026-01-02T03:04:05.678Z info text`; a line of another shape, such as a library's, is all text.
JsonObject parse_line(std::string_view line) {
  const size_t time_end = line.find(' ');
  const size_t level_end = time_end == std::string_view::npos ? time_end : line.find(' ', time_end + 1);
  const bool ours = level_end != std::string_view::npos && line.size() > 20 && line[4] == '-' && line[10] == 'T' &&
                    line[time_end - 1] == 'Z';
  if (!ours) return {{"time", nullptr}, {"level", nullptr}, {"text", line}};
  return {{"time", line.substr(0, time_end)},
          {"level", line.substr(time_end + 1, level_end - time_end - 1)},
          {"text", line.substr(level_end + 1)}};
}

// Prints what comes, as it is or line by line as JSON.
class Printer {
 public:
  explicit Printer(bool json) : json_(json) {}

  void put(std::string_view piece) {
    if (!json_) return print(piece);
    unfinished_ += piece;
    for (size_t end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n')) {
      print_line(write_json(parse_line(clean(unfinished_.substr(0, end)))));
      unfinished_.erase(0, end + 1);
    }
  }

 private:
  bool json_;
  std::string unfinished_;
};

Result<> follow(const std::string& folder, const std::string& path, uint64_t offset, Printer& printer) {
  const UniqueFd changes(::inotify_init1(IN_CLOEXEC));
  if (!changes) return Error::from_errno("inotify");
  if (::inotify_add_watch(changes.get(), folder.c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
    return Error::from_errno("watch " + folder);
  }
  UniqueFd file = TRY(open_file(path, O_RDONLY));
  while (true) {
    while (true) {
      const std::string piece = TRY(read_at(file.get(), offset, 64 << 10));
      if (piece.empty()) break;
      printer.put(piece);
      offset += piece.size();
    }
    if (exists(path) && !same_file(file.get(), path)) {
      file = TRY(open_file(path, O_RDONLY));
      offset = 0;
      continue;
    }
    char events[4096];
    if (::read(changes.get(), events, sizeof events) < 0 && errno != EINTR) return Error::from_errno("inotify");
  }
}

int run(const LogsOptions& options) {
  Result<Home> home = find_home();
  if (!home) return fail(home.error());
  const std::string path = home->logs() + (options.keeper ? "/keeper.log" : "/gateway.log");
  if (!exists(path)) return fail(Error(ErrorCode::not_found, "there is no " + path + " yet"));
  // The rotated file first, so that the last lines are there also just after a rotation.
  Result<std::string> older = exists(path + ".1") ? read_file(path + ".1") : Result<std::string>(std::string());
  Result<std::string> newer = read_file(path);
  if (!newer) return fail(newer.error());
  Printer printer(options.json);
  printer.put(last_lines((older ? *older : "") + *newer,
                         static_cast<size_t>(std::max<int64_t>(options.lines.value_or(100), 0))));
  if (!options.follow) return 0;
  return fail(follow(home->logs(), path, newer->size(), printer).error());
}

Run declare_logs(CommandLine& line) {
  auto options = std::make_shared<LogsOptions>();
  line.flag("-f,--follow", options->follow, "Keep printing what is added");
  line.option("-n,--lines", options->lines, "COUNT", "Show the last COUNT lines (default 100)");
  line.flag("--keeper", options->keeper, "Show the keeper's log instead of the gateway's");
  line.flag("--json", options->json, "Print one {time, level, text} object per line");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand logs_command = {"logs", "Show our own log (a job's output: talaria log ID)",
                                 R"(  talaria logs
  talaria logs -f -n 20
  talaria logs --keeper)",
                                 declare_logs};

}  // namespace talaria
