#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

enum class LetterCase { as_written, ignored };

// Which files of a folder are meant.
//   *.py            of this name, in any folder below
//   src/*.py        in that very folder; ** is any number of folders, src/ all that is below
//   {a,b}.c, [ab]?  either, one of these, any one character
//   !*.md           all but these
class NameGlob {
 public:
  // An empty pattern means every file.
  explicit NameGlob(std::string_view pattern, LetterCase letters = LetterCase::as_written);

  // `path` begins in the folder, without "./".
  bool means(std::string_view path) const;

  // Patterns for the names alone, of which at least one means each file that is meant; empty: the name does not tell.
  std::vector<std::string> name_patterns() const;
  // Whether it speaks of hidden names, which begin with a dot.
  bool names_hidden() const;
  // Whether this path is meant by a part of the glob that does.
  bool names_hidden(std::string_view path) const;

 private:
  using Parts = std::vector<std::string>;
  static bool is_hidden(const Parts& patterns);
  bool one_means(const Parts& patterns, const Parts& parts) const;
  bool is_one(const Parts& patterns, const Parts& parts) const {
    return one_means(patterns, patterns.size() == 1 ? Parts{parts.back()} : parts);
  }

  std::vector<Parts> alternatives_;  // one part: the name in any folder
  bool negated_ = false;
  int flags_ = 0;
};

// For searching names: a word without * ? [ ] { } becomes *word*, in the folder it is given with; one that begins
// with a dot means hidden names too.
std::string glob_of_word(std::string_view pattern);

// A glob that begins with the absolute path of `folder`, as one that begins in it; any other as it is.
std::string glob_within(std::string_view glob, std::string_view folder);

}  // namespace talaria
