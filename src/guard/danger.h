#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// How a name that makes other programs run something is treated.
enum class DangerClass {
  locked,    // what is there stays as it is, and new ones are taken away
  held,      // a new version stays only if the repository had it before the session began
  own,       // what is there stays as it is; new ones Talaria itself takes for an agent's, and trusts nothing in them
  reported,  // runs only when a person asks for it: nothing is done about it
};
std::string_view name_of(DangerClass kind);

// One row of the table: a name at any depth of a workspace ("name" or "folder/name") and what runs because of it.
struct Danger {
  std::string_view pattern;
  DangerClass kind;
  std::string_view rule;  // a short word for programs
  std::string_view why;   // a sentence for people, after the path
};

// The one table of what is dangerous, but for git's own files, which guard/git_folder.h knows.
std::span<const Danger> danger_table();

// A path that lies under a dangerous name.
struct DangerousName {
  std::string path;  // up to and with the name: "a/.vscode/tasks.json"
  DangerClass kind;
  std::string rule;
  std::string why;
};

// The table, further names that the owner wants locked, and what the person's own files name.
class Dangers {
 public:
  // `more` as patterns of the table are.
  explicit Dangers(const std::vector<std::string>& more = {});

  // Held: paths from the workspace, and names at any depth.
  void hold(std::vector<std::string> paths, const std::vector<std::string>& anywhere);

  // The outermost dangerous name of a path from the workspace; of the classes locked and held.
  std::optional<DangerousName> find(std::string_view path) const;
  // Where a link at `path` that leads to `target` would put dangerous names: the target itself, or names in it.
  std::vector<std::string> through_link(std::string_view path, const std::string& target) const;
  // Whether a folder at this path may hold a dangerous name: it is the first part of a pattern with two, or on the way
  // to a path that is held.
  bool leads_to_one(std::string_view path) const;

 private:
  struct Pattern {
    std::string text;
    DangerClass kind;
    std::string_view rule;
    std::string_view why;
  };
  using Patterns = std::map<std::string, std::vector<Pattern>, std::less<>>;  // by the first name
  static void add(Patterns& patterns, Pattern pattern);
  static std::optional<DangerousName> find_at(const Patterns& patterns, std::string_view path, size_t begin);

  Patterns patterns_;
  Patterns anywhere_;
  std::vector<std::string> paths_;  // sorted
};

}  // namespace talaria
