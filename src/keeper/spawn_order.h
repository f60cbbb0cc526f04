#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// What the keeper tells its spawner about one command. The fds travel beside it: control socket, stdin, stdout,
// and one for each of `numbers`.
struct SpawnOrder {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // NAME=value
  std::string cwd;
  bool terminal = false;          // stdin and stdout are the slave of a terminal
  uint64_t open_files = 0;        // soft RLIMIT_NOFILE of the command; the keeper's own is higher
  std::vector<int> numbers = {};  // of further descriptors; 2 replaces stderr
  std::string warm = {};          // the warm base to fork it from; only a sandbox has one
  bool operator==(const SpawnOrder&) const = default;
};

std::string encode(const SpawnOrder& order);

// The same in the form execve wants, pointing into the encoded bytes: decoding allocates nothing but the two lists.
struct SpawnView {
  const char* cwd = nullptr;
  bool terminal = false;
  uint64_t open_files = 0;
  std::vector<int> numbers;
  std::vector<char*> argv;         // NULL at the end
  std::vector<char*> environment;  // NULL at the end
};
// `bytes` must be what encode() made (it never leaves this program's own socket pair) and must outlive the view.
SpawnView view_of(std::string& bytes);

}  // namespace talaria
