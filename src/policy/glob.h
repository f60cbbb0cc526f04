#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// The names in a path, from the root on, without empty ones and dots.
std::vector<std::string_view> names_in(std::string_view path);

// A pattern of the owner's, ready to be asked of many paths. It means an absolute path, and all that is below it.
//   /etc/**, ~/notes/*.txt   from the root, or from the home
//   *.pem, secrets/key       anywhere
// * and ? stay within one name, ** spans any number of them, [ab] is one of these, {a,b} either.
class Glob {
 public:
  // `home` is what ~ means.
  Glob(std::string_view pattern, std::string_view home);

  bool means(const std::vector<std::string_view>& names) const;
  bool means(std::string_view path) const { return means(names_in(path)); }

  // Names of which a path must have one to be meant; empty when there are none to tell.
  std::vector<std::string> needed_names() const;

 private:
  struct Part {
    enum class Kind { name, pattern, any_number };
    Kind kind;
    std::string text;
    size_t plain = 0;  // so many of its first bytes stand for themselves
    bool fits(std::string_view name) const;
  };
  struct Form {  // one way to take the braces
    bool anywhere = false;
    std::vector<Part> parts;
  };
  static bool means(const Form& form, const std::vector<std::string_view>& names);
  static Form form_of(std::string_view pattern, std::string_view home);

  std::vector<Form> forms_;
};

// Many patterns at once. Most paths are meant by none of them, and that is seen at a glance.
class GlobSet {
 public:
  explicit GlobSet(const std::vector<Glob>& globs);
  bool means(const std::vector<std::string_view>& names) const;

 private:
  std::vector<Glob> globs_;
  std::map<std::string, std::vector<size_t>, std::less<>> by_name_;  // those that need this name
  std::vector<size_t> others_;
};

// "a{b,c}d" → "abd", "acd". At most `most` of them.
std::vector<std::string> expand_braces(std::string_view pattern, size_t most = 64);

}  // namespace talaria
