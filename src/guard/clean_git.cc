#include "guard/clean_git.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "os/fd.h"
#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

// As git unquotes a line of `alternates` that begins with a quote: any path fits into one line.
std::string quoted_for_git(const std::string& path) {
  static constexpr std::string_view digits = "01234567";
  std::string text = "\"";
  for (const char character : path) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte > ' ' && byte < 0x7f && character != '"' && character != '\\') {
      text += character;
      continue;
    }
    text += '\\';
    for (const int shift : {6, 3, 0}) text += digits[byte >> shift & 7];
  }
  return text + "\"";
}

// A started git; killed with its process group when it goes.
class RunningGit {
 public:
  RunningGit(pid_t pid, UniqueFd input, UniqueFd output)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}
  RunningGit(const RunningGit&) = delete;
  RunningGit& operator=(const RunningGit&) = delete;
  ~RunningGit() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  Result<> talk(std::string_view input, const CleanGit::Sink& sink, Clock::time_point deadline) {
    if (input.empty()) input_.reset();
    std::array<char, 64 << 10> buffer{};
    while (output_) {
      std::array<pollfd, 2> waits{pollfd{output_.get(), POLLIN, 0}, pollfd{input_.get(), POLLOUT, 0}};
      TRY(wait_for(waits.data(), input_ ? 2 : 1, deadline));
      if (input_ && waits[1].revents != 0) {
        const Result<size_t> sent = send_some(input_.get(), input.substr(0, 64 << 10));
        // git may have ended early; its status says whether that was right.
        input.remove_prefix(sent ? *sent : input.size());
        if (input.empty()) input_.reset();
      }
      if (waits[0].revents == 0) continue;
      const ssize_t count = ::read(output_.get(), buffer.data(), buffer.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) return Error::from_errno("read what git says");
      if (count == 0) output_.reset();
      else TRY(sink(std::string_view(buffer.data(), static_cast<size_t>(count))));
    }
    return end(deadline);
  }

 private:
  static Result<> wait_for(pollfd* waits, nfds_t count, Clock::time_point deadline) {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return Error(ErrorCode::timed_out, "git took too long");
      const int ready = ::poll(waits, count, static_cast<int>(std::min<int64_t>(left, 60'000)));
      if (ready > 0) return ok;
      if (ready < 0 && errno != EINTR) return Error::from_errno("wait for git");
    }
  }

  Result<> end(Clock::time_point deadline) {
    const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!process) return Error::from_errno("watch git");
    pollfd ended{process.get(), POLLIN, 0};
    TRY(wait_for(&ended, 1, deadline));
    int status = 0;
    // The rest of its group, if there is one, goes before the number of the group is free.
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0)
      if (errno != EINTR) return Error::from_errno("wait for git");
    pid_ = -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return Error(ErrorCode::unavailable, "git failed");
    return ok;
  }

  pid_t pid_;
  UniqueFd input_;
  UniqueFd output_;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<CleanGit> CleanGit::make(const Options& options) {
  std::string folder = options.scratch + "/talaria-git-XXXXXX";
  if (!::mkdtemp(folder.data())) return Error::from_errno("make a folder in " + options.scratch);
  CleanGit git(folder, options.program, options.hash);
  TRY(make_directories(folder + "/objects/info"));
  TRY(make_directories(folder + "/refs"));
  // Both indices are made from the objects, and whoever may write objects may write wrong ones.
  std::string config =
      "[core]\n\tbare = true\n\tcommitGraph = false\n\tmultiPackIndex = false\n\trepositoryformatversion = ";
  config += options.hash == GitHash::sha1 ? "0\n" : "1\n[extensions]\n\tobjectFormat = sha256\n";
  TRY(write_file_atomically(folder + "/config", config, 0600, Durable::no));
  TRY(write_file_atomically(folder + "/HEAD", "ref: refs/heads/none\n", 0600, Durable::no));
  TRY(write_file_atomically(folder + "/objects/info/alternates", quoted_for_git(options.objects) + "\n", 0600,
                            Durable::no));
  if (!options.shallow.empty()) TRY(write_file_atomically(folder + "/shallow", options.shallow, 0600, Durable::no));
  return git;
}

CleanGit::CleanGit(CleanGit&& other) noexcept
    : folder_(std::exchange(other.folder_, "")), program_(std::move(other.program_)), hash_(other.hash_) {}

CleanGit::~CleanGit() {
  if (!folder_.empty()) (void)remove_tree(folder_);
}

Result<> CleanGit::run(const std::vector<std::string>& arguments, std::string_view input, const Sink& sink,
                       Clock::time_point deadline) const {
  std::vector<std::string> words{program_, "--git-dir=" + folder_, "--literal-pathspecs"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment{"PATH=/usr/bin:/bin",       "LC_ALL=C",
                                       "HOME=" + folder_,          "XDG_CONFIG_HOME=" + folder_,
                                       "GIT_CONFIG_NOSYSTEM=1",    "GIT_CONFIG_GLOBAL=/dev/null",
                                       "GIT_ATTR_NOSYSTEM=1",      "GIT_TERMINAL_PROMPT=0",
                                       "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
                                       "GIT_OPTIONAL_LOCKS=0",     "GIT_PAGER=cat",
                                       "GIT_GRAFT_FILE=/dev/null", "GIT_ALLOW_PROTOCOL=none"};
  std::vector<char*> argv = pointers_to(words);
  std::vector<char*> envp = pointers_to(environment);

  // Its input is a socket, because a pipe whose reader is gone would send us a signal.
  auto [our_input, its_input] = TRY(socket_pair(SOCK_STREAM));
  auto [our_output, its_output] = TRY(make_pipe());
  TRY(set_nonblocking(our_input.get()));
  TRY(set_nonblocking(our_output.get()));
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_adddup2(&actions, its_input.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, its_output.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
  pid_t pid = -1;
  const int failure = ::posix_spawn(&pid, program_.c_str(), &actions, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) return Error::from_number(failure, "start " + program_);
  its_input.reset();
  its_output.reset();
  return RunningGit(pid, std::move(our_input), std::move(our_output)).talk(input, sink, deadline);
}

}  // namespace talaria
