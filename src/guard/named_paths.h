#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Small questions about paths and words that files of the person's hold. They are the person's, so links are followed.

// An absolute path as it is written, and as its links lead; the last name need not be there.
std::vector<std::string> places_of(const std::string& path);

// Where a symbolic link leads, absolute, whether or not something is there; empty where there is none.
std::string link_end(const std::string& path);

// A plain file's content. Nothing is waited for.
std::optional<std::string> read_named_file(const std::string& path, size_t most);

// The git directory of a folder that has one, also by a .git file; empty otherwise.
std::string git_directory_at(const std::string& folder);
// The one that has the configuration, where that is another.
std::string common_directory_of(const std::string& git_directory);

enum class WordKind {
  command,  // a setting that git gives to a shell: its first word is a program
  script,   // a hook: words in it are programs where the folder has such a file
};
// The words of a text that name files to be run, as they stand there: "tools/lint", "./run.sh".
std::vector<std::string> program_words(std::string_view text, const std::string& folder, WordKind kind);

}  // namespace talaria
