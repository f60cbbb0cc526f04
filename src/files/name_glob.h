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

 private:
  using Parts = std::vector<std::string>;
  bool one_means(const Parts& patterns, const Parts& parts) const;

  std::vector<Parts> alternatives_;  // one part: the name in any folder
  bool negated_ = false;
  int flags_ = 0;
};

// For searching names: a word without * ? [ ] { } becomes *word*, in the folder it is given with.
std::string glob_of_word(std::string_view pattern);

}  // namespace talaria
