#pragma once
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

// The table, and further names that the owner wants locked.
class Dangers {
 public:
  explicit Dangers(std::vector<std::string> more = {}) : more_(std::move(more)) {}

  // The outermost dangerous name of a path from the workspace; of the classes locked and held.
  std::optional<DangerousName> find(std::string_view path) const;
  // Whether a folder of this name may hold a dangerous name: the first part of a pattern with two.
  bool is_first_part(std::string_view name) const;

 private:
  std::vector<std::string> more_;
};

}  // namespace talaria
