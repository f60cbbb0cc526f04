#pragma once
// For tests: runs what a Search asks for.
#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "files/files_trial.h"
#include "files/search.h"
#include "os/socket.h"

namespace talaria {

inline const SearchPrograms both_programs{"/usr/bin/rg", "/usr/bin/grep"};
inline const SearchPrograms only_grep{"", "/usr/bin/grep"};

// With root's rights no mode keeps a program from reading.
enum class Rights { ours, of_an_ordinary_user };

inline bool take_rights(Rights rights) {
  if (rights == Rights::ours || ::geteuid() != 0) return true;
  constexpr uid_t nobody = 65534;
  return ::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0;
}

// Stdout and stderr together, in pieces as they come. Gives the exit code, or 128 and the signal.
inline int run_program(const std::vector<std::string>& argv, const std::string& cwd,
                       const std::function<void(std::string_view)>& take, Rights rights = Rights::ours) {
  auto [reading, writing] = *make_pipe();
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  CHECK(child >= 0);
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (::chdir(cwd.c_str()) != 0 || ::dup2(null, 0) < 0 || ::dup2(writing.get(), 1) < 0 || ::dup2(1, 2) < 0 ||
        !take_rights(rights))
      ::_exit(126);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  writing.reset();
  char buffer[5000];
  for (ssize_t count; (count = ::read(reading.get(), buffer, sizeof buffer)) > 0;)
    take({buffer, static_cast<size_t>(count)});
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline std::string output_of(const std::vector<std::string>& argv, const std::string& cwd) {
  std::string output;
  run_program(argv, cwd, [&](std::string_view piece) { output += piece; });
  return output;
}

class SearchTrial : public FilesTrial {
 public:
  JsonObject search(SearchRequest request, const SearchPrograms& programs = both_programs) {
    request.cwd = folder;
    Result<Search> search = Search::plan(request, programs, gate);
    if (!search) return {{"error", search.error().message()}};
    runs = 0;
    while (const auto argv = search->next_command()) {
      ++runs;
      search->ended(run_program(
          *argv, folder, [&](std::string_view output) { search->take(output); }, rights));
    }
    return search->result();
  }

  int runs = 0;
  Rights rights = Rights::ours;
};

}  // namespace talaria
