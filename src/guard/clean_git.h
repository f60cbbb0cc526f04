#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "guard/git_object_id.h"

namespace talaria {

// The machine's git, reading the objects of a repository and nothing else of it: in an empty git directory of our own
// that only borrows them. Neither the repository's configuration nor the person's is read, nothing is fetched.
class CleanGit {
 public:
  struct Options {
    std::string objects;  // the repository's folder of objects, absolute
    std::string shallow;  // the content of its file `shallow`
    GitHash hash = GitHash::sha1;
    std::string scratch = "/tmp";  // where the git directory of our own is made
    std::string program = "/usr/bin/git";
  };
  using Sink = std::function<Result<>(std::string_view bytes)>;

  static Result<CleanGit> make(const Options& options);
  CleanGit(CleanGit&& other) noexcept;
  CleanGit& operator=(CleanGit&&) = delete;
  ~CleanGit();

  // Runs `git arguments…` with this input, and gives its output to the sink as it comes. It is over at the deadline or
  // when the sink refuses: git and what it started are killed. A status other than 0 is an error.
  Result<> run(const std::vector<std::string>& arguments, std::string_view input, const Sink& sink,
               Clock::time_point deadline) const;

  GitHash hash() const { return hash_; }

 private:
  CleanGit(std::string folder, std::string program, GitHash hash)
      : folder_(std::move(folder)), program_(std::move(program)), hash_(hash) {}
  std::string folder_;
  std::string program_;
  GitHash hash_;
};

}  // namespace talaria
