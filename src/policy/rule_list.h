#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "policy/glob.h"
#include "policy/verdict.h"

namespace talaria {

// The owner's rules on files or hosts: globs. Of those that match, deny wins over allow, and allow over ask.
struct RuleList {
  std::vector<std::string> allow;
  std::vector<std::string> ask;
  std::vector<std::string> deny;
  std::string otherwise = "allow";  // or "ask" or "deny": what holds where nothing matches
  bool operator==(const RuleList&) const = default;
};

enum class FileUse { read, write };

// The places that patterns and our own rules are about.
struct FilePlaces {
  std::string home;      // the person's: what ~ means
  std::string own_home;  // ours
  // Where these lead when links on the way are followed; empty where that is unknown.
  std::string real_home = {};
  std::string real_own_home = {};
  std::string own_runtime = {};  // where our sockets are, if not in our home
  bool operator==(const FilePlaces&) const = default;
};

// The rules on one use of files, ready to be asked of many. Without a rule of the owner's, credential files are neither
// read nor written, and the system's and our own files are not written.
class FileRules {
 public:
  FileRules(FileUse use, const RuleList& rules, FilePlaces places);

  // `path` is absolute.
  Verdict judge(std::string_view path) const;

 private:
  struct Rule {
    std::string_view word;  // "deny"
    std::string name;       // "files.read.deny: *.pem"
    Glob glob;
  };
  bool is_own(std::string_view path) const;
  // Of our own, what may be read.
  bool is_open(std::string_view path) const;
  Verdict built_in(std::string_view path, const std::vector<std::string_view>& names) const;

  FileUse use_;
  FilePlaces places_;
  std::vector<Rule> rules_;
  std::string otherwise_;
};

// Whether a host may be asked for a page. A pattern *.example.org means every name below example.org, and example.org.
Verdict judge_host(std::string_view host, const RuleList& rules);

}  // namespace talaria
