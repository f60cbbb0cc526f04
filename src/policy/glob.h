#pragma once
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

 private:
  struct Part {
    enum class Kind { name, pattern, any_number };
    Kind kind;
    std::string text;
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

// "a{b,c}d" → "abd", "acd". At most `most` of them.
std::vector<std::string> expand_braces(std::string_view pattern, size_t most = 64);

}  // namespace talaria
