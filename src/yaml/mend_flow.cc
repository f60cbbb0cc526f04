#include "yaml/mend_flow.h"

#include <cstddef>

namespace talaria {

namespace {

class FlowMender {
 public:
  explicit FlowMender(std::string_view text) : text_(text) {}

  std::optional<std::string> mend() {
    for (; at_ < text_.size(); ++at_) {
      if (open_.empty() && !made_.empty()) return ends_here() ? std::optional(made_) : std::nullopt;
      if (!take(text_[at_])) return std::nullopt;
    }
    while (!open_.empty()) close();
    return made_;
  }

 private:
  bool take(char c) {
    const bool between = last_ == '[' || last_ == '{' || last_ == ',' || last_ == ':';
    if ((c == '"' || c == '\'') && between) return take_quoted(c);
    if ((c == '[' || c == '{') && (between || made_.empty())) {
      open_ += c;
      put(c);
    } else if (c == ']' || c == '}') {
      close();
    } else if (c == ',') {
      if (last_ != ',' && last_ != '[' && last_ != '{') put(c);
    } else if (c == '\n' || c == ' ' || c == '\t') {
      if (!made_.empty() && made_.back() != ' ') made_ += ' ';
    } else {
      put(c);
    }
    return true;
  }

  bool take_quoted(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' && quote == '"' ? 2 : 1;
    if (end >= text_.size()) return false;
    made_.append(text_.substr(at_, end + 1 - at_));
    last_ = quote;
    at_ = end;
    return true;
  }

  // With the bracket that fits what is open, whichever is written.
  void close() {
    const char bracket = open_.back() == '[' ? ']' : '}';
    open_.pop_back();
    put(bracket);
  }

  // What is behind the collection may only be brackets too many.
  bool ends_here() const { return text_.find_first_not_of("]}, \t\n", at_) == std::string_view::npos; }

  void put(char c) { made_ += last_ = c; }

  std::string_view text_;
  size_t at_ = 0;
  std::string open_;  // the brackets
  std::string made_;
  char last_ = '\0';  // that is no blank
};

}  // namespace

std::optional<std::string> mend_flow(std::string_view text) {
  if (text.empty() || (text[0] != '[' && text[0] != '{')) return std::nullopt;
  return FlowMender(text).mend();
}

}  // namespace talaria
