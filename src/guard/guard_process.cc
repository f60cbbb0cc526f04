#include "guard/guard_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "guard/persons_commits.h"
#include "os/file.h"

namespace talaria {
namespace {

// What nothing tells of (a write through a second name) is noticed within this time.
constexpr auto look_every = 300ms;
// A busy command makes us look often: between two looks we rest ten times as long as one took.
constexpr int rest_factor = 10;
constexpr auto shortest_rest = 5ms;
constexpr auto longest_rest = 500ms;
// After a command's result: those who pass it on need the processor first. Shorter than any commit of the person's.
constexpr auto record_after = 2ms;
// The keeper is gone, and the kernel ends what ran below it.
constexpr int last_looks = 3;
constexpr size_t largest_packet = 100 << 10;  // the kernel sends twice as much at once, and the keeper takes it

// As many of them as a packet holds: names may be long.
std::string in_one_packet(std::vector<Violation> violations) {
  const size_t all = violations.size();
  std::string text = write_json(to_json(violations));
  for (size_t kept = all / 2; text.size() > largest_packet; kept /= 2) {
    violations.resize(kept);
    violations.push_back(more_violations(all - kept));
    text = write_json(to_json(violations));
  }
  return text;
}

class GuardServer {
 public:
  GuardServer(std::unique_ptr<WorkspaceGuard> guard, PersonsCommits& commits, UniqueFd socket)
      : guard_(std::move(guard)), commits_(commits), socket_(std::move(socket)) {}

  [[noreturn]] void run();

 private:
  void take_request();
  std::vector<Violation> look(Look how);
  void look_by_ourselves();
  void begin();
  void record_commits();
  Clock::duration patience() const;
  void say(char word, const std::string& text = {}) const;
  [[noreturn]] void leave();

  std::unique_ptr<WorkspaceGuard> guard_;
  PersonsCommits& commits_;
  UniqueFd socket_;
  bool commands_run_ = false;
  Clock::time_point look_again_ = {};
  std::optional<Clock::time_point> record_at_ = {};  // what commands committed is not written down yet
};

void GuardServer::say(char word, const std::string& text) const {
  const std::string packet = word + text;
  (void)!::send(socket_.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
}

std::vector<Violation> GuardServer::look(Look how) {
  const auto begin = Clock::now();
  std::vector<Violation> violations = guard_->judge(how);
  const auto end = Clock::now();
  look_again_ = end + std::clamp<Clock::duration>((end - begin) * rest_factor, shortest_rest, longest_rest);
  return violations;
}

void GuardServer::look_by_ourselves() {
  const std::vector<Violation> violations = look(Look::hasty);
  if (!violations.empty()) say(guard_word::found, in_one_packet(violations));
}

void GuardServer::leave() {
  for (int i = 0; commands_run_ && i < last_looks; ++i) {
    (void)guard_->judge(Look::final);
    ::poll(nullptr, 0, static_cast<int>(look_every / 1ms));
  }
  if (commands_run_ || record_at_) commits_.rest();
  commits_.close();  // no destructor runs
  ::_exit(0);
}

// Commits that were not recorded yet stay the commands', with all that come while these run.
void GuardServer::begin() {
  if (!commands_run_ && !std::exchange(record_at_, std::nullopt)) commits_.begin();
  if (!commands_run_) guard_->absorb();
  commands_run_ = true;
  say(guard_word::begin);
}

void GuardServer::record_commits() {
  record_at_.reset();
  commits_.rest();
}

void GuardServer::take_request() {
  char word = 0;
  if (::recv(socket_.get(), &word, 1, 0) <= 0) leave();
  switch (word) {
    case guard_word::begin: return begin();
    case guard_word::settle: return say(word, in_one_packet(look(Look::final)));
    case guard_word::rest:
      commands_run_ = false;
      say(word, in_one_packet(look(Look::final)));
      record_at_ = Clock::now() + record_after;
      return;
    default: return;
  }
}

// How long to wait for a question when nothing else is heard of; negative for ever.
Clock::duration GuardServer::patience() const {
  const auto now = Clock::now();
  if (record_at_) return std::max<Clock::duration>(*record_at_ - now, 0ms);
  if (!commands_run_) return -1ms;
  return look_again_ > now ? look_again_ - now : Clock::duration(look_every);
}

void GuardServer::run() {
  say(guard_word::ready);
  while (true) {
    const bool watching = commands_run_ && look_again_ <= Clock::now();
    pollfd watched[] = {{socket_.get(), POLLIN, 0}, {watching ? guard_->fd() : -1, POLLIN, 0}};
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(patience());
    const int count = ::poll(watched, 2, static_cast<int>(timeout.count()));
    if (watched[0].revents) take_request();
    else if (record_at_ && count >= 0) record_commits();
    else if (watching && count >= 0) look_by_ourselves();
  }
}

std::vector<std::string> names_in_list(const JsonObject& object, std::string_view key) {
  std::vector<std::string> names;
  const Json* list = object.if_contains(key);
  if (!list || !list->is_array()) return names;
  for (const Json& name : list->get_array()) {
    if (name.is_string()) names.emplace_back(name.get_string());
  }
  return names;
}

Result<std::unique_ptr<WorkspaceGuard>> start_guard(const GuardOrder& order, PersonsCommits& commits) {
  return WorkspaceGuard::start(
      order, [&](const std::string& path, const std::string& content) { return commits.hold(path, content); },
      [&](const std::vector<std::string>& contents) { commits.expect(contents); });
}

}  // namespace

JsonObject to_json(const GuardOrder& order) {
  return {{"workspace", order.workspace},
          {"quarantine", order.quarantine},
          {"session", order.session},
          {"protected_names", JsonArray(order.protected_names.begin(), order.protected_names.end())},
          {"read_only", JsonArray(order.read_only.begin(), order.read_only.end())},
          {"home", order.home},
          {"git_directory", order.git_directory},
          {"git_read_only", JsonArray(order.git_read_only.begin(), order.git_read_only.end())},
          {"commits", order.commits}};
}

GuardOrder guard_order_from_json(const JsonObject& object) {
  return {text_or(object, "workspace"),       text_or(object, "quarantine"),
          text_or(object, "session"),         names_in_list(object, "protected_names"),
          names_in_list(object, "read_only"), text_or(object, "home"),
          text_or(object, "git_directory"),   names_in_list(object, "git_read_only"),
          text_or(object, "commits")};
}

void serve_guard(const GuardOrder& order, UniqueFd socket) {
  ::prctl(PR_SET_NAME, "talaria-guard");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);  // it ends when the keeper does
  ::signal(SIGCHLD, SIG_DFL);
  std::string text(1, guard_word::failed);
  PersonsCommits commits(order.workspace, order.commits);
  Result<std::unique_ptr<WorkspaceGuard>> guard = start_guard(order, commits);
  if (guard) GuardServer(*std::move(guard), commits, std::move(socket)).run();
  text += guard.error().message();
  (void)!::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
  ::_exit(1);
}

}  // namespace talaria
